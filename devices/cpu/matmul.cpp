#include <tessera/error.hpp>

#include "devices/cpu/cpu_device.hpp"

namespace tessera::cpu {

void CpuDevice::matmul(Precision /*precision*/, const View& /*x*/, const View& /*y*/, const View& /*out*/) {
  throw NotSupportedError("[matmul] not yet on cpu");
}

}  // namespace tessera::cpu
