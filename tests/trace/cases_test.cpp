// Small inputs that broke other libraries, with the right answers: eager and compiled.

#include <limits>
#include <vector>

#include <tessera/tessera.hpp>

#include "support/arrays.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

class CasesTest : public test::DeviceTest {
 protected:
  template <class T>
  Array array(const std::vector<T>& values, const Shape& shape) const {
    return test::upload(test::HostArray(values, shape), device());
  }
  Array row(const std::vector<float>& values) const {
    return array(values, {static_cast<std::int64_t>(values.size())});
  }
  /// What f gives eager is what it gives compiled, and right.
  template <class T, class F, class... Args>
  static void expect(const std::vector<T>& right, const Shape& shape, const F& f, const Args&... args) {
    EXPECT_TRUE(test::equal(f(args...), right, shape));
    EXPECT_TRUE(test::equal(compile(f)(args...), right, shape)) << "compiled";
  }
  template <class Error, class F, class... Args>
  static void expect_error(const F& f, const Args&... args) {
    EXPECT_THROW(f(args...), Error);
    EXPECT_THROW(compile(f)(args...), Error) << "compiled";
  }
};

// Element-wise work before a reduction makes it a part of a program.
Array lowest(const Array& x) {
  return argmin(x * 2, {.axis = -1});
}
Array highest(const Array& x) {
  return argmax(x * 2, {.axis = -1});
}
Array least(const Array& x) {
  return min(x + 0, {.axis = -1});
}

TEST_P(CasesTest, MeansOfManyOnes) {
  // More than float32 can count.
  const std::int64_t n = device().name() == "cpu" ? 20000000 : 200000;
  const Array ones_here = ones({n, 2}, {.dtype = float32, .device = device()});
  expect<float>(
      {1, 1}, {2}, [](const Array& x) { return mean(x, {.axis = 0}); }, ones_here);
  expect<float>(
      {2}, {}, [](const Array& x) { return mean(x * 2); }, ones_here);
}

TEST_P(CasesTest, TiesGoToTheLowestIndex) {
  for (const std::int64_t n : {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 127, 255, 256, 1000}) {
    expect<std::int64_t>({0}, {}, lowest, zeros({n}, {.dtype = float32, .device = device()}));
    expect<std::int64_t>({0}, {}, highest, zeros({n}, {.dtype = float32, .device = device()}));
  }
  std::vector<float> values(512, 1);
  values[5] = values[256] = 9;
  expect<std::int64_t>({5}, {}, highest, row(values));
  values[5] = values[256] = -9;
  expect<std::int64_t>({5}, {}, lowest, row(values));
  expect<std::int64_t>({0}, {}, lowest, row({0.0F, -0.0F}));
  expect<std::int64_t>({0}, {}, highest, row({-0.0F, 0.0F}));
  expect<std::int64_t>({1, 1, 0}, {3}, highest, array<float>({1, 5, 2, 10, 3, 3}, {3, 2}));
  for (const std::int64_t n : {1, 2, 33, 1000}) {
    expect(std::vector<std::int64_t>(static_cast<std::size_t>(n), 0), {n}, lowest,
           ones({n, 1}, {.dtype = float32, .device = device()}));
  }
}

TEST_P(CasesTest, NaNsAndInfinities) {
  std::vector<float> values(40, 1);
  values[5] = kNaN;
  values[21] = kNaN;
  expect<std::int64_t>({5}, {}, lowest, row(values));
  expect<std::int64_t>({5}, {}, highest, row(values));
  expect<float>({kNaN}, {}, least, row(values));
  for (const float all : {kInf, -kInf}) {
    expect<std::int64_t>({0, 0}, {2}, lowest, array(std::vector<float>(80, all), {2, 40}));
    expect<std::int64_t>({0, 0}, {2}, highest, array(std::vector<float>(80, all), {2, 40}));
  }
}

TEST_P(CasesTest, ViewsGiveWhatTheirCopiesGive) {
  const Array x = test::upload(test::make_values(float32, {40, 70}, test::Values::plain), device());
  const auto f = [](const Array& a) { return sum(a * a - a, {.axis = 1}) + min(a, {.axis = 1}); };
  const auto compiled = compile(f);
  for (const Array& view :
       {matrix_transpose(x), index(x, {slice({}, {}, 3), slice({}, {}, 2)}),
        index(x, {slice({}, {}, -1), slice({}, {}, -2)}), index(x, {slice(3, 9), slice(5, 41)}),
        broadcast_to(index(x, {7}), {5, 70}), broadcast_to(expand_dims(index(x, {7}), 1), {70, 9})}) {
    const Array right = f(copy(view));
    EXPECT_TRUE(test::same_bits(f(view), right));
    EXPECT_TRUE(test::same_bits(compiled(view), right)) << "compiled";
  }
}

TEST_P(CasesTest, IndicesOutOfBounds) {
  const auto wait_for = [this](auto&& function, const Array& at) {
    function(row({1, 2, 3}), at);
    device().synchronize();
  };
  const auto plain = [](const Array& x, const Array& at) { return take(x, at, {.axis = 0}) + 1; };
  for (const std::int64_t at : {3, -4}) {
    const Array indices = array<std::int64_t>({0, at}, {2});
    EXPECT_THROW(wait_for(plain, indices), IndexError) << at;
    EXPECT_THROW(wait_for(compile(plain), indices), IndexError) << at << ", compiled";
  }
}

TEST_P(CasesTest, NothingToReduce) {
  const Array none = zeros({0, 3}, {.dtype = float32, .device = device()});
  expect_error<ValueError>([](const Array& x) { return min(x + 1, {.axis = 0}); }, none);
  expect<float>({}, {0}, least, none);
  expect<float>(
      {0, 0, 0}, {3}, [](const Array& x) { return sum(x + 1, {.axis = 0}); }, none);
  expect<float>(
      {1}, {}, [](const Array& x) { return prod(x + 1); }, none);
  expect<float>(
      {kNaN}, {}, [](const Array& x) { return mean(x + 1); }, none);
}

TEST_P(CasesTest, ProductsOfNothing) {
  const auto f = [](const Array& x, const Array& y) { return matmul(x, y); };
  const auto of = [this](const Shape& shape) { return ones(shape, {.dtype = float32, .device = device()}); };
  // What it is written into held NaN before.
  static_cast<void>(of({2, 4}) * kNaN);
  expect<float>(std::vector<float>(8, 0), {2, 4}, f, of({2, 0}), of({0, 4}));
  static_cast<void>(of({2, 4}) * kNaN);
  expect<float>(std::vector<float>(8, 3), {2, 4}, f, of({2, 3}), of({3, 4}));
  expect<float>({}, {0, 4}, f, of({0, 3}), of({3, 4}));
}

TEST_P(CasesTest, ManyAddedInOnePlace) {
  const std::int64_t n = device().name() == "cpu" ? 1000000 : 50000;
  const Array at = zeros({n}, {.dtype = int64, .device = device()});
  const Array tenths = full({n}, 0.1, {.dtype = float32, .device = device()});
  const auto right = static_cast<float>(static_cast<double>(n) * static_cast<double>(0.1F));
  expect<float>(
      {right, 0}, {2},
      [](const Array& to, const Array& where_to, const Array& x) { return scatter_add(to, where_to, x); },
      zeros({2}, {.dtype = float32, .device = device()}), at, tenths);
}

TESSERA_FOR_EACH_DEVICE(CasesTest);

}  // namespace
}  // namespace tessera
