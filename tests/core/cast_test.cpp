// astype: truncate and saturate from floats, wrap between integers, the same on every device.

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

class CastTest : public DeviceTest {
 protected:
  template <class From, class To>
  void expect_cast(const std::vector<From>& values, const std::vector<To>& expected) const {
    const Shape shape{static_cast<std::int64_t>(values.size())};
    const Array x = from_host(values, shape, {.device = device()});
    SCOPED_TRACE(std::string(name(x.dtype())) + " to " + std::string(name(dtype_of<To>())));
    EXPECT_TRUE(equal(astype(x, dtype_of<To>()), expected, shape));
  }
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
template <class T>
constexpr T kMin = std::numeric_limits<T>::min();
template <class T>
constexpr T kMax = std::numeric_limits<T>::max();

TEST_P(CastTest, FloatsToIntegersTruncateAndSaturate) {
  const std::vector<double> values = {kNan, kInfinity, -kInfinity, 2.9, -2.9, -0.5, 1e30, -1e30, 300, -300};
  expect_cast<double, std::int8_t>(values, {0, 127, -128, 2, -2, 0, 127, -128, 127, -128});
  expect_cast<double, std::uint8_t>(values, {0, 255, 0, 2, 0, 0, 255, 0, 255, 0});
  expect_cast<double, std::int32_t>(values, {0, kMax<std::int32_t>, kMin<std::int32_t>, 2, -2, 0,
                                             kMax<std::int32_t>, kMin<std::int32_t>, 300, -300});
  expect_cast<double, std::int64_t>(values, {0, kMax<std::int64_t>, kMin<std::int64_t>, 2, -2, 0,
                                             kMax<std::int64_t>, kMin<std::int64_t>, 300, -300});
  expect_cast<double, std::uint64_t>(values,
                                     {0, kMax<std::uint64_t>, 0, 2, 0, 0, kMax<std::uint64_t>, 0, 300, 0});
  const std::vector<float> singles(values.begin(), values.end());
  expect_cast<float, std::int16_t>(singles, {0, 32767, -32768, 2, -2, 0, 32767, -32768, 300, -300});
  expect_cast<float, std::uint32_t>(singles,
                                    {0, kMax<std::uint32_t>, 0, 2, 0, 0, kMax<std::uint32_t>, 0, 300, 0});
}

TEST_P(CastTest, EdgesOfTheRange) {
  expect_cast<float, std::int32_t>({0x1p31F, 0x1.fffffep30F, -0x1p31F, -0x1.000002p31F},
                                   {kMax<std::int32_t>, 2147483520, kMin<std::int32_t>, kMin<std::int32_t>});
  expect_cast<double, std::uint32_t>({4294967295.0, 4294967295.5, 4294967296.0, -0.9},
                                     {kMax<std::uint32_t>, kMax<std::uint32_t>, kMax<std::uint32_t>, 0});
  expect_cast<double, std::uint64_t>({0x1p63, 0x1.fffffffffffffp63, 0x1p64},
                                     {std::uint64_t{1} << 63, 0xfffffffffffff800, kMax<std::uint64_t>});
}

TEST_P(CastTest, IntegersWrap) {
  expect_cast<std::int32_t, std::int8_t>({127, 128, 256, -129}, {127, -128, 0, 127});
  expect_cast<std::int64_t, std::uint8_t>({-1, 256, 511}, {255, 0, 255});
  expect_cast<std::uint64_t, std::int64_t>({kMax<std::uint64_t>, 5}, {-1, 5});
  expect_cast<std::int8_t, std::uint64_t>({-1, 3}, {kMax<std::uint64_t>, 3});
}

TEST_P(CastTest, WideIntegersRoundToFloats) {
  expect_cast<std::int64_t, float>({16777217, -16777219, kMax<std::int64_t>},
                                   {16777216.0F, -16777220.0F, 0x1p63F});
  expect_cast<std::uint64_t, double>({kMax<std::uint64_t>, 9007199254740993}, {0x1p64, 9007199254740992.0});
  expect_cast<double, float>({1e300, -1e-300, 0.1}, {std::numeric_limits<float>::infinity(), -0.0F, 0.1F});
}

TEST_P(CastTest, BoolIsNotZero) {
  const Array x = from_host(std::vector<double>{0, -0.0, 0.25, kNan, 5}, {5}, {.device = device()});
  EXPECT_EQ(astype(x, DType::bool_).to_host<std::uint8_t>(), (std::vector<std::uint8_t>{0, 0, 1, 1, 1}));
  const Array flags = astype(x, DType::bool_);
  EXPECT_TRUE(equal(astype(flags, DType::float32), std::vector<float>{0, 0, 1, 1, 1}, {5}));
  EXPECT_TRUE(equal(astype(flags, DType::int8), std::vector<std::int8_t>{0, 0, 1, 1, 1}, {5}));
}

TEST_P(CastTest, EveryPairHoldsSmallNumbers) {
  for (const DType from : kAllDTypes) {
    for (const DType to : kAllDTypes) {
      const Array x = astype(arange(2, {.device = device()}), from);
      const Array y = astype(astype(x, to), DType::int64);
      SCOPED_TRACE(std::string(name(from)) + " to " + std::string(name(to)));
      EXPECT_TRUE(equal(y, std::vector<std::int64_t>{0, 1}, {2}));
    }
  }
}

TESSERA_FOR_EACH_DEVICE(CastTest);

}  // namespace
}  // namespace tessera::test
