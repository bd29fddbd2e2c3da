// An element of a product of floats has the same bits whatever computes it: alone or among others, by any of
// the kernels that the device chooses from (devices/cpu/matmul.cpp), in any layout, on any number of threads.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <tessera/device.hpp>
#include <tessera/device_state.hpp>
#include <tessera/tessera.hpp>
#include "support/arrays.hpp"
#include "support/compare.hpp"

namespace tessera {
namespace {

const Device& cpu() {
  static const Device the_device = device("cpu");
  return the_device;
}

Array noise(DType dtype, const Shape& shape, std::uint64_t seed) {
  return test::upload(test::make_values(dtype, shape, test::Values::plain, seed), cpu());
}

/// The same values, the last two axes swapped in memory.
Array swapped(const Array& x) {
  const Array transposed = matrix_transpose(x);
  return matrix_transpose(add(transposed, zeros_like(transposed)));
}

Array rows(const Array& x, std::int64_t first, std::int64_t last) {
  return index(x, {slice(first, last)});
}

Array columns(const Array& x, std::int64_t first, std::int64_t last) {
  return index(x, {slice(), slice(first, last)});
}

::testing::AssertionResult same_bits(const Array& a, const Array& b) {
  const test::HostArray x = test::to_host_array(a);
  const test::HostArray y = test::to_host_array(b);
  if (x.shape != y.shape) return ::testing::AssertionFailure() << "shapes differ";
  const std::size_t size = itemsize(x.dtype);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    if (std::memcmp(x.element(i), y.element(i), size) != 0) {
      return ::testing::AssertionFailure() << "element " << i << " differs";
    }
  }
  return ::testing::AssertionSuccess();
}

class Products : public ::testing::TestWithParam<DType> {};

// Longer than an inner block of any kernel set and no multiple of it; shorter than a vector; a block and a
// rest.
constexpr std::int64_t kInner[] = {3, 40, 481, 1000};
// On both sides of every limit between kernels.
constexpr std::int64_t kColumns[] = {1, 2, 7, 16, 17, 33, 100, 128, 129, 300};

TEST_P(Products, ARowDoesNotDependOnItsNeighbours) {
  constexpr std::int64_t m = 300;
  for (const std::int64_t k : kInner) {
    for (const std::int64_t n : kColumns) {
      SCOPED_TRACE("k = " + std::to_string(k) + ", n = " + std::to_string(n));
      const Array x = noise(GetParam(), {m, k}, 1);
      const Array y = noise(GetParam(), {k, n}, 2);
      const Array all = matmul(x, y);
      struct Range {
        std::int64_t first, last;
      };
      for (const auto& [first, last] :
           {Range{0, 1}, {17, 18}, {299, 300}, {5, 8}, {40, 53}, {100, 164}, {1, 66}, {130, 300}}) {
        EXPECT_TRUE(same_bits(matmul(rows(x, first, last), y), rows(all, first, last)))
            << "rows " << first << " to " << last;
      }
    }
  }
}

TEST_P(Products, ARowDoesNotDependOnLayouts) {
  for (const std::int64_t m : {1, 3, 50, 200}) {
    for (const std::int64_t n : {1, 5, 16, 60, 130, 200}) {
      SCOPED_TRACE("m = " + std::to_string(m) + ", n = " + std::to_string(n));
      const Array x = noise(GetParam(), {m, 500}, 1);
      const Array y = noise(GetParam(), {500, n}, 2);
      const Array plain = matmul(x, y);
      EXPECT_TRUE(same_bits(matmul(swapped(x), y), plain));
      EXPECT_TRUE(same_bits(matmul(x, swapped(y)), plain));
      EXPECT_TRUE(same_bits(matmul(swapped(x), swapped(y)), plain));
      EXPECT_TRUE(same_bits(flip(matmul(flip(x, {.axis = 0}), y), {.axis = 0}), plain));
      // As one of a batch, whose members share y or have their own.
      const Array batch = stack(std::vector<Array>{x, x, x});
      EXPECT_TRUE(same_bits(index(matmul(batch, y), {1}), plain));
      EXPECT_TRUE(same_bits(index(matmul(batch, stack(std::vector<Array>{y, y, y})), {1}), plain));
    }
  }
}

TEST_P(Products, AColumnDoesNotDependOnItsNeighboursFromTwoColumnsOn) {
  if (const char* features = std::getenv("TESSERA_CPU_FEATURES"); features != nullptr) {
    if (features == std::string("baseline"))
      GTEST_SKIP() << "BLIS's plain kernels sum in an order of their own";
  }
  // The longest inner dimension is more than panels have room for at once.
  for (const auto& [m, k] : {std::pair{1, 1000}, {20, 1000}, {100, 1000}, {100, 4200}}) {
    const Array x = noise(GetParam(), {m, k}, 1);
    const Array y = noise(GetParam(), {k, 400}, 2);
    const Array all = matmul(x, y);
    for (const std::int64_t n : {2, 3, 7, 11, 12, 16, 17, 128, 129, 399}) {
      EXPECT_TRUE(same_bits(matmul(x, columns(y, 1, 1 + n)), columns(all, 1, 1 + n)))
          << "m = " << m << ", k = " << k << ", n = " << n;
    }
  }
}

TEST_P(Products, TheBitsDoNotDependOnThreads) {
  for (const auto& [m, k, n] : {std::tuple{1500, 700, 300},
                                {3000, 500, 7},
                                {3000, 500, 1},
                                {5000, 9, 60},
                                {40, 600, 2000},
                                {1, 1000, 3000}}) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n));
    const Array x = noise(GetParam(), {m, k}, 1);
    const Array y = noise(GetParam(), {k, n}, 2);
    const ThreadScope one(1);
    const Array serial = matmul(x, y);
    for (const int threads : {2, 3, 7}) {
      const ThreadScope several(threads);
      EXPECT_TRUE(same_bits(matmul(x, y), serial)) << threads << " threads";
    }
  }
}

TEST_P(Products, VecdotIsTheProductOfARowAndAColumn) {
  for (const std::int64_t k : {1, 15, 64, 1000, 5000}) {
    const Array x = noise(GetParam(), {37, k}, 1);
    const Array y = noise(GetParam(), {37, k}, 2);
    const Array dots = vecdot(x, y);
    const Array along = vecdot(swapped(matrix_transpose(x)), matrix_transpose(y), {.axis = 0});
    EXPECT_TRUE(same_bits(along, dots)) << "k = " << k;
    for (const std::int64_t i : {0, 5, 36}) {
      const Array column = index(y, {i, slice(), newaxis});
      EXPECT_TRUE(same_bits(index(matmul(x, column), {i, 0}), index(dots, {i}))) << "k = " << k;
    }
  }
}

TEST_P(Products, LongDotProductsDoNotSaturate) {
  const std::int64_t k = 20'000'000;
  const Array x = broadcast_to(ones({1}, {.dtype = GetParam(), .device = cpu()}), {k});
  EXPECT_EQ(vecdot(x, x).item<double>(), static_cast<double>(k));
}

TEST_P(Products, WhatLiesInTheOutputsMemoryDoesNotComeThrough) {
  for (const auto& [m, k, n] : {std::tuple{300, 500, 200}, {300, 500, 20}, {20, 500, 300}, {300, 500, 1}}) {
    const Array x = noise(GetParam(), {m, k}, 1);
    const Array y = noise(GetParam(), {k, n}, 2);
    // The next array of this size gets the block that this one leaves.
    {
      const Array nan =
          full({m, n}, std::numeric_limits<double>::quiet_NaN(), {.dtype = GetParam(), .device = cpu()});
    }
    EXPECT_TRUE(all(isfinite(matmul(x, y))).item<bool>()) << m << " x " << k << " x " << n;
  }
}

View view_of(const Array& x) {
  const bool single = x.dtype() == DType::float32;
  const void* const data = single ? static_cast<const void*>(x.host_view<float>().data())
                                  : static_cast<const void*>(x.host_view<double>().data());
  return {.data = const_cast<void*>(data), .dtype = x.dtype(), .shape = x.shape(), .strides = x.strides()};
}

/// The fused kernel's winners are those of the operations one by one.
void expect_winners(double alpha, const Array& x, const Array& y, const Array& bias) {
  const std::int64_t m = x.shape(0);
  const Array scores = add(bias, multiply(matmul(x, matrix_transpose(y)), alpha));
  const Array expected = argmin(scores, {.axis = 1, .keepdims = true});
  const Array expected_score = reshape(take_along_axis(scores, expected, {.axis = 1}), {m});
  for (const int threads : {1, 3}) {
    const ThreadScope scope(threads);
    std::vector<std::int64_t> index(static_cast<std::size_t>(m));
    const Array score = zeros({m}, {.dtype = x.dtype(), .device = cpu()});
    cpu().state().device.matmul_argmin(
        Precision::ieee, alpha, view_of(x), view_of(y), view_of(bias),
        {.data = index.data(), .dtype = DType::int64, .shape = {m}, .strides = {1}}, view_of(score));
    EXPECT_EQ(index, expected.to_host<std::int64_t>());
    // But for a NaN's payload.
    EXPECT_TRUE(same_bits(where(isnan(score), 0, score), where(isnan(expected_score), 0, expected_score)));
    EXPECT_TRUE(test::equal(score, expected_score));
  }
}

TEST_P(Products, TheFusedArgminGivesWhatTheOperationsGive) {
  for (const auto& [m, k, n] : {std::tuple{700, 40, 50},
                                {3000, 64, 256},
                                {1500, 600, 1500},
                                {200, 3, 7},
                                {300, 9, 1},
                                {30, 20, 100},
                                {2100, 300, 5000}}) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n));
    expect_winners(-2, noise(GetParam(), {m, k}, 1), noise(GetParam(), {n, k}, 2), noise(GetParam(), {n}, 3));
  }
}

TEST_P(Products, TheFusedArgminOfFewFeatures) {
  for (const std::int64_t k : {1, 2, 3, 4, 5, 15, 16, 33, 128, 129}) {
    for (const std::int64_t n : {2, 16, 17, 200}) {
      SCOPED_TRACE("k = " + std::to_string(k) + ", n = " + std::to_string(n));
      const Array x = noise(GetParam(), {333, k}, 1);
      const Array y = noise(GetParam(), {n, k}, 2);
      const Array bias = noise(GetParam(), {n}, 3);
      for (const double alpha : {-2.0, 1.0, 0.3, -0.25}) expect_winners(alpha, x, y, bias);
      // The same center twice.
      expect_winners(-1, x, concat({y, y}), concat({bias, bias}));
    }
  }
}

/// Zeros of both signs, subnormals, NaN, infinities, products that overflow.
TEST_P(Products, TheFusedArgminOfAnyValues) {
  const auto special = [](const Shape& shape, std::uint64_t seed) {
    return test::upload(test::make_values(GetParam(), shape, test::Values::special, seed), cpu());
  };
  for (const std::int64_t k : {1, 3, 7, 20}) {
    SCOPED_TRACE(k);
    const Array x = noise(GetParam(), {200, k}, 1);
    const Array y = noise(GetParam(), {40, k}, 2);
    const Array bias = noise(GetParam(), {40}, 3);
    expect_winners(-2, special({200, k}, 4), y, bias);
    expect_winners(-2, x, special({40, k}, 5), bias);
    expect_winners(-2, x, y, special({40}, 6));
    expect_winners(-2, x, zeros_like(y), zeros_like(bias));
    const double huge = GetParam() == DType::float32 ? 1e19 : 1e154;
    expect_winners(-2, x * huge, y * huge, bias * huge * huge);
  }
}

INSTANTIATE_TEST_SUITE_P(, Products, ::testing::Values(DType::float32, DType::float64),
                         [](const auto& dtype) { return std::string(name(dtype.param)); });

}  // namespace
}  // namespace tessera
