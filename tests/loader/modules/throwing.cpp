// A module whose factory throws.
#include <stdexcept>

#include <tessera/module.hpp>

namespace {

int device_count() noexcept {
  return 1;
}
const char* why_none() noexcept {
  return "";
}
tessera::DeviceInterface* create(int /*index*/) {
  throw std::runtime_error("the firmware is too old");
}

}  // namespace

TESSERA_DEVICE_MODULE("throwing", "1", device_count, why_none, create)
