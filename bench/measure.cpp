#include "measure.hpp"

#include <algorithm>
#include <chrono>

namespace tessera::bench {
namespace {

double seconds_of(const Device& device, const std::function<void()>& call) {
  device.synchronize();
  const auto start = std::chrono::steady_clock::now();
  call();
  device.synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
  return {median, values.front(), values.back()};
}

Measured measure(const Device& device, int repeat, const std::function<void()>& call, bool warm) {
  Measured result;
  if (!warm) {
    const PeakScope peak(device);
    result.first_call_seconds = seconds_of(device, call);
    result.peak_bytes = peak.peak();
  }
  std::vector<double> seconds;
  for (int i = 0; i < std::max(repeat, 1); ++i) {
    const PeakScope peak(device);
    seconds.push_back(seconds_of(device, call));
    result.peak_bytes = std::max(result.peak_bytes, peak.peak());
  }
  result.seconds = spread(std::move(seconds));
  return result;
}

}  // namespace tessera::bench
