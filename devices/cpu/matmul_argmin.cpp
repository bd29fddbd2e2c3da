#include <tessera/error.hpp>

#include "devices/cpu/cpu_device.hpp"

namespace tessera::cpu {

void CpuDevice::matmul_argmin(Precision /*precision*/, Scalar /*alpha*/, const View& /*x*/, const View& /*y*/,
                              const View& /*bias*/, const View& /*index*/, const View& /*score*/) {
  throw NotSupportedError("[matmul_argmin] not yet on cpu");
}

}  // namespace tessera::cpu
