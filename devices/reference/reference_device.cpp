#include "devices/reference/reference_device.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace tessera::reference {

namespace {

using Clock = std::chrono::steady_clock;

struct TimePoint final : Event {
  Clock::time_point at = Clock::now();
};

}  // namespace

DeviceProperties ReferenceDevice::properties() const {
  DeviceProperties properties;
  properties.description =
      "naive loops on xtensor views, float64 accumulation: what other devices are held to";
  properties.host_memory = true;
  properties.asynchronous = false;
  properties.cache_bytes = std::int64_t{1} << 20;
  return properties;
}

void* ReferenceDevice::allocate(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  return std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

void ReferenceDevice::deallocate(void* data, std::size_t /*bytes*/) noexcept {
  std::free(data);
}

void ReferenceDevice::upload(void* target, const void* source, std::size_t bytes) {
  if (bytes > 0) std::memcpy(target, source, bytes);
}

void ReferenceDevice::download(void* target, const void* source, std::size_t bytes) {
  if (bytes > 0) std::memcpy(target, source, bytes);
}

std::shared_ptr<Event> ReferenceDevice::record() {
  return std::make_shared<TimePoint>();
}

double ReferenceDevice::elapsed(const Event& start, const Event& stop) {
  const auto passed = dynamic_cast<const TimePoint&>(stop).at - dynamic_cast<const TimePoint&>(start).at;
  return std::chrono::duration<double>(passed).count();
}

}  // namespace tessera::reference
