// Gathers and scatters by arrays of indices.

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

class IndexArrayTest : public DeviceTest {
 protected:
  template <class T>
  Array array(const std::vector<T>& values, const Shape& shape) const {
    return from_host(values, shape, {.device = device()});
  }
  template <class T = std::int64_t>
  Array list(const std::vector<T>& values) const {
    return array(values, {static_cast<std::int64_t>(values.size())});
  }
  Array table() const { return array<int>({0, 1, 2, 3, 4, 5}, {3, 2}); }

  /// An asynchronous device says so at the next wait.
  void expect_index_error(const std::function<Array()>& make) const {
    EXPECT_THROW(
        {
          const Array x = make();
          device().synchronize();
        },
        IndexError);
  }
};

TEST_P(IndexArrayTest, TakePicksRowsAndColumns) {
  EXPECT_TRUE(equal(take(table(), list({2, 0, 2}), {.axis = 0}), std::vector<int>{4, 5, 0, 1, 4, 5}, {3, 2}));
  EXPECT_TRUE(equal(take(table(), list({1, -1, 0}), {.axis = 1}), std::vector<int>{1, 1, 0, 3, 3, 2, 5, 5, 4},
                    {3, 3}));
  EXPECT_TRUE(equal(take(list({7, 8, 9}), list({-3, 2})), std::vector<std::int64_t>{7, 9}, {2}));
  EXPECT_EQ(take(table(), list({}), {.axis = 0}).shape(), Shape({0, 2}));
}

TEST_P(IndexArrayTest, TakeReadsAnyIntegerDtypeAndLayout) {
  EXPECT_TRUE(equal(take(list({7, 8, 9}), list<std::int8_t>({-1, 0})), std::vector<std::int64_t>{9, 7}, {2}));
  EXPECT_TRUE(equal(take(list({7, 8, 9}), list<std::uint8_t>({2})), std::vector<std::int64_t>{9}, {1}));
  EXPECT_TRUE(equal(take(list({7, 8, 9}), list<std::uint64_t>({1})), std::vector<std::int64_t>{8}, {1}));
  const Array turned = matrix_transpose(table());
  EXPECT_TRUE(equal(take(turned, flip(list({0, 2})), {.axis = 1}), std::vector<int>{4, 0, 5, 1}, {2, 2}));
  const Array deep = permute_dims(array<int>({0, 1, 2, 3, 4, 5, 6, 7}, {2, 2, 2}), {2, 0, 1});
  EXPECT_TRUE(equal(take(deep, list({1}), {.axis = 1}), std::vector<int>{4, 6, 5, 7}, {2, 1, 2}));
}

TEST_P(IndexArrayTest, TakeOutsideIsAnIndexError) {
  const Array x = table();
  expect_index_error([&] { return take(x, list({3}), {.axis = 0}); });
  expect_index_error([&] { return take(x, list({-4}), {.axis = 0}); });
  expect_index_error([&] { return take(x, list({0, 1, 2}), {.axis = 1}); });
  expect_index_error(
      [&] { return take(x, list<std::uint64_t>({std::numeric_limits<std::uint64_t>::max()}), {.axis = 0}); });
  expect_index_error([&] { return take(x, list({std::numeric_limits<std::int64_t>::min()}), {.axis = 0}); });
  expect_index_error([&] { return take(zeros({0, 2}, {.device = device()}), list({0}), {.axis = 0}); });
  EXPECT_TRUE(equal(take(x, list({0}), {.axis = 0}), std::vector<int>{0, 1}, {1, 2}))
      << "the error is told once";
}

TEST_P(IndexArrayTest, TakeChecksItsArguments) {
  EXPECT_THROW(take(table(), list({0})), ValueError) << "axis is needed";
  EXPECT_THROW(take(table(), list<float>({0}), {.axis = 0}), DTypeError);
  EXPECT_THROW(take(table(), table(), {.axis = 0}), ShapeError);
  EXPECT_THROW(take(table(), list({0}), {.axis = 2}), IndexError);
}

TEST_P(IndexArrayTest, TakeAlongAxis) {
  const Array x = array<int>({3, 1, 2, 9, 7, 8}, {2, 3});
  const Array order = argsort(x);
  EXPECT_TRUE(equal(take_along_axis(x, order), std::vector<int>{1, 2, 3, 7, 8, 9}, {2, 3}));
  const Array column = array<std::int64_t>({2, -3}, {2, 1});
  EXPECT_TRUE(equal(take_along_axis(x, column), std::vector<int>{2, 9}, {2, 1}));
  const Array row = array<std::int64_t>({1, 0, 1}, {1, 3});
  EXPECT_TRUE(equal(take_along_axis(x, row, {.axis = 0}), std::vector<int>{9, 1, 8}, {1, 3}));
  const Array both = array<std::int64_t>({0, 2}, {1, 2});
  EXPECT_TRUE(equal(take_along_axis(x, both, {.axis = 1}), std::vector<int>{3, 2, 9, 8}, {2, 2}))
      << "indices broadcast";
  EXPECT_TRUE(equal(take_along_axis(array<int>({5, 6}, {1, 2}), array<std::int64_t>({1, 0, 1}, {3, 1})),
                    std::vector<int>{6, 5, 6}, {3, 1}))
      << "x broadcasts";
  expect_index_error([&] { return take_along_axis(x, array<std::int64_t>({0, 3}, {2, 1})); });
  EXPECT_THROW(take_along_axis(x, list({0})), ShapeError);
  EXPECT_THROW(take_along_axis(x, array<std::int64_t>({0, 0, 0}, {3, 1})), ShapeError);
}

TEST_P(IndexArrayTest, ScatterAddSumsDuplicates) {
  const Array zero = zeros({3, 2}, {.dtype = DType::int32, .device = device()});
  const Array updates = array<int>({1, 2, 10, 20, 100, 200}, {3, 2});
  EXPECT_TRUE(
      equal(scatter_add(zero, list({0, -1, 0}), updates), std::vector<int>{101, 202, 0, 0, 10, 20}, {3, 2}));
  EXPECT_TRUE(
      equal(scatter_add(zero, list({1, 1}), 5, {.axis = 1}), std::vector<int>{0, 10, 0, 10, 0, 10}, {3, 2}));
  EXPECT_TRUE(equal(zero, std::vector<int>(6, 0), {3, 2})) << "the target is a value";
}

TEST_P(IndexArrayTest, ScatterAddIntoAWiderTarget) {
  const Array target = zeros({2}, {.dtype = DType::float64, .device = device()});
  const Array updates = array<float>({0.1F, 0.2F}, {2});
  const std::vector<double> expected = {static_cast<double>(0.1F) + static_cast<double>(0.2F), 0};
  EXPECT_TRUE(equal(scatter_add(target, list({0, 0}), updates), expected, {2}));
  EXPECT_TRUE(equal(scatter_add(zeros({1}, {.dtype = DType::int64, .device = device()}), list({0}),
                                array<std::uint8_t>({200}, {1})),
                    std::vector<std::int64_t>{200}, {1}));
}

TEST_P(IndexArrayTest, ScatterAddOfManyEqualIndicesIsExact) {
  constexpr std::int64_t kCount = 100000;
  const Array target = zeros({1}, {.dtype = DType::float32, .device = device()});
  const Array updates = full({kCount}, 0.1, {.dtype = DType::float32, .device = device()});
  const Array where = zeros({kCount}, {.dtype = DType::int64, .device = device()});
  const auto expected = static_cast<float>(static_cast<double>(0.1F) * kCount);
  EXPECT_EQ(scatter_add(target, where, updates).item<float>(), expected);
}

TEST_P(IndexArrayTest, ScatterSetMinMax) {
  const Array target = array<int>({5, 5, 5}, {3});
  const Array updates = array<int>({9, 1, 7}, {3});
  EXPECT_TRUE(equal(scatter_set(target, list({2, 0, 2}), updates), std::vector<int>{1, 5, 7}, {3}))
      << "the highest position wins";
  EXPECT_TRUE(equal(scatter_min(target, list({2, 0, 2}), updates), std::vector<int>{1, 5, 5}, {3}));
  EXPECT_TRUE(equal(scatter_max(target, list({2, 0, 2}), updates), std::vector<int>{5, 5, 9}, {3}));
  const Array flags = scatter_set(zeros({2}, {.dtype = DType::bool_, .device = device()}), list({1}), true);
  EXPECT_EQ(flags.to_host<std::uint8_t>(), (std::vector<std::uint8_t>{0, 1}));
  const Array broadcast = scatter_set(zeros({2, 3}, {.dtype = DType::int32, .device = device()}), list({1}),
                                      array<int>({1, 2, 3}, {3}));
  EXPECT_TRUE(equal(broadcast, std::vector<int>{0, 0, 0, 1, 2, 3}, {2, 3}));
}

TEST_P(IndexArrayTest, ScatterWritesInPlaceWhereItMay) {
  // Not scatter_add, for which a device may accumulate beside the target.
  Array target = zeros({1024}, {.dtype = DType::float64, .device = device()});
  const Array where = list({3});
  const PeakScope scope(device());
  target = scatter_set(std::move(target), where, 2.0);
  EXPECT_LT(scope.peak(), 4096) << "no second target";
  const Array copy = target;
  target = scatter_set(std::move(target), where, 4.0);
  EXPECT_EQ(index(copy, {3}).item<double>(), 2) << "another handle keeps its value";
  EXPECT_EQ(index(target, {3}).item<double>(), 4);
}

TEST_P(IndexArrayTest, ScatterChecksItsArguments) {
  const Array ints = zeros({3}, {.dtype = DType::int32, .device = device()});
  EXPECT_THROW(scatter_add(ints, list({0}), 0.5), DTypeError);
  EXPECT_THROW(scatter_add(ints, list({0}), array<float>({1}, {1})), DTypeError);
  EXPECT_THROW(scatter_add(ints, list({0}), array<std::int64_t>({1}, {1})), DTypeError) << "would narrow";
  EXPECT_THROW(scatter_add(zeros({3}, {.dtype = DType::float32, .device = device()}), list({0}),
                           array<double>({1}, {1})),
               DTypeError);
  EXPECT_THROW(scatter_add(ints, list({0, 1}), array<int>({1, 2, 3}, {3})), ShapeError);
  EXPECT_THROW(scatter_add(ints, list<float>({0}), 1), DTypeError);
  EXPECT_THROW(scatter_add(zeros({3}, {.dtype = DType::bool_, .device = device()}), list({0}), true),
               DTypeError);
  expect_index_error([&] { return scatter_add(ints, list({3}), 1); });
  expect_index_error([&] { return scatter_set(ints, list({-4}), 1); });
}

TEST_P(IndexArrayTest, NonzeroGivesPositionsInOrder) {
  const Array x = array<int>({0, 5, 0, -1, 0, 2}, {2, 3});
  const auto positions = nonzero(x);
  ASSERT_EQ(positions.size(), 2U);
  EXPECT_TRUE(equal(positions[0], std::vector<std::int64_t>{0, 1, 1}, {3}));
  EXPECT_TRUE(equal(positions[1], std::vector<std::int64_t>{1, 0, 2}, {3}));
  const auto turned = nonzero(matrix_transpose(x));
  EXPECT_TRUE(equal(turned[0], std::vector<std::int64_t>{0, 1, 2}, {3}));
  EXPECT_TRUE(equal(turned[1], std::vector<std::int64_t>{1, 0, 1}, {3}));
  EXPECT_EQ(nonzero(zeros({4, 0, 2}, {.device = device()})).size(), 3U);
  EXPECT_EQ(nonzero(zeros({4}, {.device = device()})).front().shape(), Shape({0}));
  const Array odd = array<float>({-0.0F, std::numeric_limits<float>::quiet_NaN(), 1e-45F}, {3});
  EXPECT_TRUE(equal(nonzero(odd).front(), std::vector<std::int64_t>{1, 2}, {2}));
  EXPECT_THROW(nonzero(index(x, {0, 0})), ShapeError);
}

TEST_P(IndexArrayTest, OneHot) {
  EXPECT_TRUE(equal(one_hot(list({1, 0, 2}), 3), std::vector<float>{0, 1, 0, 1, 0, 0, 0, 0, 1}, {3, 3}));
  EXPECT_TRUE(equal(one_hot(list({-1, 3}), 3), std::vector<float>(6, 0), {2, 3})) << "outside: nowhere";
  const Array many =
      one_hot(list<std::uint64_t>({std::numeric_limits<std::uint64_t>::max(), 1}), 2, {.dtype = DType::int8});
  EXPECT_TRUE(equal(many, std::vector<std::int8_t>{0, 0, 0, 1}, {2, 2}));
  EXPECT_EQ(one_hot(reshape(list({1, 2}), {2, 1}), 4).shape(), Shape({2, 1, 4}));
  EXPECT_EQ(one_hot(list({1, 2}), 0).shape(), Shape({2, 0}));
  EXPECT_THROW(one_hot(list<float>({1}), 3), DTypeError);
  EXPECT_THROW(one_hot(list({1}), -1), ValueError);
}

TESSERA_FOR_EACH_DEVICE(IndexArrayTest);

}  // namespace
}  // namespace tessera::test
