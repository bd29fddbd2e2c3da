#include "problem.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include <tessera/device.hpp>

namespace tessera::bench {
namespace {

std::int64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::int64_t kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes) {
    std::getline(file, unit);
    if (key == "MemAvailable:") return kibibytes * 1024;
  }
  return 0;
}

// The device's memory where it has its own and says how much; else what the host has left.
std::int64_t available_bytes(const Device& device) {
  const DeviceProperties properties = device.properties();
  if (!properties.host_memory && properties.memory_bytes > 0) return properties.memory_bytes;
  return available_bytes();
}

void require_samples(const Size& size) {
  if (size.clusters <= size.samples) return;
  throw ValueError(
      fmt::format("[bench] {} clusters of {} samples; expected at most as many clusters as samples",
                  size.clusters, size.samples));
}

// Centers drawn apart, samples spread about them with unit variance.
Array blobs(const random::Key& key, const Size& size, const Device& device) {
  const Array means = random::uniform(key.fold_in(0), {size.clusters, size.features},
                                      {.low = -10, .high = 10, .device = device});
  const Array owner = random::randint(key.fold_in(1), 0, size.clusters, {size.samples}, {.device = device});
  return take(means, owner, {.axis = 0}) +
         random::normal(key.fold_in(2), {size.samples, size.features}, {.device = device});
}

Array samples_of(Size& size, const Source& source, const Device& device) {
  const random::Key key(source.seed);
  if (source.samples == "normal")
    return random::normal(key, {size.samples, size.features}, {.device = device});
  if (source.samples == "blobs") return blobs(key, size, device);
  const Array x = load_npy(source.samples, {.device = device});
  if (x.ndim() != 2) {
    throw ShapeError(
        fmt::format("[bench] {} is {}; expected (samples, features)", source.samples, to_string(x.shape())));
  }
  const auto require = [&](const char* option, std::int64_t asked, std::int64_t found) {
    if (asked == 0 || asked == found) return;
    throw ValueError(fmt::format("[bench] {} {}, but {} is {}; leave {} out", option, asked, source.samples,
                                 to_string(x.shape()), option));
  };
  require("--samples", source.rows, x.shape(0));
  require("--features", source.columns, x.shape(1));
  size.samples = x.shape(0);
  size.features = x.shape(1);
  return astype(x, float32);
}

}  // namespace

const std::vector<Size>& named_sizes() {
  static const std::vector<Size> sizes = {{"feature-heavy", 65536, 4096, 16384},
                                          {"cython", 65536, 1024, 2048},
                                          {"init", 65536, 1024, 8192},
                                          {"seeding", 65536, 256, 1024},
                                          {"low-d", 196608, 256, 64},
                                          {"wide-k", 100000, 1000, 128},
                                          {"rgb", 270000, 1024, 3},
                                          {"digits", 1797, 10, 64},
                                          {"tiny", 150, 3, 4},
                                          {"smoke", 3000, 17, 24}};
  return sizes;
}

Size size_named(const std::string& name) {
  std::string names;
  for (const Size& size : named_sizes()) {
    if (size.name == name) return size;
    names += (names.empty() ? "" : ", ") + size.name;
  }
  throw ValueError(fmt::format("[bench] there is no size \"{}\"; expected one of {}", name, names));
}

void require_memory(const std::string& what, std::int64_t bytes, const Device& device) {
  const std::int64_t available = available_bytes(device);
  if (available > 0 && bytes > available / 20 * 19) {
    throw ValueError(fmt::format("[bench] {} needs {} bytes, and {} are available; take a smaller --size",
                                 what, bytes, available));
  }
}

Problem make_problem(const Size& wanted, const Source& source, const Device& device,
                     std::int64_t more_bytes) {
  Problem problem{wanted, {}, {}};
  Size& size = problem.size;
  const std::int64_t x_bytes = size.samples * size.features * static_cast<std::int64_t>(sizeof(float));
  // Normal samples are made from bits beside them.
  require_memory(size.name, 2 * x_bytes + more_bytes, device);
  const bool made = source.samples == "normal" || source.samples == "blobs";
  if (made && source.centers.empty()) require_samples(size);
  problem.x = samples_of(size, source, device);
  if (source.centers.empty()) {
    require_samples(size);
    problem.centers = copy(index(problem.x, {slice(0, size.clusters)}));
  } else {
    problem.centers = astype(load_npy(source.centers, {.device = device}), float32);
    size.clusters = problem.centers.shape(0);
  }
  device.synchronize();
  device.trim();
  return problem;
}

}  // namespace tessera::bench
