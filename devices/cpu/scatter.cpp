#include <tessera/error.hpp>

#include "devices/cpu/cpu_device.hpp"

namespace tessera::cpu {

void CpuDevice::scatter(ScatterOp /*op*/, const View& /*indices*/, const View& /*updates*/,
                        const View& /*target*/) {
  throw NotSupportedError("[scatter] not yet on cpu");
}

}  // namespace tessera::cpu
