#pragma once

// Takes the place of devices/cuda/platform/limits.hpp: small, so that work is cut into pieces in tests.

#include <cstdint>

#include "emulation/settings.hpp"

namespace tessera::cuda {

inline constexpr std::int64_t kMostElements = 20000;
inline constexpr std::int64_t kMostNarrow = 3000;
inline constexpr std::int64_t kRowsPerCall = 100;
inline constexpr std::int64_t kColumnsPerCall = 250;
inline constexpr std::int64_t kBatchPerCall = 3;

/// None are, but for tests that ask for it: each takes the host's compiler half a second.
inline std::int64_t fewest_compiled_elements() {
  return ::cuda_emulation::settings().fewest_compiled_elements;
}

}  // namespace tessera::cuda
