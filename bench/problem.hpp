#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tessera/tessera.hpp>

namespace tessera::bench {

/// How large a question is asked.
struct Size {
  std::string name;  ///< "cython", or "custom"
  std::int64_t samples = 0;
  std::int64_t clusters = 0;
  std::int64_t features = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

/// The sizes that have a name, in the order of the tables.
const std::vector<Size>& named_sizes();
/// Throws ValueError listing the names.
Size size_named(const std::string& name);

/// Where samples and initial centers come from.
struct Source {
  std::string samples = "normal";  ///< "normal", "blobs", or a .npy file
  std::string centers = {};        ///< a .npy file; where empty, the first samples
  std::uint64_t seed = 0;
  // What the samples of a file must have, if they were asked for by number:
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// Samples and as many of them as initial centers, on a device.
struct Problem {
  Size size;
  Array x;        ///< (n, d) float32
  Array centers;  ///< (k, d) float32
};

/// Throws ValueError with the bytes needed, before anything is allocated, where samples, centers and
/// `more_bytes` do not fit into the memory, or with both numbers where there are more clusters than samples.
Problem make_problem(const Size& size, const Source& source, const Device& device, std::int64_t more_bytes);

/// Refuses what does not fit, saying the bytes needed and those there are.
void require_memory(const std::string& what, std::int64_t bytes, const Device& device);

}  // namespace tessera::bench
