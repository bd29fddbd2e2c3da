#pragma once

#include <tessera/abi.hpp>
#include <tessera/device.hpp>

namespace tessera {

/// What a device module tells the registry. The first three members never move: they are read, and the
/// stamp compared with the core's, before anything else is called.
struct DeviceModule {
  const char* abi_stamp;  ///< TESSERA_ABI_STAMP as the module was compiled
  const char* name;       ///< "cpu"; devices are named "cpu", "cpu:1", ...
  const char* version;    ///< the module's own version
  /// How many devices this machine has. Never throws.
  int (*device_count)() noexcept;
  /// Why there are none, in words; "" when there are some. Never throws; the text lives as long as the
  /// process.
  const char* (*why_none)() noexcept;
  /// Makes device `index`. Called once for each index; the result is never deleted.
  DeviceInterface* (*create)(int index);
};

}  // namespace tessera

/// Defines the one symbol that a module exports.
#define TESSERA_DEVICE_MODULE(name, version, device_count, why_none, create)                               \
  extern "C" __attribute__((visibility("default"))) const tessera::DeviceModule* tessera_device_module() { \
    static const tessera::DeviceModule module{TESSERA_ABI_STAMP, name,     version,                        \
                                              device_count,      why_none, create};                        \
    return &module;                                                                                        \
  }
