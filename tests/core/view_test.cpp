// Views share memory with what they were taken from, and are never written through.

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

struct Case {
  std::string name;
  std::function<Array(const Array&)> view;
  std::vector<int> expected;
  Shape shape;
};

// x is [[0, 1, 2], [3, 4, 5]].
const std::vector<Case>& cases() {
  static const std::vector<Case> list = {
      {"index",
       [](const Array& x) {
         return index(x, {slice({}, {}, -1), slice(0, 3, 2)});
       },
       {3, 5, 0, 2},
       {2, 2}},
      {"select", [](const Array& x) { return index(x, {1}); }, {3, 4, 5}, {3}},
      {"element",
       [](const Array& x) {
         return index(x, {1, -1});
       },
       {5},
       {}},
      {"newaxis",
       [](const Array& x) {
         return index(x, {newaxis, 0, slice(1)});
       },
       {1, 2},
       {1, 2}},
      {"transpose", [](const Array& x) { return matrix_transpose(x); }, {0, 3, 1, 4, 2, 5}, {3, 2}},
      {"permute_dims",
       [](const Array& x) {
         return permute_dims(x, {-1, 0});
       },
       {0, 3, 1, 4, 2, 5},
       {3, 2}},
      {"broadcast_to",
       [](const Array& x) {
         return broadcast_to(index(x, {0}), {2, 3});
       },
       {0, 1, 2, 0, 1, 2},
       {2, 3}},
      {"expand_dims", [](const Array& x) { return expand_dims(x, -1); }, {0, 1, 2, 3, 4, 5}, {2, 3, 1}},
      {"squeeze", [](const Array& x) { return squeeze(expand_dims(x, 0), 0); }, {0, 1, 2, 3, 4, 5}, {2, 3}},
      {"flip", [](const Array& x) { return flip(x); }, {5, 4, 3, 2, 1, 0}, {2, 3}},
      {"flip one", [](const Array& x) { return flip(x, 1); }, {2, 1, 0, 5, 4, 3}, {2, 3}},
      {"reshape",
       [](const Array& x) {
         return reshape(x, {3, 2});
       },
       {0, 1, 2, 3, 4, 5},
       {3, 2}},
      {"reshape with -1", [](const Array& x) { return reshape(x, {-1}); }, {0, 1, 2, 3, 4, 5}, {6}},
      {"reshape of a transpose",
       [](const Array& x) {
         return reshape(matrix_transpose(x), {3, 1, 2});
       },
       {0, 3, 1, 4, 2, 5},
       {3, 1, 2}},
      {"views of views",
       [](const Array& x) {
         return index(matrix_transpose(flip(x, 0)), {slice(1), 0});
       },
       {4, 5},
       {2}},
  };
  return list;
}

class ViewTest : public DeviceTest {
 protected:
  Array sample() const { return from_host(std::vector<int>{0, 1, 2, 3, 4, 5}, {2, 3}, {.device = device()}); }
};

TEST_P(ViewTest, HoldTheRightElementsAndTakeNoMemory) {
  const Array x = sample();
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const PeakScope scope(device());
    const Array view = one.view(x);
    EXPECT_EQ(scope.peak(), 0);
    EXPECT_TRUE(equal(view, one.expected, one.shape));
  }
}

TEST_P(ViewTest, ShareMemoryWhereTheHostCanSeeIt) {
  if (!device().host_memory()) GTEST_SKIP() << "the device's memory is not the host's";
  const Array x = sample();
  const HostView<int> whole = x.host_view<int>();
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const HostView<int> part = one.view(x).host_view<int>();
    EXPECT_EQ(part.data(), whole.data() + one.expected.front());
  }
}

TEST_P(ViewTest, KeepTheirMemoryAlive) {
  Array part;
  {
    const Array x = sample();
    part = index(x, {1});
  }
  EXPECT_TRUE(equal(part, std::vector<int>{3, 4, 5}, {3}));
}

TEST_P(ViewTest, AreNotWrittenThrough) {
  Array x = sample();
  const Array part = index(x, {1});
  const Array negated = negative(std::move(x));
  EXPECT_TRUE(equal(part, std::vector<int>{3, 4, 5}, {3}));
  EXPECT_TRUE(equal(negated, std::vector<int>{0, -1, -2, -3, -4, -5}, {2, 3}));
}

TEST_P(ViewTest, ATemporaryViewIsNotWrittenThroughEither) {
  const Array x = sample();
  const Array negated = negative(index(x, {1}));
  EXPECT_TRUE(equal(x, std::vector<int>{0, 1, 2, 3, 4, 5}, {2, 3}));
  EXPECT_TRUE(equal(negated, std::vector<int>{-3, -4, -5}, {3}));
}

TEST_P(ViewTest, ReshapeCopiesWhereItMust) {
  const Array x = sample();
  EXPECT_TRUE(equal(reshape(matrix_transpose(x), {6}), std::vector<int>{0, 3, 1, 4, 2, 5}, {6}));
  EXPECT_TRUE(equal(reshape(broadcast_to(x, {2, 2, 3}), {4, 3}),
                    std::vector<int>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}, {4, 3}));
  EXPECT_TRUE(equal(x, std::vector<int>{0, 1, 2, 3, 4, 5}, {2, 3}));
}

TEST_P(ViewTest, OfNothing) {
  const Array x = zeros({0, 3}, {.device = device()});
  EXPECT_EQ(reshape(x, {3, 0, 2}).shape(), Shape({3, 0, 2}));
  EXPECT_EQ(matrix_transpose(x).shape(), Shape({3, 0}));
  EXPECT_EQ(flip(x).shape(), Shape({0, 3}));
  EXPECT_EQ(broadcast_to(x, {2, 0, 3}).shape(), Shape({2, 0, 3}));
  EXPECT_EQ(index(x, {slice(), slice(1)}).shape(), Shape({0, 2}));
}

TESSERA_FOR_EACH_DEVICE(ViewTest);

}  // namespace
}  // namespace tessera::test
