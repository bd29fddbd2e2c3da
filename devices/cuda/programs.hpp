#pragma once

// Programs as kernels that are compiled at run time, kept under their source.

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "devices/cuda/compiler.hpp"

namespace tessera::cuda {

/// Of one device.
class Programs {
 public:
  /// Nothing where there is no compiler, it does not take the source, or there are too many kernels already:
  /// a kernel is never unloaded, since it may be running. What is wrong is told once, on standard error. The
  /// calling thread's device is the current one.
  CompiledKernel kernel(const std::string& source, int capability);

 private:
  std::mutex mutex_;
  std::map<std::string, CompiledKernel> kernels_;  ///< by source
  bool told_ = false;
};

}  // namespace tessera::cuda
