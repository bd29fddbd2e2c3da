#include <tessera/error.hpp>

#include "devices/cpu/cpu_device.hpp"

namespace tessera::cpu {

void CpuDevice::copy(const View& /*x*/, const View& /*out*/) {
  throw NotSupportedError("[copy] not yet on cpu");
}

void CpuDevice::fill(Scalar /*value*/, const View& /*out*/) {
  throw NotSupportedError("[fill] not yet on cpu");
}

void CpuDevice::iota(Scalar /*start*/, Scalar /*step*/, const View& /*out*/) {
  throw NotSupportedError("[iota] not yet on cpu");
}

void CpuDevice::unary(UnaryOp /*op*/, const View& /*x*/, const View& /*out*/) {
  throw NotSupportedError("[unary] not yet on cpu");
}

void CpuDevice::binary(BinaryOp /*op*/, const View& /*a*/, const View& /*b*/, const View& /*out*/) {
  throw NotSupportedError("[binary] not yet on cpu");
}

void CpuDevice::where(const View& /*condition*/, const View& /*a*/, const View& /*b*/, const View& /*out*/) {
  throw NotSupportedError("[where] not yet on cpu");
}

}  // namespace tessera::cpu
