#include "measure.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iostream>
#include <string>

#include <fmt/format.h>

namespace tessera::bench {
namespace {

double seconds_of(const Device& device, const std::function<void()>& call) {
  device.synchronize();
  const auto start = std::chrono::steady_clock::now();
  call();
  device.synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int calls_of(const std::string& line) {
  int calls = 0;
  const char* const end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data(), end, calls);
  const bool rest_is_blank = std::all_of(stop, end, [](char c) { return c == ' ' || c == '\r'; });
  if (error != std::errc() || calls < 1 || !rest_is_blank) {
    throw ValueError(
        fmt::format("[bench] --paced read \"{}\"; expected a number of calls, a whole number >= 1", line));
  }
  return calls;
}

// Rounds as another program asks for them.
void serve(double first_call_seconds, const std::function<double()>& timed) {
  std::cout << fmt::format("ready {}", first_call_seconds) << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer;
    for (int calls = calls_of(line); calls > 0; --calls) answer += fmt::format("{} ", timed());
    std::cout << answer << std::endl;
  }
}

}  // namespace

Spread spread(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
  return {median, values.front(), values.back()};
}

Measured measure(const Device& device, const Timing& timing, const std::function<void()>& call) {
  Measured result;
  if (!timing.warm) {
    const PeakScope peak(device);
    result.first_call_seconds = seconds_of(device, call);
    result.peak_bytes = peak.peak();
  }
  std::vector<double> seconds;
  const auto timed = [&] {
    const PeakScope peak(device);
    seconds.push_back(seconds_of(device, call));
    result.peak_bytes = std::max(result.peak_bytes, peak.peak());
    return seconds.back();
  };
  if (timing.paced) {
    serve(result.first_call_seconds, timed);
  } else {
    for (int i = 0; i < std::max(timing.repeat, 1); ++i) timed();
  }
  result.seconds = spread(std::move(seconds));
  return result;
}

}  // namespace tessera::bench
