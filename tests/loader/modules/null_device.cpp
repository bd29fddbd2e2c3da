// A module whose factory gives nothing.
#include <tessera/module.hpp>

namespace {

int device_count() noexcept {
  return 1;
}
const char* why_none() noexcept {
  return "";
}
tessera::DeviceInterface* create(int /*index*/) {
  return nullptr;
}

}  // namespace

TESSERA_DEVICE_MODULE("null_device", "1", device_count, why_none, create)
