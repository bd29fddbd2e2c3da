#pragma once

// From which sizes on work is cut into pieces. The emulation has small ones, so that tests see the pieces.

#include <cstdint>
#include <limits>

namespace tessera::cuda {

/// The elements that one element-wise launch takes: positions in it fit 31 bits.
inline constexpr std::int64_t kMostElements = std::numeric_limits<std::int32_t>::max();

/// Labels and positions below this are sorted as 32-bit numbers.
inline constexpr std::int64_t kMostNarrow = std::numeric_limits<std::uint32_t>::max();

/// Rows, columns and batches of one call to cuBLAS.
inline constexpr std::int64_t kRowsPerCall = std::int64_t{1} << 20U;
inline constexpr std::int64_t kColumnsPerCall = std::int64_t{1} << 26U;
inline constexpr std::int64_t kBatchPerCall = 32768;

/// The elements from which on a program is compiled: its plain kernels take some fifty microseconds, its
/// compilation half a second, once.
constexpr std::int64_t fewest_compiled_elements() {
  return std::int64_t{1} << 22U;
}

}  // namespace tessera::cuda
