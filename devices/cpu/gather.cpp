#include <tessera/error.hpp>

#include "devices/cpu/cpu_device.hpp"

namespace tessera::cpu {

void CpuDevice::take(const View& /*x*/, const View& /*indices*/, const View& /*out*/) {
  throw NotSupportedError("[take] not yet on cpu");
}

void CpuDevice::take_along(const View& /*x*/, const View& /*indices*/, const View& /*out*/) {
  throw NotSupportedError("[take_along] not yet on cpu");
}

}  // namespace tessera::cpu
