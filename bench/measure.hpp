#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <tessera/tessera.hpp>

namespace tessera::bench {

struct Spread {
  double median = 0;
  double min = 0;
  double max = 0;
};
Spread spread(std::vector<double> values);

/// What some calls of one thing took. Each call is waited for.
struct Measured {
  double first_call_seconds = 0;
  Spread seconds;               ///< of the calls after the first
  std::int64_t peak_bytes = 0;  ///< the most of any call, above what was in use before it
};

/// Calls once to warm up, then `repeat` times. With `warm`, the first call is left out: something like it
/// ran.
Measured measure(const Device& device, int repeat, const std::function<void()>& call, bool warm = false);

}  // namespace tessera::bench
