// Temporaries are written over; nothing that anybody else can see ever is.

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <tessera/tessera.hpp>

#include "support/devices.hpp"

namespace tessera::test {
namespace {

using Floats = std::vector<float>;

class InPlaceTest : public DeviceTest {
 protected:
  /// 0, 1, 2, ...
  Array count_up(std::int64_t count) const { return arange(count, {.dtype = float32, .device = device()}); }

  template <class F>
  std::int64_t allocations(F&& f) const {
    const std::int64_t before = device().memory().allocations;
    const Array result = f();
    return device().memory().allocations - before;
  }
};

// ---- in place

TEST_P(InPlaceTest, AChainOfTemporariesIsOneBuffer) {
  const Array x = count_up(1000);
  EXPECT_EQ(allocations([&] { return sqrt(square((x + 1) * 2 - 3)); }), 1);
  EXPECT_EQ(allocations([&] { return 1 - 2 * x; }), 1);
  EXPECT_EQ(allocations([&] { return x + (x * 2); }), 1);
}

TEST_P(InPlaceTest, AChainOfTemporariesHasTheRightValues) {
  const Array x = count_up(4);
  EXPECT_EQ((1 - 2 * x).to_host<float>(), (Floats{1, -1, -3, -5}));
  EXPECT_EQ((x - (x * 2)).to_host<float>(), (Floats{0, -1, -2, -3}));
  EXPECT_EQ(((x * 2) - x).to_host<float>(), (Floats{0, 1, 2, 3}));
  EXPECT_EQ(((x + 1) / (x + 2) * (x + 2)).to_host<float>(), (Floats{1, 2, 3, 4}));
}

TEST_P(InPlaceTest, GramScoresAreOneMatrix) {
  constexpr std::int64_t samples = 2000;
  constexpr std::int64_t centers = 100;
  const Array x = ones({samples, 8}, {.device = device()});
  const Array y = ones({centers, 8}, {.device = device()});
  const Array norms = sum(square(y), {.axis = 1});
  const std::int64_t matrix = samples * centers * 4;
  const PeakScope scope(device());
  const Array scores = norms - 2 * matmul(x, matrix_transpose(y));
  EXPECT_GE(scope.peak(), matrix);
  EXPECT_LT(scope.peak(), matrix + matrix / 2);
  EXPECT_EQ(min(scores).item<float>(), -8);
  EXPECT_EQ(max(scores).item<float>(), -8);
}

TEST_P(InPlaceTest, AMovedHandleGivesItsMemory) {
  Array x = count_up(100);
  const std::int64_t before = device().memory().allocations;
  const Array y = negative(std::move(x));
  EXPECT_EQ(device().memory().allocations, before);
  EXPECT_EQ(sum(y).item<float>(), -4950);
}

TEST_P(InPlaceTest, ScatterAddWritesATargetThatIsGivenAway) {
  Array target = zeros({1000, 100}, {.device = device()});
  const Array indices = asarray({7, -1}, {.device = device()});
  const PeakScope scope(device());
  target = scatter_add(std::move(target), indices, 1.0F);
  target = scatter_add(std::move(target), indices, 1.0F);
  EXPECT_LT(scope.peak(), 1000 * 100 * 4 / 2);
  EXPECT_EQ(sum(target).item<float>(), 400);
}

// ---- never in place

TEST_P(InPlaceTest, NamedArraysKeepTheirValues) {
  const Array x = count_up(3);
  const Array y = x + 1;
  const Array z = y * 2;
  EXPECT_EQ(x.to_host<float>(), (Floats{0, 1, 2}));
  EXPECT_EQ(y.to_host<float>(), (Floats{1, 2, 3}));
  EXPECT_EQ(z.to_host<float>(), (Floats{2, 4, 6}));
}

TEST_P(InPlaceTest, NotOnASharedHandle) {
  Array x = count_up(3);
  const Array other = x;
  const Array y = std::move(x) + 1;
  EXPECT_EQ(other.to_host<float>(), (Floats{0, 1, 2}));
  EXPECT_EQ(y.to_host<float>(), (Floats{1, 2, 3}));
}

TEST_P(InPlaceTest, NotOnMemoryThatAViewSees) {
  Array x = count_up(6);
  const Array view = index(x, {slice(0, 2)});
  const Array matrix = reshape(x, {2, 3});
  const Array y = std::move(x) + 10;
  EXPECT_EQ(view.to_host<float>(), (Floats{0, 1}));
  EXPECT_EQ(matrix.to_host<float>(), (Floats{0, 1, 2, 3, 4, 5}));
}

TEST_P(InPlaceTest, NotThroughAView) {
  const Array x = count_up(6);
  EXPECT_EQ((reshape(x, {2, 3}) + 10).to_host<float>(), (Floats{10, 11, 12, 13, 14, 15}));
  EXPECT_EQ((index(x, {slice(0, 6, 2)}) + 10).to_host<float>(), (Floats{10, 12, 14}));
  EXPECT_EQ((flip(x) * 2).to_host<float>(), (Floats{10, 8, 6, 4, 2, 0}));
  EXPECT_EQ((broadcast_to(x, {2, 6}) + 1).shape(), (Shape{2, 6}));
  EXPECT_EQ(x.to_host<float>(), (Floats{0, 1, 2, 3, 4, 5}));
}

TEST_P(InPlaceTest, ViewsOfTemporariesHaveTheRightValues) {
  const Array x = count_up(6);
  EXPECT_EQ((flip(x + 1) * 2).to_host<float>(), (Floats{12, 10, 8, 6, 4, 2}));
  EXPECT_EQ((flip(x + 1) + (x + 1)).to_host<float>(), (Floats{7, 7, 7, 7, 7, 7}));
  EXPECT_EQ((matrix_transpose(reshape(x + 1, {2, 3})) * 2).to_host<float>(), (Floats{2, 8, 4, 10, 6, 12}));
  EXPECT_EQ((broadcast_to(x + 1, {2, 6}) + 1).to_host<float>(), (Floats{2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7}));
}

TEST_P(InPlaceTest, NotWhereTheResultIsLargerOrOfAnotherType) {
  const Array row = count_up(3);
  const Array column = reshape(count_up(2), {2, 1});
  EXPECT_EQ(((row + 1) + (column * 10)).to_host<float>(), (Floats{1, 2, 3, 11, 12, 13}));
  EXPECT_EQ(((column * 10) + (row + 1)).to_host<float>(), (Floats{1, 2, 3, 11, 12, 13}));
  EXPECT_EQ(((row + 1) > 1).to_host<std::uint8_t>().size(), 3U);
  EXPECT_EQ(astype(row + 0.5F, int32).to_host<std::int32_t>(), (std::vector<std::int32_t>{0, 1, 2}));
}

TEST_P(InPlaceTest, OneArrayAsBothOperands) {
  const auto twice = [](Array a) { return a + a; };
  const auto zero = [](Array a) { return a - a * 1; };
  const Array x = count_up(3);
  EXPECT_EQ(twice(x + 1).to_host<float>(), (Floats{2, 4, 6}));
  EXPECT_EQ(zero(x + 1).to_host<float>(), (Floats{0, 0, 0}));
}

TEST_P(InPlaceTest, NotOnBorrowedMemory) {
  auto values = std::make_shared<Floats>(100);
  std::iota(values->begin(), values->end(), 0.0F);
  const Floats copy = *values;
  {
    Array x = borrow_host(values->data(), float32, row_major({100}), 400, values, device());
    const Array y = std::move(x) * 2;
    EXPECT_EQ(sum(y).item<float>(), 9900);
  }
  device().synchronize();
  EXPECT_EQ(*values, copy);
  EXPECT_EQ(values.use_count(), 1);
}

TEST_P(InPlaceTest, NotOnMemoryThatTheHostViews) {
  Array x = count_up(4);
  if (!device().host_memory()) {
    EXPECT_THROW(x.host_view<float>(), NotSupportedError);
    return;
  }
  const HostView<float> view = x.host_view<float>();
  const Array y = std::move(x) + 1;
  EXPECT_EQ(Floats(view.data(), view.data() + 4), (Floats{0, 1, 2, 3}));
  EXPECT_EQ(y.to_host<float>(), (Floats{1, 2, 3, 4}));
}

TEST_P(InPlaceTest, ScatterAddLeavesASharedTargetAlone) {
  Array target = zeros({4}, {.device = device()});
  const Array other = target;
  const Array view = reshape(target, {2, 2});
  const Array indices = asarray({1, 1}, {.device = device()});
  const Array sums = scatter_add(std::move(target), indices, 1.0F);
  EXPECT_EQ(sums.to_host<float>(), (Floats{0, 2, 0, 0}));
  EXPECT_EQ(other.to_host<float>(), (Floats{0, 0, 0, 0}));
  EXPECT_EQ(scatter_add(flip(sums), indices, 1.0F).to_host<float>(), (Floats{0, 2, 2, 0}));
  EXPECT_EQ(sums.to_host<float>(), (Floats{0, 2, 0, 0}));
}

TEST_P(InPlaceTest, UpdatesThatAreTheTargetItself) {
  const Array x = count_up(3);
  const Array indices = asarray({2, 1, 0}, {.device = device()});
  EXPECT_EQ(scatter_add(x, indices, x).to_host<float>(), (Floats{2, 2, 2}));
  const auto onto_itself = [&](Array a) { return scatter_add(a, indices, a); };
  EXPECT_EQ(onto_itself(x + 1).to_host<float>(), (Floats{4, 4, 4}));
}

TESSERA_FOR_EACH_DEVICE(InPlaceTest);

}  // namespace
}  // namespace tessera::test
