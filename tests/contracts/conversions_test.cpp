// Casts, and arithmetic at the ends of a type's range, as the definitions say.

#include <cmath>
#include <limits>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {

namespace {

class ConversionTest : public DeviceTest {
 protected:
  template <class T>
  Array vector(const std::vector<T>& values) {
    return from_host(values, {static_cast<std::int64_t>(values.size())}, {.device = device()});
  }
  template <class T>
  void expect(const Array& actual, const std::vector<T>& expected) {
    EXPECT_TRUE(equal(actual, expected, {static_cast<std::int64_t>(expected.size())}));
  }
};

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST_P(ConversionTest, FloatsToIntegersTruncateAndSaturate) {
  const std::vector<float> x = {1.9F,  -1.9F,  127.5F, 128.0F, -128.9F, -129.0F,
                                1e30F, -1e30F, kInf,   -kInf,  kNaN,    -0.5F};
  expect<std::int8_t>(astype(vector(x), int8), {1, -1, 127, 127, -128, -128, 127, -128, 127, -128, 0, 0});
  expect<std::uint8_t>(astype(vector(x), uint8), {1, 0, 127, 128, 0, 0, 255, 0, 255, 0, 0, 0});
  constexpr auto low = std::numeric_limits<std::int64_t>::min();
  constexpr auto high = std::numeric_limits<std::int64_t>::max();
  expect<std::int64_t>(astype(vector(x), int64), {1, -1, 127, 128, -128, -129, high, low, high, low, 0, 0});
  const std::vector<double> wide = {9.3e18, -9.3e18, 1.8446744073709552e19, 9223372036854775808.0,
                                    4294967296.5};
  expect<std::uint64_t>(astype(vector(wide), uint64),
                        {9300000000000000000U, 0, ~std::uint64_t{0}, std::uint64_t{1} << 63U, 4294967296U});
  expect<std::int32_t>(astype(vector(wide), int32),
                       {std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min(),
                        std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::max(),
                        std::numeric_limits<std::int32_t>::max()});
}

TEST_P(ConversionTest, IntegersWrap) {
  const std::vector<std::int32_t> x = {300, -1, 128, -129, 65536};
  expect<std::int8_t>(astype(vector(x), int8), {44, -1, -128, 127, 0});
  expect<std::uint8_t>(astype(vector(x), uint8), {44, 255, 128, 127, 0});
  expect<std::uint64_t>(astype(vector(x), uint64),
                        {300, ~std::uint64_t{0}, 128, ~std::uint64_t{0} - 128, 65536});
}

TEST_P(ConversionTest, ToAndFromBool) {
  const Array truth = astype(vector<float>({0.0F, -0.0F, 0.1F, kNaN, kInf}), bool_);
  expect<std::uint8_t>(astype(truth, uint8), {0, 0, 1, 1, 1});
  expect<float>(astype(truth, float32), {0, 0, 1, 1, 1});
}

TEST_P(ConversionTest, BoolsOfTheHostAreZeroOrOne) {
  const std::vector<std::uint8_t> bytes = {0, 1, 2, 255};
  const Array truth = from_host(bytes.data(), bool_, {4}, device());
  expect<std::uint8_t>(astype(truth, uint8), {0, 1, 1, 1});
  EXPECT_EQ(count_nonzero(truth).item<std::int64_t>(), 3);
}

TEST_P(ConversionTest, RangesAtTheEndsOfADtype) {
  const std::uint64_t top = ~std::uint64_t{0};
  const CreationOptions here = {.device = device()};
  expect<std::uint64_t>(arange(top - 3, top, 1, here), {top - 3, top - 2, top - 1});
  expect<std::uint64_t>(arange(top, top - 4, -2, here), {top, top - 2});
  expect<std::int64_t>(arange(std::uint64_t{1}, std::uint64_t{4}, 2, here), {1, 3});
  expect<std::int8_t>(arange(-128, 129, 255, {.dtype = int8, .device = device()}), {-128, 127});
  constexpr auto low = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(sum(eye(3, 3, low, here)).item<double>(), 0);
  EXPECT_EQ(sum(eye(3, 3, -2, here)).item<double>(), 1);
}

TEST_P(ConversionTest, IntegerArithmeticWraps) {
  const Array x = vector<std::int8_t>({127, -128, 100});
  expect<std::int8_t>(x + 1, {-128, -127, 101});
  expect<std::int8_t>(x * 2, {-2, 0, -56});
  expect<std::int8_t>(-x, {-127, -128, -100});
  expect<std::int8_t>(abs(x), {127, -128, 100});
  expect<std::int8_t>(square(x), {1, 0, 16});
  expect<std::uint16_t>(square(vector<std::uint16_t>({65535, 256})), {1, 0});
}

TEST_P(ConversionTest, DivisionsRoundDown) {
  const Array x = vector<std::int32_t>({7, -7, 7, -7, 5, std::numeric_limits<std::int32_t>::min()});
  const Array y = vector<std::int32_t>({2, 2, -2, -2, 0, -1});
  expect<std::int32_t>(floor_divide(x, y), {3, -4, -4, 3, 0, std::numeric_limits<std::int32_t>::min()});
  expect<std::int32_t>(remainder(x, y), {1, 1, -1, -1, 0, 0});
  const Array a = vector<float>({7, -7, 7, -7, -1, 1, 5.5F});
  const Array b = vector<float>({2, 2, -2, -2, kInf, -kInf, 0.5F});
  expect<float>(floor_divide(a, b), {3, -4, -4, 3, -1, -1, 11});
  expect<float>(remainder(a, b), {1, 1, -1, -1, kInf, -kInf, 0});
}

TEST_P(ConversionTest, RoundsTiesToEven) {
  const Array x = vector<double>({0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999999999999994, 4503599627370497.5});
  expect<double>(round(x), {0, 2, 2, 0, -2, -2, 0, 4503599627370498.0});
}

TEST_P(ConversionTest, NaNPassesThroughMinimumAndMaximum) {
  const Array a = vector<float>({kNaN, 1, kNaN, 3});
  const Array b = vector<float>({1, kNaN, kNaN, 2});
  expect<float>(minimum(a, b), {kNaN, kNaN, kNaN, 2});
  expect<float>(maximum(a, b), {kNaN, kNaN, kNaN, 3});
  expect<float>(clip(a, {.min = 0, .max = 2}), {kNaN, 1, kNaN, 2});
}

TEST_P(ConversionTest, ShiftsPastTheWidth) {
  const Array x = vector<std::int8_t>({1, -1, 64, -128});
  expect<std::int8_t>(bitwise_left_shift(x, 8), {0, 0, 0, 0});
  expect<std::int8_t>(bitwise_left_shift(x, 1), {2, -2, -128, 0});
  expect<std::int8_t>(bitwise_right_shift(x, 7), {0, -1, 0, -1});
  expect<std::int8_t>(bitwise_right_shift(x, 100), {0, -1, 0, -1});
}

TEST_P(ConversionTest, SortsPutNaNLastInBothDirections) {
  const Array x = vector<float>({kNaN, 1, -kInf, kInf, kNaN, 0});
  expect<float>(sort(x), {-kInf, 0, 1, kInf, kNaN, kNaN});
  expect<float>(sort(x, {.descending = true}), {kInf, 1, 0, -kInf, kNaN, kNaN});
  expect<std::int64_t>(argsort(x, {.descending = true}), {3, 1, 5, 2, 0, 4});
}

TEST_P(ConversionTest, SortsAreStableInBothDirections) {
  const Array x = vector<std::int32_t>({2, 1, 2, 1, 2, 1});
  expect<std::int64_t>(argsort(x), {1, 3, 5, 0, 2, 4});
  expect<std::int64_t>(argsort(x, {.descending = true}), {0, 2, 4, 1, 3, 5});
  const Array zeros_of_both_signs = vector<float>({0.0F, -0.0F, 0.0F, -1.0F});
  expect<std::int64_t>(argsort(zeros_of_both_signs), {3, 0, 1, 2});
}

TESSERA_FOR_EACH_DEVICE(ConversionTest);

}  // namespace

}  // namespace tessera::test
