// The module's one symbol for the registry, and the controls that tests find by name (controls.hpp).

#include <tessera/module.hpp>

#include <array>
#include <atomic>
#include <memory>

#include <devices/reference/reference_device.hpp>

#include "device.hpp"
#include "faults.hpp"

namespace tessera::fake {
namespace {

constexpr int kDevices = 2;

std::array<Faults, kDevices> faults;
std::array<std::atomic<const FakeDevice*>, kDevices> made;

int device_count() noexcept {
  return kDevices;
}

const char* why_none() noexcept {
  return "";
}

DeviceInterface* create(int index) {
  const auto i = static_cast<std::size_t>(index);
  auto device =
      std::make_unique<FakeDevice>(index, std::make_unique<reference::ReferenceDevice>(), faults[i]);
  made[i] = device.get();
  return device.release();  // lives as long as the process
}

}  // namespace
}  // namespace tessera::fake

TESSERA_DEVICE_MODULE("fake", TESSERA_VERSION, tessera::fake::device_count, tessera::fake::why_none,
                      tessera::fake::create)

#define TESSERA_FAKE_CONTROL extern "C" __attribute__((visibility("default")))

/// Allocation `first` from now on (1: the next), and the `count` - 1 after it, give no memory.
TESSERA_FAKE_CONTROL void tessera_fake_fail_allocations(int device, long first, long count) {
  auto& faults = tessera::fake::faults[static_cast<std::size_t>(device)];
  faults.failing_allocations = count;
  faults.allocations_until_failure = first;
}

/// Kernel call `nth` from now on (1: the next) fails when the queue comes to it.
TESSERA_FAKE_CONTROL void tessera_fake_fail_operation(int device, long nth) {
  tessera::fake::faults[static_cast<std::size_t>(device)].operations_until_failure = nth;
}

/// The device is lost from now on.
TESSERA_FAKE_CONTROL void tessera_fake_lose(int device) {
  tessera::fake::faults[static_cast<std::size_t>(device)].lost = true;
}

/// No faults, and a lost device is back: tests share a process, a real one would stay lost.
TESSERA_FAKE_CONTROL void tessera_fake_reset(int device) {
  auto& faults = tessera::fake::faults[static_cast<std::size_t>(device)];
  faults.allocations_until_failure = 0;
  faults.operations_until_failure = 0;
  faults.lost = false;
}

/// Calls in the queue that have not run.
TESSERA_FAKE_CONTROL long tessera_fake_pending(int device) {
  const auto* made = tessera::fake::made[static_cast<std::size_t>(device)].load();
  return made == nullptr ? 0 : static_cast<long>(made->pending());
}
