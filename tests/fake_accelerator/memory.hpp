#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include <tessera/device.hpp>

namespace tessera::fake {

/// The accelerator's memory: pages mapped twice. The addresses that are given out are those of a mapping that
/// nobody may touch, so a host that reads device memory dies of SIGSEGV; the queue works on the other one.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// nullptr where there is no room.
  void* allocate(std::size_t bytes);
  void deallocate(void* data) noexcept;

  /// Where the queue finds the bytes [data + begin, data + end). Throws DeviceError where they are not inside
  /// one allocation.
  std::byte* translate(const void* data, std::int64_t begin, std::int64_t end) const;

 private:
  std::size_t capacity_;
  std::byte* device_ = nullptr;  ///< the mapping without access
  std::byte* host_ = nullptr;    ///< the same pages, for the queue
  int pages_ = -1;               ///< a file in memory
  mutable std::mutex mutex_;
  std::map<std::size_t, std::size_t> blocks_;  ///< offset -> bytes of what is allocated
};

}  // namespace tessera::fake
