#include <tessera/buffer.hpp>

#include <utility>

#include <tessera/device.hpp>
#include <tessera/device_state.hpp>
#include <tessera/trace/tracer.hpp>

namespace tessera {

Buffer::Buffer(DeviceState& device, std::size_t bytes)
    : device_(device), data_(device.pool.allocate(bytes)), bytes_(bytes), writable_(true) {}

Buffer::Buffer(DeviceState& device, const void* data, std::size_t bytes, std::shared_ptr<const void> owner)
    : device_(device),
      data_(const_cast<void*>(data)),  // never written: writable_ says so
      bytes_(bytes),
      writable_(false),
      owner_(std::move(owner)) {}

Buffer::Buffer(DeviceState& device, std::size_t bytes, std::unique_ptr<trace::Traced> traced)
    : device_(device), data_(nullptr), bytes_(bytes), writable_(false), traced_(std::move(traced)) {}

void Buffer::refuse() const {
  trace::refuse_value(current_operation(), *traced_);
}

Buffer::~Buffer() {
  if (writable_) device_.pool.deallocate(data_, bytes_);
}

}  // namespace tessera
