// What Python's brackets give.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

class IndexTest : public DeviceTest {
 protected:
  Array iota(const Shape& shape) const {
    return reshape(arange(element_count(shape), {.device = device()}), shape);
  }
};

TEST_P(IndexTest, SlicesClipAsPythons) {
  struct Row {
    Slice slice;
    std::vector<std::int64_t> expected;
  };
  const Array x = iota({6});
  const std::vector<Row> rows = {
      {slice(), {0, 1, 2, 3, 4, 5}},
      {slice(2), {2, 3, 4, 5}},
      {slice({}, 2), {0, 1}},
      {slice(-2), {4, 5}},
      {slice({}, -2), {0, 1, 2, 3}},
      {slice(1, 5, 2), {1, 3}},
      {slice(1, 6, 2), {1, 3, 5}},
      {slice({}, {}, 4), {0, 4}},
      {slice({}, {}, 100), {0}},
      {slice({}, {}, -1), {5, 4, 3, 2, 1, 0}},
      {slice(4, 1, -2), {4, 2}},
      {slice(4, {}, -2), {4, 2, 0}},
      {slice({}, 3, -1), {5, 4}},
      {slice(-1, -4, -1), {5, 4, 3}},
      {slice(3, 3), {}},
      {slice(4, 2), {}},
      {slice(2, 4, -1), {}},
      {slice(100, 200), {}},
      {slice(-100, 100), {0, 1, 2, 3, 4, 5}},
      {slice(100, -100, -1), {5, 4, 3, 2, 1, 0}},
      {slice(-100, {}, -1), {}},
      {slice(kLowest, kHighest), {0, 1, 2, 3, 4, 5}},
      {slice(kHighest, kLowest, kLowest), {5}},
      {slice({}, {}, kHighest), {0}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE("slice " + std::to_string(&row - rows.data()));
    const Array part = index(x, {row.slice});
    EXPECT_TRUE(equal(part, row.expected, {static_cast<std::int64_t>(row.expected.size())}));
  }
}

/// x[start:stop:step] by the words of Python's documentation.
std::vector<std::int64_t> by_the_book(std::int64_t length, std::optional<std::int64_t> start,
                                      std::optional<std::int64_t> stop, std::int64_t step) {
  const auto reduce = [&](std::int64_t bound) {
    if (bound < 0) bound += length;
    if (bound < 0) bound = step > 0 ? 0 : -1;
    const std::int64_t most = step > 0 ? length : length - 1;
    return bound > most ? most : bound;
  };
  const std::int64_t i = start ? reduce(*start) : (step > 0 ? 0 : length - 1);
  const std::int64_t j = stop ? reduce(*stop) : (step > 0 ? length : -1);
  std::vector<std::int64_t> positions;
  for (std::int64_t at = i; step > 0 ? at < j : at > j; at += step) positions.push_back(at);
  return positions;
}

TEST_P(IndexTest, AnySliceIsByTheBook) {
  rc::check([&] {
    const std::int64_t length = *rc::gen::inRange(0, 8);
    const auto bound = rc::gen::inRange(-10, 11);
    const auto start = *rc::gen::maybe(bound);
    const auto stop = *rc::gen::maybe(bound);
    const int step = *rc::gen::inRange(1, 5) * (*rc::gen::arbitrary<bool>() ? 1 : -1);
    const auto plain = [](const auto& maybe) {
      return maybe ? std::optional<std::int64_t>(*maybe) : std::nullopt;
    };
    const auto expected = by_the_book(length, plain(start), plain(stop), step);
    const Array part = index(iota({length}), {slice(plain(start), plain(stop), step)});
    RC_ASSERT(part.to_host<std::int64_t>() == expected);
  });
}

TEST_P(IndexTest, IntegersDropTheirAxis) {
  const Array x = iota({2, 3, 4});
  EXPECT_TRUE(equal(index(x, {1, 2, 3}), std::vector<std::int64_t>{23}, {}));
  EXPECT_TRUE(equal(index(x, {-1, -1, -1}), std::vector<std::int64_t>{23}, {}));
  EXPECT_TRUE(equal(index(x, {0, slice(), 1}), std::vector<std::int64_t>{1, 5, 9}, {3}));
  EXPECT_EQ(index(x, {}).shape(), x.shape());
  EXPECT_TRUE(equal(index(x, {std::size_t{1}, 0U, std::int8_t{2}}), std::vector<std::int64_t>{14}, {}));
}

TEST_P(IndexTest, EllipsisStandsForTheRest) {
  const Array x = iota({2, 3, 4});
  EXPECT_TRUE(equal(index(x, {ellipsis, 0}), std::vector<std::int64_t>{0, 4, 8, 12, 16, 20}, {2, 3}));
  EXPECT_TRUE(equal(index(x, {1, ellipsis, 0}), std::vector<std::int64_t>{12, 16, 20}, {3}));
  EXPECT_TRUE(equal(index(x, {1, 0, ellipsis, 2}), std::vector<std::int64_t>{14}, {}));
  EXPECT_EQ(index(x, {ellipsis}).shape(), x.shape());
  EXPECT_EQ(index(x, {0, 0, 0, ellipsis}).shape(), Shape());
}

TEST_P(IndexTest, NewAxesGoWhereTheyStand) {
  const Array x = iota({2, 3});
  EXPECT_EQ(index(x, {newaxis}).shape(), Shape({1, 2, 3}));
  EXPECT_EQ(index(x, {ellipsis, newaxis}).shape(), Shape({2, 3, 1}));
  EXPECT_EQ(index(x, {0, newaxis, slice(1)}).shape(), Shape({1, 2}));
  EXPECT_EQ(index(x, {newaxis, ellipsis, newaxis, 0}).shape(), Shape({1, 2, 1}));
  EXPECT_TRUE(equal(index(x, {slice(), newaxis, 1}), std::vector<std::int64_t>{1, 4}, {2, 1}));
}

TEST_P(IndexTest, IntegersOutsideAreErrors) {
  const Array x = iota({2, 3});
  EXPECT_THROW(index(x, {2}), IndexError);
  EXPECT_THROW(index(x, {-3}), IndexError);
  EXPECT_THROW(index(x, {0, 3}), IndexError);
  EXPECT_THROW(index(x, {kLowest}), IndexError);
  EXPECT_THROW(index(x, {std::numeric_limits<std::uint64_t>::max()}), IndexError);
  EXPECT_THROW(index(iota({0}), {0}), IndexError);
  EXPECT_THROW(index(x, {0, 0, 0}), IndexError);
  EXPECT_THROW(index(x, {slice(), slice(), slice()}), IndexError);
  EXPECT_THROW(index(x, {ellipsis, ellipsis}), IndexError);
  EXPECT_THROW(index(x, {slice({}, {}, 0)}), ValueError);
}

TESSERA_FOR_EACH_DEVICE(IndexTest);

static_assert(!std::is_constructible_v<Index, bool>, "x[True] is no index");

}  // namespace
}  // namespace tessera::test
