#pragma once

// Programs as kernels that are compiled at run time, kept under their source.

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "devices/cuda/compiler.hpp"

namespace tessera::cuda {

class Programs {
 public:
  /// Of the calling thread's device.
  CompiledKernel kernel(const std::string& source, int capability);

 private:
  std::mutex mutex_;
  std::map<std::string, CompiledKernel> kernels_;  ///< by capability and source
};

}  // namespace tessera::cuda
