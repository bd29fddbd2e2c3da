#pragma once

#include <cstdint>

#include <tessera/threads.hpp>

namespace tessera::cpu {

/// Below this much work (in elements that one simple operation touches) a kernel stays on its caller's
/// thread: waking a second one takes some microseconds, more than it saves.
inline constexpr std::int64_t kSerialWork = 64 * 1024;

/// Calls body(context, block) for each block in [0, blocks), on several threads.
void run_blocks(std::int64_t blocks, void (*body)(const void* context, std::int64_t block),
                const void* context);

/// Calls f(block) for each block in [0, blocks), in any order and on any thread. What a block is must
/// follow from shapes and fixed properties of the device, never from the number of threads: then results
/// do not depend on it either. `work` is of all blocks together, in the unit of kSerialWork.
template <class F>
void parallel_for(std::int64_t blocks, std::int64_t work, const F& f) {
  if (blocks <= 1 || work < kSerialWork || num_threads() == 1) {
    for (std::int64_t block = 0; block < blocks; ++block) f(block);
    return;
  }
  run_blocks(
      blocks, [](const void* context, std::int64_t block) { (*static_cast<const F*>(context))(block); }, &f);
}

/// The half-open range [begin, end) of block `block` where `count` items are cut into blocks of `size`.
struct BlockRange {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t size() const { return end - begin; }
};
constexpr BlockRange block_range(std::int64_t block, std::int64_t size, std::int64_t count) {
  const std::int64_t begin = block * size;
  return {begin, count - begin < size ? count : begin + size};
}
constexpr std::int64_t block_count(std::int64_t count, std::int64_t size) {
  return count / size + (count % size != 0 ? 1 : 0);
}

}  // namespace tessera::cpu
