// Arrays with as many dimensions as there may be: kernels see them with others in their place, never with
// more.

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {

namespace {

class RankTest : public DeviceTest {
 protected:
  const Shape shape_ = Shape::filled(kMaxRank, 2);
  static constexpr std::int64_t kSize = std::int64_t{1} << unsigned{kMaxRank};
  /// 0, 1, 2, ... row-major.
  Array counted() { return reshape(arange(kSize, {.device = device()}), shape_); }
  std::vector<std::int64_t> values(const Array& x) { return reshape(x, {-1}).to_host<std::int64_t>(); }
};

TEST_P(RankTest, Reductions) {
  const Array x = counted();
  const Array turned = permute_dims(x, {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  for (const Array& y : {x, turned}) {
    EXPECT_EQ(sum(y).item<std::int64_t>(), kSize * (kSize - 1) / 2);
    EXPECT_EQ(min(y).item<std::int64_t>(), 0);
    EXPECT_EQ(argmax(y).item<std::int64_t>(), kSize - 1);
    EXPECT_FALSE(all(y).item<bool>());
    EXPECT_EQ(mean(astype(y, float64)).item<double>(), static_cast<double>(kSize - 1) / 2);
  }
  EXPECT_EQ(values(sum(x, {.axis = -1}))[1], 2 + 3);
  EXPECT_EQ(values(sum(x, {.axis = 0}))[1], 1 + kSize / 2 + 1);
  EXPECT_EQ(values(sum(x, {.axis = {0, 15}, .keepdims = true}))[0], 0 + 1 + kSize / 2 + kSize / 2 + 1);
}

TEST_P(RankTest, AlongTheLastAxisAndTheFirst) {
  const Array x = counted();
  const Array pair = asarray<std::int64_t>({1, 0}, {.device = device()});
  const Array order = broadcast_to(pair, shape_);
  for (const int axis : {-1, 0}) {
    const Array swapped = flip(x, axis);
    EXPECT_TRUE(equal(sort(swapped, {.axis = axis}), x));
    EXPECT_TRUE(equal(take(x, pair, {.axis = axis}), swapped));
    EXPECT_TRUE(equal(scatter_set(zeros_like(x), pair, x, {.axis = axis}), swapped));
    EXPECT_EQ(values(argmin(swapped, {.axis = axis}))[7], 1);
    EXPECT_EQ(values(cumulative_sum(x, {.axis = axis})).back(), values(sum(x, {.axis = axis})).back());
  }
  EXPECT_TRUE(equal(argsort(flip(x, -1)), order));
  EXPECT_TRUE(equal(take_along_axis(x, order), flip(x, -1)));
}

TEST_P(RankTest, Products) {
  const Array x = astype(counted(), float64);
  EXPECT_TRUE(equal(vecdot(x, x), sum(square(x), {.axis = -1})));
  EXPECT_TRUE(equal(vecdot(x, x, {.axis = 0}), sum(square(x), {.axis = 0})));
  EXPECT_EQ(matmul(x, x).shape(), shape_);
}

TESSERA_FOR_EACH_DEVICE(RankTest);

}  // namespace

}  // namespace tessera::test
