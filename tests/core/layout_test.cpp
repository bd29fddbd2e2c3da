#include <tessera/layout.hpp>

#include <array>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <tessera/error.hpp>

namespace tessera::test {
namespace {

// Past what 32 bits count: layouts need no data, so their arithmetic is tested at any size.
constexpr std::int64_t kLong = (std::int64_t{1} << 31) + 8;

TEST(LayoutTest, ContiguityIgnoresExtentsOfOne) {
  EXPECT_TRUE(is_contiguous(row_major({3, 4})));
  EXPECT_TRUE(is_contiguous({{3, 1, 4}, {4, 77, 1}, 5}));
  EXPECT_TRUE(is_contiguous({{}, {}, 5}));
  EXPECT_TRUE(is_contiguous({{3, 0}, {-1, 17}, 0})) << "nothing has no gaps";
  EXPECT_FALSE(is_contiguous({{3, 4}, {5, 1}, 0}));
  EXPECT_FALSE(is_contiguous({{3}, {-1}, 2}));
  EXPECT_FALSE(is_contiguous({{3}, {0}, 0}));
}

TEST(LayoutTest, ExtentCoversNegativeAndBroadcastStrides) {
  const Extent flipped = extent({{3, 4}, {-4, 1}, 8});
  EXPECT_EQ(flipped.begin, 0);
  EXPECT_EQ(flipped.end, 12);
  const Extent stretched = extent({{1000}, {0}, 7});
  EXPECT_EQ(stretched.begin, 7);
  EXPECT_EQ(stretched.end, 8);
  const Extent nothing = extent({{0, 4}, {4, 1}, 7});
  EXPECT_EQ(nothing.begin, 7);
  EXPECT_EQ(nothing.end, 7);
}

TEST(LayoutTest, ExtentPast31And63Bits) {
  const Layout tall = row_major({kLong, 3});
  EXPECT_EQ(extent(tall).end, kLong * 3);
  const Layout backwards = slice(tall, 0, kLong - 1, kLong, -1);
  EXPECT_EQ(backwards.offset, (kLong - 1) * 3);
  EXPECT_EQ(extent(backwards).begin, 0);
  EXPECT_EQ(extent(backwards).end, kLong * 3);
  EXPECT_THROW(extent({{std::int64_t{1} << 40}, {std::int64_t{1} << 40}, 0}), ShapeError);
  EXPECT_THROW(extent({{2}, {1}, std::numeric_limits<std::int64_t>::max()}), ShapeError);
}

TEST(LayoutTest, SelectsAndSlicesPast31Bits) {
  const Layout wide = row_major({3, kLong});
  EXPECT_EQ(select(wide, 0, 2).offset, 2 * kLong);
  EXPECT_EQ(select(wide, 1, kLong - 1).offset, kLong - 1);
  EXPECT_EQ(select(wide, 1, kLong - 1).strides, Strides{kLong});
  const Layout stepped = slice(wide, 1, 1, kLong / 2, 2);
  EXPECT_EQ(stepped.offset, 1);
  EXPECT_EQ(stepped.strides, Strides({kLong, 2}));
  EXPECT_EQ(extent(stepped).end, 3 * kLong);
}

TEST(LayoutTest, CollapsesPast31Bits) {
  std::array<Layout, 2> layouts = {row_major({kLong, 3, 5}), row_major({kLong, 3, 5})};
  collapse(layouts);
  EXPECT_EQ(layouts[0].shape, Shape{kLong * 15});
  EXPECT_EQ(layouts[1].strides, Strides{1});
}

TEST(LayoutTest, ReshapesPast31Bits) {
  const auto flat = reshape(row_major({kLong, 3}), {3, kLong});
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->strides, Strides({kLong, 1}));
  const Layout every_other = slice(row_major({kLong * 2}), 0, 0, kLong, 2);
  const auto rows = reshape(every_other, {kLong / 4, 4});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->strides, Strides({8, 2}));
}

TEST(LayoutTest, SliceKeepsWithinTheAxis) {
  const Layout x = row_major({10});
  EXPECT_THROW(slice(x, 0, 0, 11, 1), IndexError);
  EXPECT_THROW(slice(x, 0, 9, 2, 1), IndexError);
  EXPECT_THROW(slice(x, 0, -1, 1, 1), IndexError);
  EXPECT_THROW(slice(x, 0, 3, 5, -1), IndexError);
  EXPECT_THROW(slice(x, 0, 1, 3, std::numeric_limits<std::int64_t>::max()), IndexError);
  EXPECT_THROW(select(x, 0, 10), IndexError);
  EXPECT_EQ(slice(x, 0, 99, 0, 1).offset, 0) << "an empty slice points nowhere outside";
  EXPECT_EQ(slice(x, 0, 9, 1, std::numeric_limits<std::int64_t>::min()).offset, 9);
}

TEST(LayoutTest, PermuteTakesPermutationsOnly) {
  const Layout x = row_major({2, 3, 4});
  EXPECT_EQ(permute(x, {2, 0, 1}).shape, Shape({4, 2, 3}));
  EXPECT_EQ(permute(x, {2, 0, 1}).strides, Strides({1, 12, 4}));
  EXPECT_THROW(permute(x, {0, 1}), ShapeError);
  EXPECT_THROW(permute(x, {0, 1, 1}), ShapeError);
  EXPECT_THROW(permute(x, {0, 1, 3}), ShapeError);
  EXPECT_THROW(permute(x, {0, 1, -1}), ShapeError);
}

TEST(LayoutTest, BroadcastsWithStrideZero) {
  const auto stretched = broadcast(row_major({3, 1}), {2, 3, 4});
  ASSERT_TRUE(stretched);
  EXPECT_EQ(stretched->strides, Strides({0, 1, 0}));
  EXPECT_FALSE(broadcast(row_major({3}), {4}));
  EXPECT_FALSE(broadcast(row_major({3, 4}), {4}));
  EXPECT_TRUE(broadcast(row_major({1}), {0}));
  EXPECT_FALSE(broadcast(row_major({0}), {1}));
}

TEST(LayoutTest, ReshapeKnowsWhenItNeedsACopy) {
  const Layout turned = permute(row_major({3, 4}), {1, 0});
  EXPECT_FALSE(reshape(turned, {12}));
  EXPECT_TRUE(reshape(turned, {4, 1, 3}));
  EXPECT_TRUE(reshape(turned, {2, 2, 3}));
  EXPECT_FALSE(reshape(turned, {2, 6}));
  const auto stretched = broadcast(row_major({1}), {6});
  EXPECT_TRUE(reshape(*stretched, {2, 3})) << "one element again and again";
  EXPECT_TRUE(reshape(row_major({0, 3}), {3, 0, 7}));
  EXPECT_THROW(reshape(row_major({3, 4}), {11}), ShapeError);
}

TEST(LayoutTest, CollapseFollowsTheOutputsMemory) {
  // A transposed input into a transposed output is one run; into a row-major output it is not.
  const Layout turned = permute(row_major({3, 4}), {1, 0});
  std::array<Layout, 2> both = {turned, turned};
  collapse(both);
  EXPECT_EQ(both[0].shape, Shape{12});
  EXPECT_EQ(both[1].strides, Strides{1});
  std::array<Layout, 2> mixed = {turned, row_major({4, 3})};
  collapse(mixed);
  EXPECT_EQ(mixed[1].strides, Strides({3, 1}));
  EXPECT_EQ(mixed[0].strides, Strides({1, 4}));
}

TEST(LayoutTest, CollapseOfLittle) {
  std::array<Layout, 2> one = {row_major({1, 1, 1}), row_major({1, 1, 1})};
  collapse(one);
  EXPECT_EQ(one[0].rank(), 0);
  EXPECT_EQ(one[0].size(), 1);
  std::array<Layout, 1> none = {row_major({3, 0, 4})};
  collapse(none);
  EXPECT_EQ(none[0].shape, Shape{0});
  collapse({});
}

TEST(LayoutTest, MergesAxesWithoutACopy) {
  const Layout x = row_major({2, 3, 4, 5});
  EXPECT_EQ(merge_axes(x, 1, 3)->shape, Shape({2, 12, 5}));
  EXPECT_EQ(merge_axes(x, 1, 3)->strides, Strides({60, 5, 1}));
  EXPECT_EQ(merge_axes(x, 4, 4)->shape, Shape({2, 3, 4, 5, 1}));
  EXPECT_EQ(merge_axes(x, 0, 0)->shape, Shape({1, 2, 3, 4, 5}));
  EXPECT_EQ(merge_axes(x, 0, 4)->shape, Shape{120});
  EXPECT_FALSE(merge_axes(permute(x, {1, 0, 2, 3}), 0, 2));
  EXPECT_TRUE(merge_axes(permute(x, {1, 0, 2, 3}), 2, 4));
  EXPECT_EQ(merge_axes(row_major({2, 0, 3}), 0, 2)->shape, Shape({0, 3}));
}

TEST(LayoutTest, RemovesOnlyExtentsOfOne) {
  EXPECT_EQ(remove_axis(row_major({2, 1, 3}), 1).shape, Shape({2, 3}));
  EXPECT_THROW(remove_axis(row_major({2, 1, 3}), 0), ShapeError);
  EXPECT_EQ(insert_axis(row_major({2, 3}), 2).shape, Shape({2, 3, 1}));
}

}  // namespace
}  // namespace tessera::test
