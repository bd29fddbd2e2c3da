#include <tessera/scalar.hpp>

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace tessera::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class To>
void expect_saturates() {
  using Limits = std::numeric_limits<To>;
  const double below = static_cast<double>(Limits::min());
  const double above = static_cast<double>(Limits::max());
  EXPECT_EQ(saturate_cast<To>(kNan), 0);
  EXPECT_EQ(saturate_cast<To>(kInfinity), Limits::max());
  EXPECT_EQ(saturate_cast<To>(-kInfinity), Limits::min());
  EXPECT_EQ(saturate_cast<To>(2 * above), Limits::max());
  EXPECT_EQ(saturate_cast<To>(below * 2 - 2), Limits::min());
  EXPECT_EQ(saturate_cast<To>(above + 1), Limits::max());
  EXPECT_EQ(saturate_cast<To>(below), Limits::min());
  EXPECT_EQ(saturate_cast<To>(2.99), To{2});
  EXPECT_EQ(saturate_cast<To>(-0.99), To{0});
  if (std::is_signed_v<To>) {
    EXPECT_EQ(saturate_cast<To>(-2.99), static_cast<To>(-2));
  }
}

TEST(ScalarTest, CastsOfFloatsSaturate) {
  expect_saturates<std::int8_t>();
  expect_saturates<std::int16_t>();
  expect_saturates<std::int32_t>();
  expect_saturates<std::int64_t>();
  expect_saturates<std::uint8_t>();
  expect_saturates<std::uint16_t>();
  expect_saturates<std::uint32_t>();
  expect_saturates<std::uint64_t>();
}

TEST(ScalarTest, CastsNearTheEdgeOfInt64AreExact) {
  EXPECT_EQ(saturate_cast<std::int64_t>(0x1p63), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(saturate_cast<std::int64_t>(-0x1p63), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(saturate_cast<std::int64_t>(0x1.fffffffffffffp62), 0x7ffffffffffffc00);
  EXPECT_EQ(saturate_cast<std::uint64_t>(0x1p63), std::uint64_t{1} << 63);
  EXPECT_EQ(saturate_cast<std::int32_t>(2147483647.5F), 2147483647);
}

TEST(ScalarTest, IntegersWrapAndBoolsCount) {
  EXPECT_EQ(convert<std::int8_t>(std::int64_t{300}), 44);
  EXPECT_EQ(convert<std::uint8_t>(std::int32_t{-1}), 255);
  EXPECT_EQ(convert<bool>(kNan), true);
  EXPECT_EQ(convert<bool>(-0.0), false);
  EXPECT_EQ(convert<bool>(0.25), true);
  EXPECT_EQ(convert<double>(true), 1.0);
}

TEST(ScalarTest, HasPythonsTypesAlone) {
  EXPECT_EQ(Scalar(true).default_dtype(), DType::bool_);
  EXPECT_EQ(Scalar(3).default_dtype(), DType::int64);
  EXPECT_EQ(Scalar(3U).default_dtype(), DType::int64);
  EXPECT_EQ(Scalar(std::numeric_limits<std::uint64_t>::max()).default_dtype(), DType::uint64);
  EXPECT_EQ(Scalar(0.5F).default_dtype(), DType::float64);
}

TEST(ScalarTest, KeepsTheWholeRangeOfUint64) {
  constexpr std::uint64_t kHighest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(Scalar(kHighest).to<std::uint64_t>(), kHighest);
  EXPECT_EQ(Scalar(kHighest).to<double>(), 0x1p64);
  EXPECT_EQ(Scalar(kHighest).to_string(), "18446744073709551615");
  EXPECT_EQ(Scalar(-1).to<double>(), -1.0);
}

TEST(ScalarTest, ReadsAsItIsWritten) {
  EXPECT_EQ(Scalar(3).to_string(), "3");
  EXPECT_EQ(Scalar(-3).to_string(), "-3");
  EXPECT_EQ(Scalar(0.5).to_string(), "0.5");
  EXPECT_EQ(Scalar(true).to_string(), "true");
}

}  // namespace
}  // namespace tessera::test
