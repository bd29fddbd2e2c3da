#pragma once

#include <cstdint>

namespace tessera::cpu {

/// The largest side of a block, up to a kernel's tile.
inline constexpr std::int64_t kLongestBlock = 1024;
/// Sides shorter than twice this are not cut for more tasks.
inline constexpr std::int64_t kShortestBlock = 64;

struct Block {
  std::int64_t rows;
  std::int64_t columns;
};

/// The block of a product's output (m x n, `batch` of them) that a task computes. Each packs its rows of x
/// and its columns of y anew, which costs some 5% at 1024 x 1024: so it is as large as that, or what keeps
/// `cores` cores at work to the end.
Block output_block(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t cores);

}  // namespace tessera::cpu
