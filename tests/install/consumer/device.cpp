// The least that a module can be: it loads, and says why it has no devices.
#include <tessera/module.hpp>

namespace {

int device_count() noexcept {
  return 0;
}

const char* why_none() noexcept {
  return "this one is only an example";
}

tessera::DeviceInterface* create(int /*index*/) {
  return nullptr;
}

}  // namespace

TESSERA_DEVICE_MODULE("example", "1.0", device_count, why_none, create)
