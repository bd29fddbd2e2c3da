#include <tessera/error.hpp>

#include "devices/cpu/cpu_device.hpp"

namespace tessera::cpu {

void CpuDevice::random_bits(std::uint64_t /*key*/, std::uint64_t /*counter*/, const View& /*out*/) {
  throw NotSupportedError("[random_bits] not yet on cpu");
}

}  // namespace tessera::cpu
