#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include <tessera/dtype.hpp>
#include <tessera/layout.hpp>
#include <tessera/registry.hpp>

namespace tessera {

/// Bytes on a device, counted by the arrays on them: from the device's pool, or borrowed from the host.
class Buffer {
 public:
  /// From the pool.
  Buffer(DeviceState& device, std::size_t bytes);
  /// Borrowed, read-only.
  Buffer(DeviceState& device, const void* data, std::size_t bytes, std::shared_ptr<const void> owner);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  DeviceState& device() const { return device_; }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  bool writable() const { return writable_; }

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  bool sole() const { return references_.load(std::memory_order_acquire) == 1; }

 private:
  std::atomic<int> references_{1};
  DeviceState& device_;
  void* data_;
  std::size_t bytes_;
  bool writable_;
  std::shared_ptr<const void> owner_;
};

/// What an Array points to.
struct ArrayNode {
  ArrayNode(Layout in_layout, DType in_dtype, Buffer* owned)
      : layout(std::move(in_layout)), dtype(in_dtype), buffer(owned) {}
  ArrayNode(const ArrayNode&) = delete;
  ArrayNode& operator=(const ArrayNode&) = delete;
  ~ArrayNode() { buffer->release(); }

  std::atomic<int> references{1};
  Layout layout;
  DType dtype;
  Buffer* buffer;
};

}  // namespace tessera
