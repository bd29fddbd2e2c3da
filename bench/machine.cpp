#include "machine.hpp"

#include <sys/resource.h>

#include <fstream>
#include <string>
#include <thread>

#include <tessera/device.hpp>
#include <tessera/threads.hpp>

namespace tessera::bench {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

nlohmann::ordered_json machine(const Device& device) {
  const DeviceProperties properties = device.properties();
  nlohmann::ordered_json details;
  for (const auto& [key, value] : properties.details) details[key] = value;
  return {{"processor", processor()}, {"cores", std::thread::hardware_concurrency()},
          {"threads", num_threads()}, {"device", properties.description},
          {"details", details},       {"commit", TESSERA_COMMIT}};
}

std::int64_t max_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace tessera::bench
