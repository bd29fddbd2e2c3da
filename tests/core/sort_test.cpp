#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class SortTest : public DeviceTest {
 protected:
  template <class T>
  Array array(const std::vector<T>& values, const Shape& shape) const {
    return from_host(values, shape, {.device = device()});
  }
};

TEST_P(SortTest, PutsNanLastInBothDirections) {
  const Array x = array<float>({2, kNan, -kInfinity, kInfinity, kNan, 1}, {6});
  EXPECT_TRUE(equal(sort(x), std::vector<float>{-kInfinity, 1, 2, kInfinity, kNan, kNan}, {6}));
  EXPECT_TRUE(
      equal(sort(x, {.descending = true}), std::vector<float>{kInfinity, 2, 1, -kInfinity, kNan, kNan}, {6}));
  EXPECT_TRUE(equal(argsort(x), std::vector<std::int64_t>{2, 5, 0, 3, 1, 4}, {6}));
  EXPECT_TRUE(equal(argsort(x, {.descending = true}), std::vector<std::int64_t>{3, 0, 5, 2, 1, 4}, {6}));
}

TEST_P(SortTest, IsStable) {
  const Array x = array<float>({1, 0.0F, 1, -0.0F, 1, 0.0F}, {6});
  EXPECT_TRUE(equal(argsort(x), std::vector<std::int64_t>{1, 3, 5, 0, 2, 4}, {6}));
  EXPECT_TRUE(equal(argsort(x, {.descending = true}), std::vector<std::int64_t>{0, 2, 4, 1, 3, 5}, {6}));
}

TEST_P(SortTest, AlongAnyAxisOfAnyLayout) {
  const Array x = array<int>({3, 1, 2, 0, 5, 4}, {2, 3});
  EXPECT_TRUE(equal(sort(x), std::vector<int>{1, 2, 3, 0, 4, 5}, {2, 3}));
  EXPECT_TRUE(equal(sort(x, {.axis = 0}), std::vector<int>{0, 1, 2, 3, 5, 4}, {2, 3}));
  EXPECT_TRUE(equal(sort(matrix_transpose(x)), std::vector<int>{0, 3, 1, 5, 2, 4}, {3, 2}));
  EXPECT_TRUE(equal(sort(flip(x)), std::vector<int>{0, 4, 5, 1, 2, 3}, {2, 3}));
  EXPECT_TRUE(equal(argsort(x, {.axis = 0}), std::vector<std::int64_t>{1, 0, 0, 0, 1, 1}, {2, 3}));
  EXPECT_EQ(sort(zeros({3, 0}, {.device = device()})).shape(), Shape({3, 0}));
  EXPECT_EQ(argsort(zeros({0, 3}, {.device = device()})).dtype(), DType::int64);
  EXPECT_THROW(sort(x, {.axis = 2}), IndexError);
  EXPECT_THROW(sort(array<int>({1}, {})), IndexError);
}

TEST_P(SortTest, KeepsTheEndsOfIntegers) {
  const std::vector<std::uint64_t> values = {1, std::numeric_limits<std::uint64_t>::max(), 0,
                                             std::uint64_t{1} << 63};
  EXPECT_TRUE(equal(sort(array(values, {4})),
                    std::vector<std::uint64_t>{values[2], values[0], values[3], values[1]}, {4}));
  EXPECT_TRUE(equal(sort(array<std::int8_t>({-128, 127, 0}, {3}), {.descending = true}),
                    std::vector<std::int8_t>{127, 0, -128}, {3}));
}

TEST_P(SortTest, SearchsortedFindsBothSides) {
  const Array sorted = array<int>({1, 3, 3, 5}, {4});
  const Array values = array<int>({0, 1, 3, 4, 5, 9}, {2, 3});
  EXPECT_TRUE(equal(searchsorted(sorted, values), std::vector<std::int64_t>{0, 0, 1, 3, 3, 4}, {2, 3}));
  EXPECT_TRUE(equal(searchsorted(sorted, values, {.side = Side::right}),
                    std::vector<std::int64_t>{0, 1, 3, 3, 4, 4}, {2, 3}));
  EXPECT_TRUE(equal(searchsorted(sorted, matrix_transpose(values)),
                    std::vector<std::int64_t>{0, 3, 0, 3, 1, 4}, {3, 2}));
  EXPECT_TRUE(equal(searchsorted(array<float>({0.5F}, {1}), array<double>({0.5}, {})),
                    std::vector<std::int64_t>{0}, {}));
  EXPECT_TRUE(equal(searchsorted(array<int>({}, {0}), values), std::vector<std::int64_t>(6, 0), {2, 3}));
  EXPECT_THROW(searchsorted(values, values), ShapeError);
  EXPECT_THROW(searchsorted(sorted, array<float>({1}, {1})), DTypeError);
}

TESSERA_FOR_EACH_DEVICE(SortTest);

}  // namespace
}  // namespace tessera::test
