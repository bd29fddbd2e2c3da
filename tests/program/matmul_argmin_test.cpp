// matmul_argmin: the default, in terms of plain kernels, and the device's own.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <tessera/tessera.hpp>

#include "program/builder.hpp"
#include "support/arrays.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

struct Winners {
  Array index;
  Array score;
};

class MatmulArgminTest : public DeviceTest {
 protected:
  /// Small integers: every product and sum is exact, so ties are many and every device agrees in bits.
  Array whole(const Shape& shape, std::uint64_t seed, DType dtype = float32) const {
    HostArray values = make_values(int64, shape, Values::few, seed);
    return astype(upload(values, device()), dtype);
  }

  Winners run(bool plain, Scalar alpha, const Array& x, const Array& y, const Array& bias) const {
    const Shape rows{x.shape(0)};
    Winners out{empty(rows, {.dtype = int64, .device = device()}),
                empty(rows, {.dtype = x.dtype(), .device = device()})};
    run_into(plain, alpha, x, y, bias, out);
    return out;
  }

  void run_into(bool plain, Scalar alpha, const Array& x, const Array& y, const Array& bias,
                const Winners& out) const {
    DeviceInterface& kernels = kernels_of(device());
    const View views[] = {view_of_array(x), view_of_array(y), view_of_array(bias), view_of_array(out.index),
                          view_of_array(out.score)};
    if (plain) {
      kernels.DeviceInterface::matmul_argmin(Precision::ieee, alpha, views[0], views[1], views[2], views[3],
                                             views[4]);
    } else {
      kernels.matmul_argmin(Precision::ieee, alpha, views[0], views[1], views[2], views[3], views[4]);
    }
  }

  void expect_composition(Scalar alpha, const Array& x, const Array& y, const Array& bias) const {
    const Array scores = bias + alpha * matmul(x, matrix_transpose(y));
    for (const bool plain : {true, false}) {
      SCOPED_TRACE(plain ? "the default" : "the device's own");
      const Winners out = run(plain, alpha, x, y, bias);
      EXPECT_TRUE(equal(out.index, argmin(scores, {.axis = 1})));
      EXPECT_TRUE(equal(out.score, min(scores, {.axis = 1})));
    }
  }
};

TEST_P(MatmulArgminTest, IsTheArgminOfTheScores) {
  for (const std::int64_t n : {1, 2, 7, 100, 129}) {
    for (const std::int64_t k : {1, 3, 16, 31, 32, 33, 64, 65}) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", k " << k);
      expect_composition(-2, whole({53, k}, 1), whole({n, k}, 2), whole({n}, 3));
    }
  }
}

/// Of sums that round: compiled code gives the bits of plain code.
TEST_P(MatmulArgminTest, HasTheBitsOfTheOperationsOneByOne) {
  for (const DType dtype : {float32, float64}) {
    const auto make = [&](const Shape& shape, std::uint64_t seed) {
      return upload(make_values(dtype, shape, Values::plain, seed), device());
    };
    for (const std::int64_t n : {2, 37, 129}) {
      for (const std::int64_t k : {1, 3, 16, 31, 32, 33, 64, 65}) {
        SCOPED_TRACE(testing::Message() << name(dtype) << ", n " << n << ", k " << k);
        expect_composition(-2, make({150, k}, 1), make({n, k}, 2), make({n}, 3));
      }
    }
    // The same centers stepped, the samples by columns.
    const Array x = make({33, 150}, 4);
    const Array y = make({60, 70}, 5);
    expect_composition(0.3, matrix_transpose(x), index(y, {slice(59, {}, -2), slice(0, 66, 2)}),
                       make({30}, 6));
  }
}

TEST_P(MatmulArgminTest, ManyTilesOfSamples) {
  expect_composition(-2, whole({5000, 5}, 4), whole({129, 5}, 5), whole({129}, 6));
}

TEST_P(MatmulArgminTest, InFloat64) {
  expect_composition(-2, whole({300, 9}, 7, float64), whole({40, 9}, 8, float64), whole({40}, 9, float64));
}

TEST_P(MatmulArgminTest, ViewsOfAnyLayout) {
  const Array x = whole({40, 120}, 10);
  const Array y = whole({14, 30}, 11);
  const Array bias = whole({30}, 12);
  const Array samples = index(matrix_transpose(x), {slice(119, 20, -2), slice(1, 40, 3)});  // 50 x 13
  const Array centers = index(matrix_transpose(y), {slice(0, 30, 2), slice(0, 13)});        // 15 x 13
  expect_composition(1, samples, centers, index(bias, {slice(29, {}, -2)}));
  expect_composition(1, samples, centers, broadcast_to(index(bias, {slice(0, 1)}), {15}));
}

TEST_P(MatmulArgminTest, OutputsWithStrides) {
  const Array x = whole({2000, 3}, 13);
  const Array y = whole({200, 3}, 14);
  const Array bias = whole({200}, 15);
  const Winners frame{full({4001}, -7, {.dtype = int64, .device = device()}),
                      full({4001}, -7, {.dtype = float32, .device = device()})};
  const Winners out{index(frame.index, {slice(1, 4001, 2)}), index(frame.score, {slice(3999, {}, -2)})};
  run_into(true, -2, x, y, bias, out);
  const Winners expected = run(true, -2, x, y, bias);
  EXPECT_TRUE(equal(out.index, expected.index));
  EXPECT_TRUE(equal(out.score, expected.score));
  EXPECT_TRUE(all(index(frame.index, {slice(0, {}, 2)}) == -7).item<bool>());
  EXPECT_TRUE(all(index(frame.score, {slice(0, {}, 2)}) == -7).item<bool>());
}

TEST_P(MatmulArgminTest, TiesGoToTheLowestIndexAndNanWins) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const Array x = zeros({1, 2}, {.device = device()});
  const Array y = zeros({6, 2}, {.device = device()});
  const auto winner = [&](const std::vector<float>& bias, bool plain) {
    return run(plain, -2, x, y, from_host(bias, {6}, {.device = device()}));
  };
  for (const bool plain : {true, false}) {
    EXPECT_EQ(winner({3, 1, 2, 1, 1, 5}, plain).index.item<std::int64_t>(), 1);
    EXPECT_EQ(winner({3, 0.0F, 2, -0.0F, 1, 5}, plain).index.item<std::int64_t>(), 1);
    EXPECT_EQ(winner({3, -inf, nan, 1, nan, -inf}, plain).index.item<std::int64_t>(), 2);
    EXPECT_TRUE(std::isnan(winner({3, -inf, nan, 1, nan, -inf}, plain).score.item<float>()));
    EXPECT_EQ(winner({inf, inf, inf, inf, inf, inf}, plain).index.item<std::int64_t>(), 0);
  }
}

TEST_P(MatmulArgminTest, NoSamplesAndNoFeatures) {
  expect_composition(-2, zeros({0, 3}, {.device = device()}), whole({4, 3}, 16), whole({4}, 17));
  expect_composition(-2, zeros({5, 0}, {.device = device()}), zeros({4, 0}, {.device = device()}),
                     whole({4}, 18));
}

TEST_P(MatmulArgminTest, TakesNoMatrixOfScores) {
  constexpr std::int64_t samples = 30000;
  constexpr std::int64_t centers = 400;
  const Array x = whole({samples, 2}, 19);
  const Array y = whole({centers, 2}, 20);
  const Array bias = whole({centers}, 21);
  for (const bool plain : {true, false}) {
    const PeakScope scope(device());
    run(plain, -2, x, y, bias);
    EXPECT_LT(scope.peak(), samples * centers * 4 / 4);
  }
}

TESSERA_FOR_EACH_DEVICE(MatmulArgminTest);

}  // namespace
}  // namespace tessera::test
