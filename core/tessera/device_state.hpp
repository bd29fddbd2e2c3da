#pragma once

#include <string>

#include <tessera/device.hpp>
#include <tessera/memory.hpp>

namespace tessera {

/// A device as core holds it; made once, never deleted.
struct DeviceState {
  DeviceState(std::string in_name, int in_index, DeviceInterface& in_interface)
      : name(std::move(in_name)), index(in_index), device(in_interface), pool(in_interface, name.c_str()) {
    device.attach(pool);
    const DeviceProperties properties = device.properties();
    host_memory = properties.host_memory;
    cache_bytes = properties.cache_bytes;
  }

  std::string name;
  int index;
  DeviceInterface& device;
  MemoryPool pool;
  bool host_memory = false;
  std::int64_t cache_bytes = 0;
};

}  // namespace tessera
