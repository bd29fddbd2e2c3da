#pragma once

#include <cstddef>

// Plain loops of one thread on the host's processor, with the widest vectors that it has: what the machine
// can do, apart from any library.

namespace tessera::bench {

/// Reads n floats, a multiple of 64 KiB best; gives their sum, so that nothing is left out.
float read_all(const float* x, std::size_t n);

/// Fused multiply-adds on registers; gives how many floating-point operations it made, and adds to `sink`
/// what keeps them from being left out.
double multiply_add(std::size_t rounds, float& sink);

}  // namespace tessera::bench
