// Sums do not saturate, and no operation is contracted into another.

#include <cmath>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {

namespace {

using AccuracyTest = DeviceTest;

TEST_P(AccuracyTest, MeanOfTwentyMillionOnesIsOne) {
  // In float32, one at a time, a sum of ones stops at 2^24. One row spread over all where the device is too
  // slow or too small for the real thing.
  const Shape shape = {20000000, 2};
  const bool fast = device().name() != "reference" && device().host_memory();
  const Array x =
      fast ? ones(shape, {.device = device()}) : broadcast_to(ones({1, 2}, {.device = device()}), shape);
  EXPECT_TRUE(equal(mean(x, {.axis = 0}), std::vector<float>{1, 1}, {2}));
}

TEST_P(AccuracyTest, LongSumsOverEitherAxisAndOverAll) {
  const std::int64_t count = 3000000;
  const Array x = full({count}, 0.1, {.dtype = float32, .device = device()});
  const double expected = static_cast<double>(count) * static_cast<double>(0.1F);
  EXPECT_NEAR(sum(x).item<double>(), expected, expected * 1e-6);
  EXPECT_NEAR(sum(reshape(x, {count / 3, 3}), {.axis = 0}).to_host<float>()[1], expected / 3,
              expected * 1e-6);
  EXPECT_NEAR(sum(reshape(x, {3, count / 3}), {.axis = 1}).to_host<float>()[1], expected / 3,
              expected * 1e-6);
  EXPECT_NEAR(vecdot(x, x).item<double>(), expected * static_cast<double>(0.1F), expected * 1e-7);
  EXPECT_NEAR(cumulative_sum(x).to_host<float>().back(), expected, expected * 1e-6);
}

TEST_P(AccuracyTest, VarianceDoesNotCancel) {
  const Array noise =
      random::uniform(random::Key(3), {100000}, {.low = -1, .high = 1, .dtype = float64, .device = device()});
  const double expected = var(noise).item<double>();
  EXPECT_NEAR(var(noise + 1e6).item<double>(), expected, 1e-8);
  const Array narrow = astype(noise * 0.01 + 1000.0, float32);
  const double exact = var(astype(narrow, float64)).item<double>();
  EXPECT_NEAR(var(narrow).item<double>(), exact, 0.01 * exact);
}

TEST_P(AccuracyTest, ProductsAreRoundedBeforeTheyAreAdded) {
  // (1 + e)^2 - (1 + 2e) is e^2 with a fused multiply-add, 0 without.
  const float one_and = 1.0F + 0x1p-12F;
  const Array x = full({1000}, one_and, {.dtype = float32, .device = device()});
  const Array y = full({1000}, one_and * one_and, {.dtype = float32, .device = device()});
  EXPECT_TRUE(equal(x * x - y, std::vector<float>(1000, 0.0F), {1000}));
  EXPECT_TRUE(equal(square(x) - y, std::vector<float>(1000, 0.0F), {1000}));
}

TEST_P(AccuracyTest, ProductsKeepAllOfFloat32) {
  // 1 + 2^-12 loses its last bits in a product that rounds its inputs to 10 bits.
  const float one_and = 1.0F + 0x1p-12F;
  const Array x = full({64, 40}, one_and, {.dtype = float32, .device = device()});
  const Array y = full({40, 50}, 1.0F, {.dtype = float32, .device = device()});
  const Array product = matmul(x, y);
  EXPECT_TRUE(close(product, HostArray(std::vector<float>(64 * 50, 40 * one_and), {64, 50}), {1e-6}));
}

TESSERA_FOR_EACH_DEVICE(AccuracyTest);

}  // namespace

}  // namespace tessera::test
