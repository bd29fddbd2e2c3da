#include <tessera/error.hpp>

#include "devices/cpu/cpu_device.hpp"

namespace tessera::cpu {

void CpuDevice::scan(ScanOp /*op*/, const View& /*x*/, const View& /*out*/) {
  throw NotSupportedError("[scan] not yet on cpu");
}

}  // namespace tessera::cpu
