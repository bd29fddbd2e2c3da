// take and the scatters: negative indices, duplicates, wider targets.

#include <cmath>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {

namespace {

class IndexingTest : public DeviceTest {
 protected:
  Array indices(std::initializer_list<std::int64_t> values) { return asarray(values, {.device = device()}); }
  Array numbers(std::initializer_list<float> values) { return asarray(values, {.device = device()}); }
};

TEST_P(IndexingTest, NegativeIndicesCountFromTheEnd) {
  const Array x = arange(5, {.dtype = float32, .device = device()});
  EXPECT_TRUE(equal(take(x, indices({-1, 0, -5, 4})), std::vector<float>{4, 0, 0, 4}, {4}));
  EXPECT_TRUE(equal(take_along_axis(x, indices({-2, 1})), std::vector<float>{3, 1}, {2}));
  EXPECT_TRUE(
      equal(scatter_set(x, indices({-1, -4}), numbers({9, 8})), std::vector<float>{0, 8, 2, 3, 9}, {5}));
  EXPECT_TRUE(
      equal(scatter_add(x, indices({-1, 4}), numbers({1, 1})), std::vector<float>{0, 1, 2, 3, 6}, {5}));
}

TEST_P(IndexingTest, OfDuplicatesTheHighestPositionIsSet) {
  const Array x = zeros({3, 2}, {.device = device()});
  const Array rows = arange(8, {.dtype = float32, .device = device()});
  EXPECT_TRUE(equal(scatter_set(x, indices({1, 0, 1, -2}), reshape(rows, {4, 2})),
                    std::vector<float>{2, 3, 6, 7, 0, 0}, {3, 2}));
  const std::int64_t many = 100003;
  const Array same = full({many}, 2, {.dtype = int64, .device = device()});
  const Array result =
      scatter_set(zeros({5}, {.dtype = int64, .device = device()}), same, arange(many, {.device = device()}));
  EXPECT_TRUE(equal(result, std::vector<std::int64_t>{0, 0, many - 1, 0, 0}, {5}));
}

TEST_P(IndexingTest, DuplicatesAccumulateAndKeepExtremes) {
  const Array x = numbers({10, 20});
  const Array at = indices({0, 0, 1, 0});
  EXPECT_TRUE(equal(scatter_add(x, at, numbers({1, 2, 3, 4})), std::vector<float>{17, 23}, {2}));
  EXPECT_TRUE(equal(scatter_min(x, at, numbers({11, 2, 30, 4})), std::vector<float>{2, 20}, {2}));
  EXPECT_TRUE(equal(scatter_max(x, at, numbers({11, 2, 30, 4})), std::vector<float>{11, 30}, {2}));
  const float nan = std::nanf("");
  EXPECT_TRUE(equal(scatter_min(x, at, numbers({nan, 2, 30, 4})), std::vector<float>{nan, 20}, {2}));
}

TEST_P(IndexingTest, AMillionUpdatesOfOneElementRoundOnce) {
  const std::int64_t count = 1000000;
  const Array same = full({count}, 1, {.dtype = int64, .device = device()});
  const Array updates = full({count}, 0.1, {.dtype = float32, .device = device()});
  const auto expected = static_cast<float>(static_cast<double>(count) * static_cast<double>(0.1F));
  const auto run = [&] { return scatter_add(zeros({3}, {.device = device()}), same, updates); };
  const Array first = run();
  EXPECT_TRUE(equal(first, std::vector<float>{0, expected, 0}, {3}));
  EXPECT_TRUE(same_bits(run(), first));
  // Rows instead of elements take another path.
  const std::int64_t rows = count / 10;
  const Array wide = full({rows, 10}, 0.1, {.dtype = float32, .device = device()});
  const auto row_sum = static_cast<float>(static_cast<double>(rows) * static_cast<double>(0.1F));
  std::vector<float> table(30, 0.0F);
  for (std::size_t i = 10; i < 20; ++i) table[i] = row_sum;
  EXPECT_TRUE(equal(scatter_add(zeros({3, 10}, {.device = device()}), index(same, {slice(0, rows)}), wide),
                    table, {3, 10}));
}

TEST_P(IndexingTest, AddsFloat32IntoFloat64) {
  const Array target = zeros({2, 2}, {.dtype = float64, .device = device()});
  const Array updates = full({1000, 2}, 0.1, {.dtype = float32, .device = device()});
  const Array at = astype(remainder(arange(1000, {.device = device()}), 2), int64);
  const double expected = 500 * static_cast<double>(0.1F);
  EXPECT_TRUE(
      close(scatter_add(target, at, updates), HostArray(std::vector<double>(4, expected), {2, 2}), {1e-13}));
}

TEST_P(IndexingTest, TheTargetItselfDoesNotChangeWhileOthersHoldIt) {
  const Array x = numbers({1, 2, 3});
  const Array y = scatter_add(x, indices({0}), numbers({10}));
  EXPECT_TRUE(equal(x, std::vector<float>{1, 2, 3}, {3}));
  EXPECT_TRUE(equal(y, std::vector<float>{11, 2, 3}, {3}));
}

TESSERA_FOR_EACH_DEVICE(IndexingTest);

}  // namespace

}  // namespace tessera::test
