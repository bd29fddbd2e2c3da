#pragma once

// platform/kernel.hpp for kernels that NVRTC compiles.

#define TESSERA_SHARED(type, name, count) __shared__ type name[count]

/// A kernel's argument, read where the launch has put it.
#define TESSERA_ARGUMENT(type, name) const __grid_constant__ type name

namespace tessera::cuda {
inline constexpr int kThreads = 256;  // as in the other platform/kernel.hpp
}
