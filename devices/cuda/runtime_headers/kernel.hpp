#pragma once

// platform/kernel.hpp for kernels that NVRTC compiles.

#define TESSERA_SHARED(type, name, count) __shared__ type name[count]

namespace tessera::cuda {
inline constexpr int kThreads = 256;  // as in the other platform/kernel.hpp
}
