#include "devices/cpu/cpu_device.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <oneapi/tbb/version.h>

#include "devices/cpu/blis.hpp"
#include "devices/cpu/instruction_set.hpp"
#include "devices/cpu/threads.hpp"

namespace tessera::cpu {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20U;
constexpr std::int64_t kLeastCache = std::int64_t{256} << 10U;

struct Instant final : Event {
  std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
};

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// More, and a tile would take memory for nothing.
constexpr std::int64_t kMostCaches = 32;

/// Half of what the processors' second-level caches hold together, since two of them may share one: a tile is
/// spread over all of them. Of the machine, not of the threads in use nor of the processors that this process
/// may run on.
std::int64_t cache_bytes() {
  const std::int64_t one = std::max<std::int64_t>(sysconf(_SC_LEVEL2_CACHE_SIZE), kLeastCache);
  return one * std::clamp<std::int64_t>(sysconf(_SC_NPROCESSORS_CONF) / 2, 1, kMostCaches);
}

std::string read_processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// Read once: kernels ask for properties, and the file is made anew for each reader, core by core.
const std::string& processor_name() {
  static const std::string name = read_processor_name();
  return name;
}

}  // namespace

CpuDevice::CpuDevice() {
  choose_instruction_set();
  choose_blis_kernels();
}

DeviceProperties CpuDevice::properties() const {
  const int threads = num_threads();
  DeviceProperties properties;
  properties.description = instruction_set() + ", " + std::to_string(threads) +
                           (threads == 1 ? " thread, " : " threads, ") + blis_description();
  properties.host_memory = true;
  properties.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  properties.cache_bytes = cache_bytes();
  properties.library_bytes = blis_buffer_bytes();
  properties.details = {
      {"processor", processor_name()},
      {"features", processor_features()},
      {"vector kernels", instruction_set()},
      {"threads", std::to_string(threads) + ", oneTBB " TBB_VERSION_STRING},
      {"products", blis_description() + ", chosen " + blis_chooser()},
  };
  return properties;
}

void* CpuDevice::allocate(std::size_t bytes) {
  const bool huge = bytes >= kHugePage;
  const std::size_t alignment = huge ? kHugePage : kAlignment;
  if (bytes > SIZE_MAX - alignment) return nullptr;
  const std::size_t rounded = round_up(bytes, alignment);
  void* data = std::aligned_alloc(alignment, rounded);
  // Advice only: where the kernel has none to give, small pages serve.
  if (huge && data != nullptr) madvise(data, rounded, MADV_HUGEPAGE);
  return data;
}

void CpuDevice::deallocate(void* data, std::size_t /*bytes*/) noexcept {
  std::free(data);
}

void CpuDevice::upload(void* target, const void* source, std::size_t bytes) {
  std::memcpy(target, source, bytes);
}

void CpuDevice::download(void* target, const void* source, std::size_t bytes) {
  std::memcpy(target, source, bytes);
}

std::shared_ptr<Event> CpuDevice::record() {
  return std::make_shared<Instant>();
}

double CpuDevice::elapsed(const Event& start, const Event& stop) {
  const auto& from = static_cast<const Instant&>(start);
  const auto& to = static_cast<const Instant&>(stop);
  return std::chrono::duration<double>(to.at - from.at).count();
}

}  // namespace tessera::cpu
