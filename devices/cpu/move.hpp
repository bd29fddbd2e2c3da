#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::cpu {

/// Where the elements of a block of rows and columns lie; strides in bytes.
struct Lattice {
  std::byte* data;
  std::int64_t row;
  std::int64_t column;
};

/// Moves elements of 1, 2, 4 or 8 bytes. The source may repeat elements (stride 0). `streams`: the target is
/// part of an array that is too large to stay in the caches.
void move_block(std::size_t itemsize, const Lattice& from, const Lattice& to, std::int64_t rows,
                std::int64_t columns, bool streams = false);

/// From so many bytes on an output does not stay in the caches: it may as well go past them, in runs of at
/// least so many.
inline constexpr std::int64_t kStreamedBytes = std::int64_t{64} << 20U;
inline constexpr std::int64_t kStreamedRun = 4096;

/// Copies past the caches. finish_streaming comes before others may read it.
void stream(std::byte* to, const std::byte* from, std::size_t bytes);
void finish_streaming();

/// Writes the element at `value` n times.
void repeat(std::size_t itemsize, const void* value, void* out, std::int64_t n);

}  // namespace tessera::cpu
