#include <tessera/shape.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/error.hpp>

namespace tessera::test {
namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 40;

TEST(ShapeTest, CountsElements) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({3, 4}), 12);
  EXPECT_EQ(element_count({3, 0, 4}), 0);
  EXPECT_EQ(element_count({(std::int64_t{1} << 31) + 8, 5}), ((std::int64_t{1} << 31) + 8) * 5);
  EXPECT_EQ(element_count({std::int64_t{1} << 62}), std::int64_t{1} << 62);
}

TEST(ShapeTest, RefusesMoreElementsThan64BitsCount) {
  EXPECT_THROW(element_count({kHuge, kHuge}), ShapeError);
  EXPECT_THROW(element_count({std::int64_t{1} << 62, 2}), ShapeError);
  EXPECT_EQ(element_count({kHuge, kHuge, 0}), 0) << "nothing is nothing, however wide";
}

TEST(ShapeTest, StridesOfRowMajorArrays) {
  EXPECT_EQ(row_major_strides({2, 3, 4}), Strides({12, 4, 1}));
  EXPECT_EQ(row_major_strides({}), Strides());
  EXPECT_EQ(row_major_strides({5, 1 << 20, 1 << 20}), Strides({kHuge, 1 << 20, 1}));
}

TEST(ShapeTest, BroadcastsByTheLastDimensions) {
  EXPECT_EQ(broadcast_shapes("add", {3, 4}, {4}), Shape({3, 4}));
  EXPECT_EQ(broadcast_shapes("add", {4}, {3, 4}), Shape({3, 4}));
  EXPECT_EQ(broadcast_shapes("add", {3, 1}, {1, 4}), Shape({3, 4}));
  EXPECT_EQ(broadcast_shapes("add", {}, {2, 0}), Shape({2, 0}));
  EXPECT_EQ(broadcast_shapes("add", {1}, {0}), Shape({0}));
  EXPECT_EQ(broadcast_shapes("add", {0, 1}, {1, 5}), Shape({0, 5}));
  EXPECT_THROW(broadcast_shapes("add", {0}, {2}), ShapeError);
  EXPECT_THROW(broadcast_shapes("add", {3, 4}, {3}), ShapeError);
}

TEST(ShapeTest, MessagesNameOperationShapesAndCure) {
  try {
    broadcast_shapes("multiply", {3, 4}, {3});
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("[multiply] ")) << text;
    EXPECT_NE(text.find("(3, 4)"), std::string::npos) << text;
    EXPECT_NE(text.find("(3,)"), std::string::npos) << text;
  }
}

TEST(ShapeTest, CountsAxesFromTheEnd) {
  EXPECT_EQ(normalize_axis("sum", -1, 3), 2);
  EXPECT_EQ(normalize_axis("sum", -3, 3), 0);
  EXPECT_EQ(normalize_axis("sum", 2, 3), 2);
  EXPECT_THROW(normalize_axis("sum", 3, 3), IndexError);
  EXPECT_THROW(normalize_axis("sum", -4, 3), IndexError);
  EXPECT_THROW(normalize_axis("sum", 0, 0), IndexError);
}

TEST(ShapeTest, PrintsAsATuple) {
  EXPECT_EQ(to_string(Shape{}), "()");
  EXPECT_EQ(to_string(Shape{3}), "(3,)");
  EXPECT_EQ(to_string(Shape{3, 4}), "(3, 4)");
}

TEST(DimsTest, InsertsAndErases) {
  Dims dims{1, 2, 3};
  dims.insert(0, 9);
  EXPECT_EQ(dims, Dims({9, 1, 2, 3}));
  dims.insert(4, 8);
  EXPECT_EQ(dims, Dims({9, 1, 2, 3, 8}));
  dims.erase(1);
  EXPECT_EQ(dims, Dims({9, 2, 3, 8}));
  dims.truncate(2);
  EXPECT_EQ(dims, Dims({9, 2}));
}

TEST(DimsTest, HoldsSixteenAndNoMore) {
  Dims dims(std::vector<std::int64_t>(kMaxRank, 1));
  EXPECT_THROW(dims.push_back(1), ShapeError);
  EXPECT_THROW(dims.insert(0, 1), ShapeError);
  EXPECT_EQ(dims.size(), kMaxRank);
  EXPECT_THROW(Dims(std::vector<std::int64_t>(kMaxRank + 1, 1)), ShapeError);
  EXPECT_THROW(Dims::filled(kMaxRank + 1, 0), ShapeError);
}

}  // namespace
}  // namespace tessera::test
