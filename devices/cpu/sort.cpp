#include <tessera/error.hpp>

#include "devices/cpu/cpu_device.hpp"

namespace tessera::cpu {

void CpuDevice::sort(bool /*descending*/, bool /*indices*/, const View& /*x*/, const View& /*out*/) {
  throw NotSupportedError("[sort] not yet on cpu");
}

}  // namespace tessera::cpu
