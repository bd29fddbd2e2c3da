// A module as another core's build would make it: nothing behind the stamp may be called.
#include <cstdlib>

#include <tessera/module.hpp>

namespace {

int device_count() noexcept {
  std::abort();
}
const char* why_none() noexcept {
  std::abort();
}
tessera::DeviceInterface* create(int /*index*/) {
  std::abort();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const tessera::DeviceModule* tessera_device_module() {
  static const tessera::DeviceModule module{
      "tessera 0.0.0, another build", "wrong_stamp", "1", device_count, why_none, create};
  return &module;
}
