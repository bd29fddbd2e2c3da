// Reductions of nothing, and arrays without elements everywhere.

#include <cmath>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {

namespace {

class EmptyTest : public DeviceTest {
 protected:
  Array nothing(DType dtype = float32) { return zeros({0, 3}, {.dtype = dtype, .device = device()}); }
};

TEST_P(EmptyTest, SumsProductsAndMeans) {
  EXPECT_TRUE(equal(sum(nothing(), {.axis = 0}), std::vector<float>{0, 0, 0}, {3}));
  EXPECT_TRUE(equal(prod(nothing(), {.axis = 0}), std::vector<float>{1, 1, 1}, {3}));
  EXPECT_EQ(sum(nothing(int32)).item<std::int64_t>(), 0);
  EXPECT_EQ(prod(nothing(uint8)).item<std::int64_t>(), 1);
  EXPECT_TRUE(std::isnan(mean(nothing()).item<double>()));
  EXPECT_TRUE(std::isnan(var(nothing(float64)).item<double>()));
  for (const float value : mean(nothing(), {.axis = 0}).to_host<float>()) EXPECT_TRUE(std::isnan(value));
  EXPECT_EQ(any(nothing(bool_)).item<bool>(), false);
  EXPECT_EQ(all(nothing(bool_)).item<bool>(), true);
}

TEST_P(EmptyTest, ExtremesOfNothingAreErrors) {
  for (const auto& reduce :
       {+[](const Array& x) { return min(x, {.axis = 0}); },
        +[](const Array& x) { return max(x, {.axis = 0}); },
        +[](const Array& x) { return argmin(x, {.axis = 0}); },
        +[](const Array& x) { return argmax(x, {.axis = 0}); }, +[](const Array& x) { return min(x); },
        +[](const Array& x) { return argmax(x); }}) {
    EXPECT_THROW(reduce(nothing()), ValueError);
  }
  EXPECT_EQ(min(nothing(), {.axis = 1}).shape(), Shape({0}));
  EXPECT_EQ(argmax(nothing(), {.axis = 1}).shape(), Shape({0}));
}

TEST_P(EmptyTest, ElementsViewsAndSorts) {
  EXPECT_EQ((nothing() + 1).shape(), Shape({0, 3}));
  EXPECT_EQ((nothing() * zeros({3}, {.device = device()})).shape(), Shape({0, 3}));
  EXPECT_EQ(sort(nothing(), {.axis = 0}).shape(), Shape({0, 3}));
  EXPECT_EQ(cumulative_sum(nothing(), {.axis = 0}).shape(), Shape({0, 3}));
  EXPECT_EQ(concat({nothing(), ones({2, 3}, {.device = device()})}).shape(), Shape({2, 3}));
  EXPECT_EQ(reshape(nothing(), {3, 0}).shape(), Shape({3, 0}));
  EXPECT_EQ(nonzero(nothing())[1].shape(), Shape({0}));
  EXPECT_TRUE(nothing().to_host<float>().empty());
}

TEST_P(EmptyTest, TakesAndScatters) {
  const Array no_indices = zeros({0}, {.dtype = int64, .device = device()});
  const Array x = ones({4, 3}, {.device = device()});
  EXPECT_EQ(take(x, no_indices, {.axis = 0}).shape(), Shape({0, 3}));
  EXPECT_EQ(take(nothing(), no_indices, {.axis = 0}).shape(), Shape({0, 3}));
  EXPECT_TRUE(equal(scatter_add(x, no_indices, nothing()), std::vector<float>(12, 1.0F), {4, 3}));
}

TEST_P(EmptyTest, OtherExtentsOfAnySize) {
  const std::int64_t large = std::int64_t{1} << 40U;
  const Array x = zeros({0, large, large}, {.device = device()});
  const Array turned = permute_dims(x, {2, 0, 1});
  for (const Array& y : {sum(x, {.axis = {1, 2}}), sum(turned, {.axis = {0, 2}}), mean(x, {.axis = {1, 2}}),
                         max(x, {.axis = {1, 2}})}) {
    EXPECT_EQ(y.shape(), Shape({0}));
  }
  EXPECT_EQ(sum(x).item<double>(), 0);
  EXPECT_EQ(sort(x, {.axis = 0}).shape(), x.shape());
  EXPECT_THROW(sum(x, {.axis = 0}), ShapeError);
}

TEST_P(EmptyTest, RandomNumbers) {
  EXPECT_EQ(random::uniform(random::Key(1), {0, 2}, {.device = device()}).shape(), Shape({0, 2}));
  EXPECT_EQ(random::permutation(random::Key(1), 0, {.device = device()}).shape(), Shape({0}));
}

TESSERA_FOR_EACH_DEVICE(EmptyTest);

}  // namespace

}  // namespace tessera::test
