#include <tessera/module.hpp>

#include "devices/cpu/cpu_device.hpp"

namespace {

int device_count() noexcept {
  return 1;
}

const char* why_none() noexcept {
  return "";
}

tessera::DeviceInterface* create(int /*index*/) {
  return new tessera::cpu::CpuDevice();
}

}  // namespace

TESSERA_DEVICE_MODULE("cpu", TESSERA_VERSION, device_count, why_none, create)
