#include <tessera/xtensor.hpp>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

class XtensorTest : public DeviceTest {};

TEST_P(XtensorTest, TakesContainersViewsAndExpressions) {
  const ArrayOptions here = {.device = device()};
  const xt::xtensor<float, 2> x = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_TRUE(equal(from_xtensor(x, here), std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3}));
  EXPECT_TRUE(equal(from_xtensor(2 * x + 1, here), std::vector<float>{3, 5, 7, 9, 11, 13}, {2, 3}));
  EXPECT_TRUE(equal(from_xtensor(xt::view(x, xt::all(), xt::range(0, 3, 2)), here),
                    std::vector<float>{1, 3, 4, 6}, {2, 2}));
  EXPECT_TRUE(equal(from_xtensor(xt::transpose(x), here), std::vector<float>{1, 4, 2, 5, 3, 6}, {3, 2}));
  const xt::xarray<double, xt::layout_type::column_major> y = {{1, 2}, {3, 4}};
  EXPECT_TRUE(equal(from_xtensor(y, here), std::vector<double>{1, 2, 3, 4}, {2, 2}));
  EXPECT_EQ(from_xtensor(xt::xarray<bool>(x > 3.5F), here).dtype(), DType::bool_);
  EXPECT_EQ(from_xtensor(xt::xarray<int>::from_shape({0, 3}), here).shape(), Shape({0, 3}));
}

TEST_P(XtensorTest, ViewsOfRowsBeginWhereTheyDo) {
  const ArrayOptions here = {.device = device()};
  const xt::xtensor<float, 2> x = {{1, 2}, {3, 4}, {5, 6}};
  EXPECT_TRUE(
      equal(from_xtensor(xt::view(x, xt::range(1, 3)), here), std::vector<float>{3, 4, 5, 6}, {2, 2}));
  EXPECT_TRUE(equal(from_xtensor(xt::view(x, 1), here), std::vector<float>{3, 4}, {2}));
  EXPECT_TRUE(equal(from_xtensor(xt::row(x, 1), here), std::vector<float>{3, 4}, {2}));
  const auto last_two = xt::view(x, xt::range(1, 3), xt::all());
  EXPECT_TRUE(equal(from_xtensor(xt::view(last_two, 1, xt::range(0, 1)), here), std::vector<float>{5}, {1}));
  EXPECT_TRUE(equal(from_xtensor(xt::strided_view(x, {1}), here), std::vector<float>{3, 4}, {2}));
}

TEST_P(XtensorTest, GivesCopies) {
  const Array x = reshape(arange(6, {.device = device()}), {2, 3});
  const xt::xarray<std::int64_t> expected = {{0, 3}, {1, 4}, {2, 5}};
  EXPECT_EQ(as_xtensor<std::int64_t>(matrix_transpose(x)), expected);
  EXPECT_THROW(as_xtensor<float>(x), DTypeError);
}

TEST_P(XtensorTest, ViewsHostMemory) {
  if (!device().host_memory()) GTEST_SKIP() << "the device's memory is not the host's";
  const Array x = reshape(arange(6, {.device = device()}), {2, 3});
  const HostView<std::int64_t> host = flip(matrix_transpose(x), 0).host_view<std::int64_t>();
  const auto view = as_xtensor(host);
  const xt::xarray<std::int64_t> expected = {{2, 5}, {1, 4}, {0, 3}};
  EXPECT_EQ(view, expected);
  EXPECT_EQ(&view(0, 0), host.data()) << "no copy";
  const HostView<std::int64_t> stretched = broadcast_to(index(x, {0}), {4, 3}).host_view<std::int64_t>();
  EXPECT_EQ(xt::sum(as_xtensor(stretched))(), 4 * (0 + 1 + 2));
}

TESSERA_FOR_EACH_DEVICE(XtensorTest);

}  // namespace
}  // namespace tessera::test
