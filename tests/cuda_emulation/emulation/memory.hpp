#pragma once

// A device's memory: addresses that nothing but kernels and copies of that device can touch.

#include <cstddef>
#include <map>

namespace cuda_emulation {

class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t capacity);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// An address, or nullptr where there is no room. The bytes are not there before `format`.
  void* reserve(std::size_t bytes);
  /// Fills a reserved block with the pattern of fresh memory, red zones around it. Needs an open memory.
  void format(void* data);
  /// Gives a block back; reports a red zone that was written to. Needs an open memory.
  void release(void* data);
  /// Reports red zones that were written to. Needs an open memory.
  void check() const;

  /// Between the two, this device's memory can be read and written.
  void open();
  void close();

  bool owns(const void* data) const;
  /// Whether [data, data + bytes) lies in one block.
  bool within_block(const void* data, std::size_t bytes) const;
  std::size_t capacity() const { return capacity_; }
  std::size_t in_use() const { return in_use_; }

 private:
  struct BlockRange {
    std::size_t bytes;
    bool formatted;
  };
  std::size_t offset(const void* data) const;
  bool red_zones_whole(std::size_t begin, std::size_t bytes) const;

  std::byte* base_;
  std::size_t capacity_;
  std::size_t top_ = 0;  ///< what has ever been used, whole pages
  std::size_t in_use_ = 0;
  std::map<std::size_t, BlockRange> blocks_;  ///< by offset
};

}  // namespace cuda_emulation
