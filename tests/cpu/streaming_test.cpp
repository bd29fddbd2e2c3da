// Results of 64 MiB and more go past the caches: they are those of smaller ones.

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include <tessera/device.hpp>
#include <tessera/device_state.hpp>
#include <tessera/program.hpp>
#include <tessera/tessera.hpp>

namespace tessera::test {
namespace {

constexpr std::int64_t kLarge = (std::int64_t{16} << 20U) + 4099;  // float32: over 64 MiB

Array numbers(std::uint64_t seed, std::int64_t n = kLarge) {
  return random::uniform(random::Key(seed), {n}, {.low = -1, .high = 1, .device = device("cpu")});
}

/// Of x and y whole, and of their halves, which are small enough to stay in the caches.
void expect_halves(const std::function<Array(const Array&, const Array&)>& f, const Array& x,
                   const Array& y) {
  const Array whole = f(x, y);
  const std::int64_t n = x.shape(0);
  for (const Slice& half : {slice(0, n / 2), slice(n / 2, n)}) {
    EXPECT_TRUE(all(index(whole, {half}) == f(index(x, {half}), index(y, {half}))).item<bool>());
  }
}

TEST(StreamingTest, ElementWiseResults) {
  const Array x = numbers(1);
  const Array y = numbers(2);
  expect_halves([](const Array& a, const Array& b) { return a + b; }, x, y);
  expect_halves([](const Array& a, const Array& b) { return where(a < b, a, 2); }, x, y);
  // Not aligned to a cache line.
  const Array odd = index(numbers(3, kLarge + 1), {slice(1, kLarge + 1)});
  expect_halves([](const Array& a, const Array& b) { return a * b; }, odd, y);
}

TEST(StreamingTest, Programs) {
  using Kind = Program::Kind;
  const auto op = [](BinaryOp binary) { return static_cast<std::uint8_t>(binary); };
  Program program;
  program.rows = 1;
  program.columns = kLarge;
  program.steps = {
      {.kind = Kind::load, .dtype = float32, .args = {0}, .value = {}},
      {.kind = Kind::constant, .dtype = float32, .args = {}, .value = 3},
      {.kind = Kind::binary, .op = op(BinaryOp::multiply), .dtype = float32, .args = {0, 0}, .value = {}},
      {.kind = Kind::binary, .op = op(BinaryOp::add), .dtype = float32, .args = {2, 1}, .value = {}},
      {.kind = Kind::binary, .op = op(BinaryOp::minimum), .dtype = float32, .args = {3, 0}, .value = {}}};
  program.outputs = {3, 4};
  const Array x = numbers(4);
  const Array out = empty({2 * kLarge + 1}, {.dtype = float32, .device = x.device()});
  const auto view = [](const Array& array, std::int64_t first) {
    return View{.data = const_cast<float*>(array.host_view<float>().data()) + first,
                .dtype = float32,
                .shape = {1, kLarge},
                .strides = {kLarge, 1}};
  };
  const std::vector<View> outputs = {view(out, 0), view(out, kLarge + 1)};
  x.device().state().device.program(program, std::vector{view(x, 0)}, outputs);
  const Array sums = x * x + 3;
  EXPECT_TRUE(all(index(out, {slice(0, kLarge)}) == sums).item<bool>());
  EXPECT_TRUE(all(index(out, {slice(kLarge + 1, 2 * kLarge + 1)}) == minimum(sums, x)).item<bool>());
  // One chain alone, at any alignment.
  program.steps.resize(4);
  program.outputs = {3};
  const Array alone = empty({kLarge + 1}, {.dtype = float32, .device = x.device()});
  x.device().state().device.program(program, std::vector{view(x, 0)}, std::vector{view(alone, 1)});
  EXPECT_TRUE(all(index(alone, {slice(1, {})}) == sums).item<bool>());
  // Over what it reads.
  x.device().state().device.program(program, std::vector{view(x, 0)}, std::vector{view(x, 0)});
  EXPECT_TRUE(all(x == sums).item<bool>());
}

}  // namespace
}  // namespace tessera::test
