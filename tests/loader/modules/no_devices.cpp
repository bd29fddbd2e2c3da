// A module on a machine without its hardware.
#include <tessera/module.hpp>

namespace {

int device_count() noexcept {
  return 0;
}
const char* why_none() noexcept {
  return "no accelerator is plugged in";
}
tessera::DeviceInterface* create(int /*index*/) {
  return nullptr;
}

}  // namespace

TESSERA_DEVICE_MODULE("no_devices", "1.2", device_count, why_none, create)
