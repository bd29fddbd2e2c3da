#pragma once

// Kernels from source at run time: by NVRTC, or, in the emulation, by the host's compiler.

#include <string>

#include <cuda_runtime_api.h>

#include "devices/cuda/program_arguments.hpp"

namespace tessera::cuda {

/// A kernel that takes a ProgramArguments. It is never unloaded.
using CompiledKernel = void*;

/// For the calling thread's device, of compute capability `capability` (90: 9.0). Throws DeviceError with the
/// compiler's words, and where there is no compiler.
CompiledKernel compile_kernel(const std::string& source, const std::string& name, int capability);

cudaError_t launch_compiled(CompiledKernel kernel, dim3 grid, dim3 block, cudaStream_t stream,
                            const ProgramArguments& arguments);

}  // namespace tessera::cuda
