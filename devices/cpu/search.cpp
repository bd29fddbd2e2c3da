#include <tessera/error.hpp>

#include "devices/cpu/cpu_device.hpp"

namespace tessera::cpu {

void CpuDevice::searchsorted(bool /*right*/, const View& /*sorted*/, const View& /*values*/,
                             const View& /*out*/) {
  throw NotSupportedError("[searchsorted] not yet on cpu");
}

void CpuDevice::nonzero(const View& /*x*/, const View& /*out*/) {
  throw NotSupportedError("[nonzero] not yet on cpu");
}

}  // namespace tessera::cpu
