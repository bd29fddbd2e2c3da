// argmin and argmax: the lowest index wins ties, the first NaN wins everything.

#include <cmath>
#include <limits>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {

namespace {

class ArgumentTest : public DeviceTest {
 protected:
  template <class T>
  Array vector(const std::vector<T>& values) {
    return from_host(values, {static_cast<std::int64_t>(values.size())}, {.device = device()});
  }
  /// Over the last axis, over the first of a stack of three, and over all.
  template <class T>
  void expect_arguments(const std::vector<T>& values, std::int64_t lowest, std::int64_t highest) {
    const Array x = vector(values);
    EXPECT_EQ(argmin(x).item<std::int64_t>(), lowest) << values.size();
    EXPECT_EQ(argmax(x).item<std::int64_t>(), highest) << values.size();
    const Array columns = stack({x, x, x}, {.axis = 1});
    EXPECT_TRUE(equal(argmin(columns, {.axis = 0}), std::vector<std::int64_t>(3, lowest), {3}))
        << values.size();
    EXPECT_TRUE(equal(argmax(columns, {.axis = 0}), std::vector<std::int64_t>(3, highest), {3}))
        << values.size();
  }
};

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST_P(ArgumentTest, LowestIndexWinsTiesAtEveryLength) {
  for (std::size_t length = 1; length <= 1000; length += length < 140 ? 1 : 43) {
    std::vector<float> values(length, 1.0F);
    expect_arguments(values, 0, 0);
    const std::size_t first = length / 3;
    values[first] = -2;
    values[length - 1] = -2;
    expect_arguments(values, static_cast<std::int64_t>(first), 0);
  }
}

TEST_P(ArgumentTest, OfTwoMaximaTheFirst) {
  std::vector<double> values(512, 0.25);
  values[5] = 7;
  values[256] = 7;
  expect_arguments(values, 0, 5);
}

TEST_P(ArgumentTest, TiesAcrossThreadsAndTiles) {
  std::vector<float> values(1U << 20U, 3.0F);
  for (const std::size_t at : {std::size_t{700001}, std::size_t{700002}, std::size_t{1048575}})
    values[at] = -1;
  const Array x = vector(values);
  EXPECT_EQ(argmin(x).item<std::int64_t>(), 700001);
  EXPECT_EQ(argmax(x).item<std::int64_t>(), 0);
}

TEST_P(ArgumentTest, ZerosOfBothSignsTie) {
  expect_arguments(std::vector<float>{0.0F, -0.0F, 0.0F}, 0, 0);
  expect_arguments(std::vector<double>{1.0, -0.0, 0.0, 1.0}, 1, 0);
  expect_arguments(std::vector<double>{-1.0, -0.0, 0.0, -1.0}, 0, 1);
  std::vector<float> zeros(100, 0.0F);
  for (std::size_t i = 0; i < zeros.size(); i += 3) zeros[i] = -0.0F;
  expect_arguments(zeros, 0, 0);
}

TEST_P(ArgumentTest, FirstNaNWins) {
  for (const std::size_t length : {6U, 17U, 64U, 1000U, 5000U}) {
    std::vector<float> values(length);
    for (std::size_t i = 0; i < length; ++i) values[i] = static_cast<float>(i % 7) - 3;
    values[5] = kNaN;
    expect_arguments(values, 5, 5);
    values[length - 1] = kNaN;
    expect_arguments(values, 5, 5);
    EXPECT_TRUE(std::isnan(min(vector(values)).item<double>()));
    EXPECT_TRUE(std::isnan(max(vector(values)).item<double>()));
    values[2] = -kInf;
    values[3] = kInf;
    expect_arguments(values, 5, 5);
  }
}

TEST_P(ArgumentTest, RowsOfInfinitiesGiveZero) {
  for (const std::size_t length : {1U, 5U, 16U, 33U, 1000U}) {
    expect_arguments(std::vector<float>(length, kInf), 0, 0);
    expect_arguments(std::vector<double>(length, -std::numeric_limits<double>::infinity()), 0, 0);
  }
}

TEST_P(ArgumentTest, RowsOfAMatrix) {
  const Array x = asarray<std::int32_t>({{1, 5}, {2, 10}, {3, 3}}, {.device = device()});
  EXPECT_TRUE(equal(argmax(x, {.axis = 1}), std::vector<std::int64_t>{1, 1, 0}, {3}));
  EXPECT_EQ(argmax(x).item<std::int64_t>(), 3);
  EXPECT_EQ(argmax(x).dtype(), int64);
}

TEST_P(ArgumentTest, OneColumnGivesZero) {
  for (const std::int64_t rows : {1, 2, 3, 7, 8, 15, 16, 17, 33, 64, 100, 1000, 70001}) {
    const Array x = random::uniform(random::Key(1), {rows, 1}, {.low = -1, .device = device()});
    EXPECT_TRUE(
        equal(argmin(x, {.axis = 1}), std::vector<std::int64_t>(static_cast<std::size_t>(rows), 0), {rows}));
  }
}

TEST_P(ArgumentTest, StaysInsideForAllNegativeAndAllPositiveScores) {
  for (const std::int64_t k : {1, 2, 3, 7, 100, 127, 129, 1000}) {
    for (const double sign : {-1.0, 1.0}) {
      const Array x =
          sign * random::uniform(random::Key(2), {37, k}, {.low = 0.5, .high = 2, .device = device()});
      for (const std::int64_t i : argmin(x, {.axis = 1}).to_host<std::int64_t>()) {
        EXPECT_GE(i, 0);
        EXPECT_LT(i, k);
      }
    }
  }
}

TESSERA_FOR_EACH_DEVICE(ArgumentTest);

}  // namespace

}  // namespace tessera::test
