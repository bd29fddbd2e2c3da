#pragma once

// Programs as kernels that are compiled at run time, kept under their outline.

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include <tessera/program.hpp>

#include "devices/cuda/compiler.hpp"

namespace tessera::cuda {

class CudaDevice;

/// Of one device.
class Programs {
 public:
  /// Nothing where there is no compiler, it does not take the source, or there are too many kernels already:
  /// a kernel is never unloaded, since it may be running. What is wrong is told once, on standard error. The
  /// calling thread's device is the current one. Throws where it is lost.
  CompiledKernel kernel(const CudaDevice& device, const Program& program, std::size_t inputs);

 private:
  std::mutex mutex_;
  std::map<std::string, CompiledKernel> kernels_;  ///< by outline
  bool told_ = false;
};

}  // namespace tessera::cuda
