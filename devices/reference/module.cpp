#include <tessera/module.hpp>

#include "devices/reference/reference_device.hpp"

namespace tessera::reference {
namespace {

int device_count() noexcept {
  return 1;
}
const char* why_none() noexcept {
  return "";
}
DeviceInterface* create(int /*index*/) {
  return new ReferenceDevice;
}

}  // namespace
}  // namespace tessera::reference

TESSERA_DEVICE_MODULE("reference", TESSERA_VERSION, tessera::reference::device_count,
                      tessera::reference::why_none, tessera::reference::create)
