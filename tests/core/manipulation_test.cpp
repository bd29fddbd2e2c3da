#include <vector>

#include <gtest/gtest.h>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

class ManipulationTest : public DeviceTest {
 protected:
  template <class T>
  Array array(const std::vector<T>& values, const Shape& shape) const {
    return from_host(values, shape, {.device = device()});
  }
};

TEST_P(ManipulationTest, ConcatJoinsAlongAnAxis) {
  const Array a = array<int>({1, 2, 3, 4}, {2, 2});
  const Array b = array<int>({5, 6}, {1, 2});
  EXPECT_TRUE(equal(concat({a, b}), std::vector<int>{1, 2, 3, 4, 5, 6}, {3, 2}));
  EXPECT_TRUE(equal(concat({a, matrix_transpose(a)}, {.axis = -1}), std::vector<int>{1, 2, 1, 3, 3, 4, 2, 4},
                    {2, 4}));
  EXPECT_TRUE(equal(concat({matrix_transpose(a), b}, {.axis = {}}), std::vector<int>{1, 3, 2, 4, 5, 6}, {6}));
  EXPECT_TRUE(equal(concat({a}), std::vector<int>{1, 2, 3, 4}, {2, 2}));
}

TEST_P(ManipulationTest, ConcatPromotes) {
  const Array small = array<std::uint8_t>({200}, {1});
  const Array wide = array<std::int32_t>({-1}, {1});
  EXPECT_TRUE(equal(concat({small, wide}), std::vector<std::int32_t>{200, -1}, {2}));
  EXPECT_TRUE(equal(concat({array<float>({0.5F}, {1}), array<double>({0.1}, {1})}),
                    std::vector<double>{0.5, 0.1}, {2}));
  EXPECT_THROW(concat({small, array<float>({0.5F}, {1})}), DTypeError);
}

TEST_P(ManipulationTest, ConcatTakesEmptyPieces) {
  const Array none = zeros({0, 2}, {.dtype = DType::int32, .device = device()});
  const Array some = array<int>({1, 2}, {1, 2});
  EXPECT_TRUE(equal(concat({none, some, none}), std::vector<int>{1, 2}, {1, 2}));
  EXPECT_EQ(concat({none, none}).shape(), Shape({0, 2}));
}

TEST_P(ManipulationTest, ConcatRefusesWhatDoesNotFit) {
  const Array a = array<int>({1, 2, 3, 4}, {2, 2});
  EXPECT_THROW(concat(std::span<const Array>{}), ValueError);
  EXPECT_THROW(concat({a, array<int>({1}, {1})}), ShapeError);
  EXPECT_THROW(concat({a, array<int>({1, 2, 3}, {1, 3})}), ShapeError);
  EXPECT_THROW(concat({a, a}, {.axis = 2}), IndexError);
  EXPECT_THROW(concat({array<int>({1}, {}), array<int>({2}, {})}), ShapeError);
  EXPECT_THROW(concat({a, Array()}), ValueError);
}

TEST_P(ManipulationTest, StackMakesANewAxis) {
  const Array a = array<int>({1, 2}, {2});
  const Array b = array<int>({3, 4}, {2});
  EXPECT_TRUE(equal(stack({a, b}), std::vector<int>{1, 2, 3, 4}, {2, 2}));
  EXPECT_TRUE(equal(stack({a, b}, {.axis = 1}), std::vector<int>{1, 3, 2, 4}, {2, 2}));
  EXPECT_TRUE(equal(stack({a, b}, {.axis = -1}), std::vector<int>{1, 3, 2, 4}, {2, 2}));
  EXPECT_TRUE(equal(stack({array<int>({7}, {}), array<int>({8}, {})}), std::vector<int>{7, 8}, {2}));
  EXPECT_THROW(stack({a, array<int>({1}, {1})}), ShapeError);
  EXPECT_THROW(stack({a, b}, {.axis = 2}), IndexError);
  EXPECT_THROW(stack(std::span<const Array>{}), ValueError);
}

TEST_P(ManipulationTest, ReshapeFindsTheOpenExtent) {
  const Array x = zeros({2, 6}, {.device = device()});
  EXPECT_EQ(reshape(x, {-1}).shape(), Shape({12}));
  EXPECT_EQ(reshape(x, {3, -1, 2}).shape(), Shape({3, 2, 2}));
  EXPECT_EQ(reshape(x, {-1, 12}).shape(), Shape({1, 12}));
  EXPECT_EQ(reshape(index(x, {0, 0}), {-1}).shape(), Shape({1}));
  EXPECT_EQ(reshape(zeros({0, 3}, {.device = device()}), {-1}).shape(), Shape({0}));
  EXPECT_EQ(reshape(zeros({0, 3}, {.device = device()}), {-1, 5}).shape(), Shape({0, 5}));
}

TEST_P(ManipulationTest, ReshapeRefusesOtherCounts) {
  const Array x = zeros({2, 6}, {.device = device()});
  EXPECT_THROW(reshape(x, {5}), ShapeError);
  EXPECT_THROW(reshape(x, {5, -1}), ShapeError);
  EXPECT_THROW(reshape(x, {-1, -1}), ShapeError);
  EXPECT_THROW(reshape(x, {-2, 6}), ShapeError);
  EXPECT_THROW(reshape(x, {0, -1}), ShapeError);
  EXPECT_THROW(reshape(x, {std::int64_t{1} << 40, std::int64_t{1} << 40}), ShapeError);
}

TEST_P(ManipulationTest, AxesAreChecked) {
  const Array x = zeros({2, 1, 3}, {.device = device()});
  EXPECT_EQ(squeeze(x, 1).shape(), Shape({2, 3}));
  EXPECT_EQ(squeeze(x, {}).shape(), Shape({2, 3}));
  EXPECT_EQ(squeeze(zeros({1, 2, 1}, {.device = device()}), {0, -1}).shape(), Shape({2}));
  EXPECT_THROW(squeeze(x, 0), ShapeError);
  EXPECT_THROW(squeeze(x, 3), IndexError);
  EXPECT_THROW(squeeze(x, {1, -2}), ValueError);
  EXPECT_EQ(expand_dims(x, 3).shape(), Shape({2, 1, 3, 1}));
  EXPECT_EQ(expand_dims(x, -4).shape(), Shape({1, 2, 1, 3}));
  EXPECT_THROW(expand_dims(x, 4), IndexError);
  EXPECT_THROW(expand_dims(x, -5), IndexError);
  EXPECT_THROW(flip(x, 3), IndexError);
  EXPECT_THROW(permute_dims(x, {0, 1}), ShapeError);
  EXPECT_THROW(permute_dims(x, {0, 1, 1}), ShapeError);
  EXPECT_THROW(broadcast_to(x, {2, 3, 4}), ShapeError);
  EXPECT_THROW(broadcast_to(x, {3}), ShapeError);
  EXPECT_THROW(broadcast_to(x, {2, -1, 3}), ShapeError);
}

TESSERA_FOR_EACH_DEVICE(ManipulationTest);

}  // namespace
}  // namespace tessera::test
