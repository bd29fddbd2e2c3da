#include "devices/cpu/cpu_device.hpp"

namespace tessera::cpu {

void CpuDevice::matmul_argmin(Precision precision, Scalar alpha, const View& x, const View& y,
                              const View& bias, const View& index, const View& score) {
  DeviceInterface::matmul_argmin(precision, alpha, x, y, bias, index, score);
}

}  // namespace tessera::cpu
