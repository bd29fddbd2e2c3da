#include <tessera/buffer.hpp>

#include <utility>

#include <tessera/device_state.hpp>

namespace tessera {

Buffer::Buffer(DeviceState& device, std::size_t bytes)
    : device_(device), data_(device.pool.allocate(bytes)), bytes_(bytes), writable_(true) {}

Buffer::Buffer(DeviceState& device, const void* data, std::size_t bytes, std::shared_ptr<const void> owner)
    : device_(device),
      data_(const_cast<void*>(data)),  // never written: writable_ says so
      bytes_(bytes),
      writable_(false),
      owner_(std::move(owner)) {}

Buffer::~Buffer() {
  if (writable_) device_.pool.deallocate(data_, bytes_);
}

}  // namespace tessera
