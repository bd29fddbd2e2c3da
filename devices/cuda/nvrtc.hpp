#pragma once

// CUDA's compiler as a library, opened at the first need. Needs no GPU.

#include <string>

namespace tessera::cuda {

/// Machine code for compute capability `capability` (90: 9.0), or PTX where that is newer than NVRTC. Throws
/// DeviceError with the compiler's words, and where there is no compiler.
std::string compile_to_code(const std::string& source, int capability);

}  // namespace tessera::cuda
