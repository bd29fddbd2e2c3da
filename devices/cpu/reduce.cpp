#include <tessera/error.hpp>

#include "devices/cpu/cpu_device.hpp"

namespace tessera::cpu {

void CpuDevice::reduce(ReduceOp /*op*/, const View& /*x*/, const View& /*out*/) {
  throw NotSupportedError("[reduce] not yet on cpu");
}

}  // namespace tessera::cpu
