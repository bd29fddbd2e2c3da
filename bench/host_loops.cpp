#include "host_loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "host_loops.cpp"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle): compiled once a target

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::bench {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLine = 64;
constexpr std::size_t kAhead = 4096;  // a core alone does not ask for memory early enough

float read_floats(const float* x, std::size_t n) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d);
  auto b = hn::Zero(d);
  auto c = hn::Zero(d);
  auto e = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    for (std::size_t at = 0; at < 4 * lanes * sizeof(float); at += kLine) {
      __builtin_prefetch(reinterpret_cast<const char*>(x + i) + kAhead + at);
    }
    a = hn::Add(a, hn::LoadU(d, x + i));
    b = hn::Add(b, hn::LoadU(d, x + i + lanes));
    c = hn::Add(c, hn::LoadU(d, x + i + 2 * lanes));
    e = hn::Add(e, hn::LoadU(d, x + i + 3 * lanes));
  }
  float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
  for (; i < n; ++i) sum += x[i];
  return sum;
}

double multiply_add_rounds(std::size_t rounds, float& sink) {
  const hn::ScalableTag<float> d;
  // Twelve sums: enough to hide a latency of four with two units, and few enough for sixteen registers.
  const auto factor = hn::Set(d, 1.0F - sink);
  auto a0 = hn::Set(d, sink), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0, a8 = a0, a9 = a0,
       a10 = a0, a11 = a0;
  for (std::size_t i = 0; i < rounds; ++i) {
    a0 = hn::MulAdd(a0, factor, factor);
    a1 = hn::MulAdd(a1, factor, factor);
    a2 = hn::MulAdd(a2, factor, factor);
    a3 = hn::MulAdd(a3, factor, factor);
    a4 = hn::MulAdd(a4, factor, factor);
    a5 = hn::MulAdd(a5, factor, factor);
    a6 = hn::MulAdd(a6, factor, factor);
    a7 = hn::MulAdd(a7, factor, factor);
    a8 = hn::MulAdd(a8, factor, factor);
    a9 = hn::MulAdd(a9, factor, factor);
    a10 = hn::MulAdd(a10, factor, factor);
    a11 = hn::MulAdd(a11, factor, factor);
  }
  const auto left = hn::Add(hn::Add(a0, a1), hn::Add(a2, a3));
  const auto middle = hn::Add(hn::Add(a4, a5), hn::Add(a6, a7));
  const auto right = hn::Add(hn::Add(a8, a9), hn::Add(a10, a11));
  sink += hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(left, middle), right)));
  return 24.0 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tessera::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::bench {

HWY_EXPORT(read_floats);
HWY_EXPORT(multiply_add_rounds);

float read_all(const float* x, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(read_floats)(x, n);
}

double multiply_add(std::size_t rounds, float& sink) {
  return HWY_DYNAMIC_DISPATCH(multiply_add_rounds)(rounds, sink);
}

}  // namespace tessera::bench
#endif
