#include <tessera/error.hpp>

#include "devices/cpu/cpu_device.hpp"

namespace tessera::cpu {

void CpuDevice::arg_reduce(ArgReduceOp /*op*/, const View& /*x*/, const View& /*out*/) {
  throw NotSupportedError("[arg_reduce] not yet on cpu");
}

}  // namespace tessera::cpu
