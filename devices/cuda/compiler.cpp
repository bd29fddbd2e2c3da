#include "devices/cuda/compiler.hpp"

#include <tessera/device.hpp>
#include <tessera/error.hpp>

#include "devices/cuda/errors.hpp"
#include "devices/cuda/nvrtc.hpp"

namespace tessera::cuda {
namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw DeviceError(std::string("[") + current_operation() +
                    "] a kernel that was compiled at run time cannot be loaded: " + describe(error));
}

}  // namespace

CompiledKernel compile_kernel(const std::string& source, const std::string& name, int capability) {
  const std::string code = compile_to_code(source, capability);
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaKernel_t kernel = nullptr;
  const cudaError_t error = cudaLibraryGetKernel(&kernel, library, name.c_str());
  if (error != cudaSuccess) cudaLibraryUnload(library);
  check(error);
  return kernel;
}

cudaError_t launch_compiled(CompiledKernel kernel, dim3 grid, dim3 block, cudaStream_t stream,
                            const ProgramArguments& arguments) {
  // As much of them as the kernel takes is copied before the call returns.
  void* pointers[] = {const_cast<ProgramArguments*>(&arguments)};
  return cudaLaunchKernel(static_cast<const void*>(kernel), grid, block, pointers, 0, stream);
}

}  // namespace tessera::cuda
