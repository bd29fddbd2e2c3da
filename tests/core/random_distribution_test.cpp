// That the numbers are distributed as they should be. Keys are fixed, so a test passes always or never; the
// bounds are those that one key in many thousands would break.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/tessera.hpp>
#include "support/devices.hpp"

namespace tessera::test {
namespace {

using random::Key;

constexpr std::int64_t kCount = 20000;

std::vector<double> host(const Array& x) {
  return astype(x, DType::float64).to_host<double>();
}

struct Moments {
  double mean = 0;
  double variance = 0;
  double skewness = 0;
  double kurtosis = 0;
};
Moments moments(const std::vector<double>& values) {
  const auto average = [&](auto f) {
    double sum = 0;
    for (const double v : values) sum += f(v);
    return sum / static_cast<double>(values.size());
  };
  Moments m;
  m.mean = average([](double v) { return v; });
  m.variance = average([&](double v) { return (v - m.mean) * (v - m.mean); });
  m.skewness = average([&](double v) { return std::pow(v - m.mean, 3); }) / std::pow(m.variance, 1.5);
  m.kurtosis = average([&](double v) { return std::pow(v - m.mean, 4); }) / (m.variance * m.variance);
  return m;
}

/// Pearson's statistic over its degrees of freedom, as standard deviations from the mean.
double chi_square_sigmas(std::span<const std::int64_t> counts, std::span<const double> probabilities) {
  std::int64_t total = 0;
  for (const std::int64_t count : counts) total += count;
  double statistic = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = probabilities[i] * static_cast<double>(total);
    const double difference = static_cast<double>(counts[i]) - expected;
    statistic += difference * difference / expected;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (statistic - freedom) / std::sqrt(2 * freedom);
}

class RandomDistributionTest : public DeviceTest {};

TEST_P(RandomDistributionTest, UniformFillsItsInterval) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    const auto values = host(random::uniform(Key(1), {kCount}, {.dtype = dtype, .device = device()}));
    std::vector<std::int64_t> counts(100, 0);
    for (const double v : values) {
      ASSERT_GE(v, 0);
      ASSERT_LT(v, 1);
      ++counts[static_cast<std::size_t>(v * 100)];
    }
    EXPECT_LT(std::abs(chi_square_sigmas(counts, std::vector<double>(100, 0.01))), 4);
    // Successive numbers are not related.
    double product = 0;
    for (std::size_t i = 0; i + 1 < values.size(); ++i) product += (values[i] - 0.5) * (values[i + 1] - 0.5);
    EXPECT_LT(std::abs(product * 12 / std::sqrt(static_cast<double>(kCount))), 4);
  }
}

TEST_P(RandomDistributionTest, UniformStaysBelowItsUpperEnd) {
  // In float32 low + u * width rounds up to `high` often here, were it not held below.
  const auto values =
      host(random::uniform(Key(2), {kCount}, {.low = 1e6, .high = 1e6 + 1, .device = device()}));
  EXPECT_GE(*std::min_element(values.begin(), values.end()), 1e6);
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 1e6 + 1);
  const auto narrow =
      host(random::uniform(Key(2), {100}, {.low = 0.3, .high = 0.30000004, .device = device()}));
  EXPECT_GE(*std::min_element(narrow.begin(), narrow.end()), 0.3);
  EXPECT_LT(*std::max_element(narrow.begin(), narrow.end()), 0.30000004);
}

TEST_P(RandomDistributionTest, NormalHasItsMomentsAndTails) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    const auto values = host(random::normal(Key(3), {kCount}, {.dtype = dtype, .device = device()}));
    const Moments m = moments(values);
    const double sigma = 1 / std::sqrt(static_cast<double>(kCount));
    EXPECT_LT(std::abs(m.mean), 4 * sigma);
    EXPECT_LT(std::abs(m.variance - 1), 4 * sigma * std::sqrt(2));
    EXPECT_LT(std::abs(m.skewness), 4 * sigma * std::sqrt(6));
    EXPECT_LT(std::abs(m.kurtosis - 3), 4 * sigma * std::sqrt(24));
    // Twenty bins of equal probability, by the distribution function.
    std::vector<std::int64_t> counts(20, 0);
    for (const double v : values) {
      const double p = 0.5 * std::erfc(-v / std::sqrt(2.0));
      ++counts[std::min<std::size_t>(19, static_cast<std::size_t>(p * 20))];
    }
    EXPECT_LT(std::abs(chi_square_sigmas(counts, std::vector<double>(20, 0.05))), 4);
    // The two of a pair are not related, nor are their sizes.
    double product = 0;
    double sizes = 0;
    for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
      product += values[i] * values[i + 1];
      sizes += (values[i] * values[i] - 1) * (values[i + 1] * values[i + 1] - 1) / 2;
    }
    EXPECT_LT(std::abs(product) / std::sqrt(kCount / 2.0), 4);
    EXPECT_LT(std::abs(sizes) / std::sqrt(kCount / 2.0), 4);
  }
}

TEST_P(RandomDistributionTest, NormalIsScaledAndShifted) {
  const auto plain = host(random::normal(Key(4), {100}, {.dtype = DType::float64, .device = device()}));
  const auto moved = host(random::normal(
      Key(4), {100}, {.mean = -3, .stddev = 0.5, .dtype = DType::float64, .device = device()}));
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_DOUBLE_EQ(moved[i], plain[i] * 0.5 - 3);
}

TEST_P(RandomDistributionTest, NormalComesFromTheRightPartsOfTheCircle) {
  // Box and Muller's transform by the standard library: the series are as good as the dtype allows.
  const Key key(5);
  const auto words =
      random::bits(key, {200}, {.dtype = DType::uint64, .device = device()}).to_host<std::uint64_t>();
  const auto values = host(random::normal(key, {200}, {.dtype = DType::float64, .device = device()}));
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const double radius = std::sqrt(-2 * std::log((static_cast<double>(words[i]) + 0.5) * 0x1p-64));
    const double angle = 2 * M_PI * (static_cast<double>(words[i + 1] >> 11U) * 0x1p-53 - 0.5);
    EXPECT_NEAR(values[i], radius * std::cos(angle), 1e-14);
    EXPECT_NEAR(values[i + 1], radius * std::sin(angle), 1e-14);
  }
  const auto narrow = random::bits(key, {200}, {.device = device()}).to_host<std::uint32_t>();
  const auto singles = host(random::normal(key, {200}, {.device = device()}));
  for (std::size_t i = 0; i < narrow.size(); i += 2) {
    const double radius = std::sqrt(-2 * std::log((static_cast<double>(narrow[i]) + 0.5) * 0x1p-32));
    const double angle = 2 * M_PI * (static_cast<double>(narrow[i + 1] >> 8U) * 0x1p-24 - 0.5);
    EXPECT_NEAR(singles[i], radius * std::cos(angle), 3e-6);
    EXPECT_NEAR(singles[i + 1], radius * std::sin(angle), 3e-6);
  }
}

TEST_P(RandomDistributionTest, RandintIsEven) {
  const auto values = random::randint(Key(6), -3, 4, {kCount}, {.device = device()}).to_host<std::int64_t>();
  std::vector<std::int64_t> counts(7, 0);
  for (const std::int64_t v : values) ++counts[static_cast<std::size_t>(v + 3)];
  EXPECT_LT(std::abs(chi_square_sigmas(counts, std::vector<double>(7, 1.0 / 7))), 4);
}

TEST_P(RandomDistributionTest, EveryPermutationIsAsLikely) {
  std::vector<std::int64_t> counts(6, 0);
  for (const Key& key : random::split(Key(7), 600)) {
    const auto p = random::permutation(key, 3, {.device = device()}).to_host<std::int64_t>();
    ++counts[static_cast<std::size_t>(p[0] * 2 + (p[1] > p[2] ? 1 : 0))];
  }
  EXPECT_LT(std::abs(chi_square_sigmas(counts, std::vector<double>(6, 1.0 / 6))), 4);
}

TEST_P(RandomDistributionTest, WeightedChoiceFollowsItsWeights) {
  const std::vector<double> weights = {0, 1, 0, 3, 0.5, 0, 5.5, 0};
  const Array p = from_host(weights, {8}, {.device = device()});
  std::vector<std::int64_t> counts(8, 0);
  for (const auto i : random::choice(Key(8), 8, {kCount}, {.p = p}).to_host<std::int64_t>()) {
    ++counts[static_cast<std::size_t>(i)];
  }
  for (const std::size_t never : {0, 2, 5, 7}) EXPECT_EQ(counts[never], 0);
  const std::vector<std::int64_t> chosen = {counts[1], counts[3], counts[4], counts[6]};
  EXPECT_LT(std::abs(chi_square_sigmas(chosen, std::vector<double>{0.1, 0.3, 0.05, 0.55})), 4);
}

TEST_P(RandomDistributionTest, ChoiceNeverPicksAWeightOfZero) {
  // Weights far apart: sums that swallow the small ones, and zeros at both ends.
  std::vector<float> weights(1000, 0);
  for (std::size_t i = 1; i < weights.size() - 1; i += 2) weights[i] = i % 3 == 0 ? 1e30F : 1e-30F;
  const Array p = from_host(weights, {1000}, {.device = device()});
  for (const auto i : random::choice(Key(9), 1000, {5000}, {.p = p}).to_host<std::int64_t>()) {
    ASSERT_GT(weights[static_cast<std::size_t>(i)], 0);
  }
  const auto sample = random::choice(Key(9), 1000, {499}, {.replace = false, .p = p}).to_host<std::int64_t>();
  for (const auto i : sample) ASSERT_GT(weights[static_cast<std::size_t>(i)], 0);
  EXPECT_EQ(std::set<std::int64_t>(sample.begin(), sample.end()).size(), 499U) << "without replacement";
}

TEST_P(RandomDistributionTest, WeightedSamplesTakeTheHeavyOnesFirst) {
  const Array p = from_host(std::vector<std::int32_t>{1, 2, 7}, {3}, {.device = device()});
  std::vector<std::int64_t> counts(3, 0);
  for (const Key& key : random::split(Key(10), 600)) {
    ++counts[static_cast<std::size_t>(
        index(random::choice(key, 3, {2}, {.replace = false, .p = p}), {0}).item<std::int64_t>())];
  }
  EXPECT_LT(std::abs(chi_square_sigmas(counts, std::vector<double>{0.1, 0.2, 0.7})), 4);
}

TESSERA_FOR_EACH_DEVICE(RandomDistributionTest);

}  // namespace
}  // namespace tessera::test
