#include "peaks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <tessera/device.hpp>
#include <tessera/threads.hpp>

#include "host_loops.hpp"

namespace tessera::bench {
namespace {

constexpr int kTries = 5;

double seconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median_seconds(const std::function<void()>& call) {
  call();
  std::vector<double> seconds;
  seconds.reserve(kTries);
  for (int i = 0; i < kTries; ++i) seconds.push_back(seconds_of(call));
  return spread(std::move(seconds)).median;
}

void on_threads(int threads, const std::function<void(int)>& part) {
  std::vector<std::jthread> others;
  others.reserve(static_cast<std::size_t>(threads - 1));
  for (int i = 1; i < threads; ++i) others.emplace_back(part, i);
  part(0);
}

struct Free {
  void operator()(float* data) const { std::free(data); }
};
using Buffer = std::unique_ptr<float[], Free>;

// Huge pages where there are any, as a device's own memory has; written once, so that it is there.
Buffer buffer(std::int64_t elements) {
  constexpr std::size_t kHugePage = 2 << 20;
  const auto count = static_cast<std::size_t>(elements);
  const std::size_t bytes = (count * sizeof(float) + kHugePage - 1) / kHugePage * kHugePage;
  Buffer data(static_cast<float*>(std::aligned_alloc(kHugePage, bytes)));
  if (!data) throw OutOfMemoryError(fmt::format("[bench] no {} bytes to measure the machine with", bytes));
  madvise(data.get(), bytes, MADV_HUGEPAGE);
  std::fill_n(data.get(), count, 1.0F);
  return data;
}

// Small arrays are gone through often enough that starting threads does not count.
Peaks host_peaks(std::int64_t elements) {
  constexpr std::int64_t kLeastElements = 100'000'000;
  const std::int64_t passes = std::max<std::int64_t>(1, kLeastElements / elements);
  const int threads = num_threads();
  const Buffer source = buffer(elements);
  const Buffer target = buffer(elements);
  std::vector<float> sums(static_cast<std::size_t>(threads));
  const auto parts = [&](const std::function<void(int, std::size_t, std::size_t)>& part) {
    on_threads(threads, [&](int thread) {
      const auto first = static_cast<std::size_t>(elements * thread / threads);
      const auto last = static_cast<std::size_t>(elements * (thread + 1) / threads);
      for (std::int64_t i = 0; i < passes; ++i) part(thread, first, last - first);
    });
  };
  const auto copy = [&](int /*thread*/, std::size_t first, std::size_t count) {
    std::memcpy(target.get() + first, source.get() + first, count * sizeof(float));
  };
  const auto read = [&](int thread, std::size_t first, std::size_t count) {
    sums[static_cast<std::size_t>(thread)] += read_all(source.get() + first, count);
  };
  const double bytes = 4.0 * static_cast<double>(elements) * static_cast<double>(passes);
  return {.copy = 2 * bytes / median_seconds([&] { parts(copy); }),
          .read = bytes / median_seconds([&] { parts(read); }),
          .flops = multiply_add_rate(threads)};
}

Peaks device_peaks(const Device& device, std::int64_t elements) {
  const Array x = ones({elements}, {.device = device});
  const auto side =
      static_cast<std::int64_t>(std::clamp(std::sqrt(static_cast<double>(elements)), 32.0, 4096.0));
  const Array square = ones({side, side}, {.device = device});
  const auto wait = [&](const std::function<Array()>& call) {
    return median_seconds([&] {
      call();
      device.synchronize();
    });
  };
  const double bytes = 4.0 * static_cast<double>(elements);
  const double extent = static_cast<double>(side);
  return {.copy = 2 * bytes / wait([&] { return copy(x); }),
          .read = bytes / wait([&] { return sum(x); }),
          .flops = 2 * extent * extent * extent / wait([&] { return matmul(square, square); })};
}

}  // namespace

double multiply_add_rate(int threads) {
  constexpr std::size_t kRounds = 2'000'000;
  std::vector<float> sink(static_cast<std::size_t>(threads) * 16);
  std::vector<double> made(static_cast<std::size_t>(threads));
  const double seconds = median_seconds([&] {
    on_threads(threads, [&](int thread) {
      const auto i = static_cast<std::size_t>(thread);
      made[i] = multiply_add(kRounds, sink[16 * i]);
    });
  });
  double flops = 0;
  for (const double of_thread : made) flops += of_thread;
  return flops / seconds;
}

Peaks measure_peaks(const Device& device, std::int64_t elements) {
  return device.properties().host_memory ? host_peaks(elements) : device_peaks(device, elements);
}

}  // namespace tessera::bench
