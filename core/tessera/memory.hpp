#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <tessera/export.hpp>

namespace tessera {

class DeviceInterface;
class PeakScope;

/// A device's memory, in bytes as they were requested (`cached` counts whole blocks).
struct MemoryStats {
  std::int64_t in_use = 0;
  std::int64_t peak = 0;                ///< the most in use since the start, or since reset_peak
  std::int64_t cached = 0;              ///< free blocks kept for reuse
  std::int64_t limit = 0;               ///< 0: none
  std::int64_t allocations = 0;         ///< requests served since the start
  std::int64_t device_allocations = 0;  ///< of those, the ones that went to the device
};

/// The caching allocator of one device: freed blocks are kept by size class and reused in queue order.
/// All bytes that arrays and kernels ask for go through it. Thread-safe.
class TESSERA_API MemoryPool {
 public:
  explicit MemoryPool(DeviceInterface& device, const char* device_name);
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// At least `bytes` bytes; 0 gives a valid pointer too. Throws OutOfMemoryError with the numbers.
  void* allocate(std::size_t bytes);
  /// `bytes` as they were requested.
  void deallocate(void* data, std::size_t bytes) noexcept;

  MemoryStats stats() const;
  void reset_peak();
  /// Gives all cached blocks back to the device; returns the bytes.
  std::int64_t trim();
  /// An allocation that would bring in use plus cached over the limit trims first, then fails. 0: no limit.
  void set_limit(std::int64_t bytes);

 private:
  friend class PeakScope;

  // Blocks come in eight sizes an octave, so at most an eighth of one is unused.
  static constexpr int kClassCount = 8 * 64;

  void* take_fresh(std::size_t bytes, std::size_t block);
  std::int64_t trim_locked();
  [[noreturn]] void fail(std::size_t bytes) const;
  void count_locked(std::size_t bytes);

  DeviceInterface& device_;
  const char* device_name_;
  mutable std::mutex mutex_;
  std::array<std::vector<void*>, kClassCount> free_;
  std::vector<PeakScope*> scopes_;
  MemoryStats stats_;
  std::int64_t soft_limit_ = 0;  ///< past it, cached blocks go back before a fresh one is taken
};

}  // namespace tessera
