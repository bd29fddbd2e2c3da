#include "devices/cpu/output_block.hpp"

#include <algorithm>

#include "devices/cpu/threads.hpp"

namespace tessera::cpu {
namespace {

/// The kernels' tiles (12 x 32, 6 x 16, and their halves for float64) divide blocks of so many rows and
/// columns.
constexpr std::int64_t kRowUnit = 12;
constexpr std::int64_t kColumnUnit = 32;
/// So many tasks a core, and one more or less is not seen.
constexpr std::int64_t kManyTasks = 16;

/// The length of each of `blocks` nearly equal blocks of `count`, in whole units.
std::int64_t block_length(std::int64_t count, std::int64_t blocks, std::int64_t unit) {
  return block_count(block_count(count, blocks), unit) * unit;
}

}  // namespace

Block output_block(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t cores) {
  std::int64_t down = block_count(m, kLongestBlock);
  std::int64_t across = block_count(n, kLongestBlock);
  const auto tasks = [&] { return batch * down * across; };
  // A task a core, along the side that is longer.
  while (tasks() < cores && std::max(m / down, n / across) >= 2 * kShortestBlock) {
    ++(m / down >= n / across ? down : across);
  }
  // The same number of tasks for all of them.
  for (std::int64_t more = 1; more < cores; ++more) {
    if (tasks() % cores == 0 || tasks() >= kManyTasks * cores || m / (down + 1) < kShortestBlock) break;
    ++down;
  }
  return {block_length(m, down, kRowUnit), block_length(n, across, kColumnUnit)};
}

}  // namespace tessera::cpu
