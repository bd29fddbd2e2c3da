#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <tessera/dtype.hpp>
#include <tessera/export.hpp>
#include <tessera/layout.hpp>
#include <tessera/registry.hpp>

namespace tessera {

namespace trace {
struct Traced;
}

/// Bytes on a device, counted by the arrays on them: from the device's pool, or borrowed from the host; or
/// none yet, where a function is being traced.
class Buffer {
 public:
  /// From the pool.
  Buffer(DeviceState& device, std::size_t bytes);
  /// Borrowed, read-only.
  Buffer(DeviceState& device, const void* data, std::size_t bytes, std::shared_ptr<const void> owner);
  /// Of a traced value: has no bytes, and reading them throws TraceError.
  Buffer(DeviceState& device, std::size_t bytes, std::unique_ptr<trace::Traced> traced);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  DeviceState& device() const { return device_; }
  void* data() const {
    if (traced_) [[unlikely]]
      refuse();
    return data_;
  }
  /// What a trace knows of it; null for all other buffers.
  trace::Traced* traced() const { return traced_.get(); }
  std::size_t bytes() const { return bytes_; }
  bool writable() const { return writable_; }

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  bool sole() const { return references_.load(std::memory_order_acquire) == 1; }

 private:
  [[noreturn]] TESSERA_API void refuse() const;

  std::atomic<int> references_{1};
  DeviceState& device_;
  void* data_;
  std::size_t bytes_;
  bool writable_;
  std::shared_ptr<const void> owner_;
  std::unique_ptr<trace::Traced> traced_;
};

/// A counted reference to a buffer.
class BufferRef {
 public:
  explicit BufferRef(Buffer* owned) : buffer_(owned) {}
  BufferRef(const BufferRef& other) : buffer_(other.buffer_) { buffer_->retain(); }
  BufferRef(BufferRef&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef& operator=(const BufferRef&) = delete;
  ~BufferRef() {
    if (buffer_ != nullptr) buffer_->release();
  }
  Buffer* operator->() const { return buffer_; }
  Buffer& operator*() const { return *buffer_; }

 private:
  Buffer* buffer_;
};

/// What an Array points to.
struct ArrayNode {
  ArrayNode(const Layout& in_layout, DType in_dtype, BufferRef in_buffer)
      : layout(in_layout),
        size(in_layout.size()),
        contiguous(is_contiguous(in_layout)),
        dtype(in_dtype),
        buffer(std::move(in_buffer)) {}

  std::atomic<int> references{1};
  const Layout layout;
  const std::int64_t size;  ///< elements; kept, as is the next, since every operation asks
  const bool contiguous;
  const DType dtype;
  const BufferRef buffer;
};

}  // namespace tessera
