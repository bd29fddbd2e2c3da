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

/// 0 where `b` is: a clock may not have seen a short kernel, and JSON has no infinity.
inline double ratio(double a, double b) {
  return b > 0 ? a / b : 0;
}

/// How often a call is made.
struct Timing {
  int repeat = 3;      ///< timed calls
  bool warm = false;   ///< no call to warm up: something like it ran already
  bool paced = false;  ///< timed calls wait for another program; see measure()
};

/// What some calls of one thing took. Each call is waited for.
struct Measured {
  double first_call_seconds = 0;
  Spread seconds;               ///< of the calls after the first
  std::int64_t peak_bytes = 0;  ///< the most of any call, above what was in use before it
};

/// Calls once to warm up, then `repeat` times. Paced, so that others can be timed in between: says "ready"
/// and the seconds of the first call on a line of standard output, then answers each line of standard input,
/// which is a number of calls, with the seconds of each; the end of the input ends it. Throws ValueError for
/// another line.
Measured measure(const Device& device, const Timing& timing, const std::function<void()>& call);

}  // namespace tessera::bench
