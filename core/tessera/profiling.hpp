#pragma once

#include <functional>

#include <tessera/funnel.hpp>

namespace tessera {

class DeviceInterface;

/// Internal to core: whether any profile is being recorded.
bool profiling();

/// Runs a call, waits for it and books it with every open profile.
void profile(const Call& call, DeviceInterface& device, const std::function<void()>& run);

}  // namespace tessera
