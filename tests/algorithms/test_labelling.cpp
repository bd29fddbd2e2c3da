// Labels as fit and predict make them: compiled or not, they are the same, so the choice may depend on how
// many samples there are.

#include <cstdlib>

#include <kmeans/kmeans.hpp>
#include <kmeans/labelling.hpp>

#include "samples.hpp"
#include "support/compare.hpp"

namespace tessera::kmeans {
namespace {

using test::is_slow;

class LabellingTest : public test::DeviceTest {
 protected:
  Array normal(std::int64_t n, std::int64_t d, DType dtype, std::uint64_t seed) const {
    return test::upload(test::normal_samples(n, d, 3, 1, seed), dtype, device());
  }
};

TEST_P(LabellingTest, CompiledLabelsAreThePlainOnes) {
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t d : {1, 2, 3, 8, 33, 100}) {
      for (const std::int64_t k : {1, 2, 10, 37, 300}) {
        const std::int64_t n = is_slow(device()) ? 60 : 2111;
        const Array x = normal(n, d, dtype, 1);
        const Array centers = normal(k, d, float64, 2);
        for (const auto& [tile_samples, tile_centers] :
             {std::pair<std::int64_t, std::int64_t>{0, 0}, {500, 16}, {n, 7}}) {
          Labelling plan = plan_labelling(AssignMethod::gram_tiled, tile_samples, tile_centers, x, k);
          plan.compiled = false;
          const Array plain = nearest_center(x, centers, plan);
          plan.compiled = true;
          EXPECT_TRUE(test::equal(nearest_center(x, centers, plan), plain))
              << d << " features, " << k << " centers";
        }
      }
    }
  }
}

TEST_P(LabellingTest, CompiledDifferencesGiveThePlainLabels) {
  // Features too few for lanes, a multiple of them and not; more than one tile of centers, and samples that
  // no tile divides.
  const std::int64_t n = is_slow(device()) ? 61 : 2111;
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t d : {1, 3, 31, 64, 100}) {
      for (const std::int64_t k : {1, 33, 70}) {
        // Such devices may compile each kind of tile for seconds.
        if (is_slow(device()) && (dtype == float64 || k != 33 || (d != 3 && d != 64))) continue;
        const Array x = normal(n, d, dtype, 1);
        const Array centers = normal(k, d, float64, 2);
        for (const AssignMethod method : {AssignMethod::running, AssignMethod::running_inside}) {
          Labelling plan = plan_labelling(method, n / 2, 0, x, k);
          plan.compiled = false;
          const Array plain = nearest_center(x, centers, plan);
          plan.compiled = true;
          EXPECT_TRUE(test::equal(nearest_center(x, centers, plan), plain))
              << name(method) << ", " << d << " features, " << k << " centers";
        }
      }
    }
  }
}

TEST_P(LabellingTest, TinyFitsAreNotCompiled) {
  if (std::getenv("TESSERA_COMPILE") != nullptr) GTEST_SKIP() << "TESSERA_COMPILE decides";
  const Array x = normal(50, 4, float32, 1);
  EXPECT_FALSE(KMeans({.n_clusters = 3}).fit(x).compiled());
  EXPECT_FALSE(plan_labelling(AssignMethod::gram, 0, 0, x, 3).compiled);
  const Array more = normal(2000, 20, float32, 1);
  EXPECT_TRUE(plan_labelling(AssignMethod::gram, 0, 0, more, 100).compiled);
  EXPECT_TRUE(plan_labelling(AssignMethod::gram_tiled, 0, 0, more, 100).compiled);
  // Where the plain product is as fast.
  EXPECT_FALSE(
      plan_labelling(AssignMethod::gram_tiled, 0, 0, zeros({9000, 64}, {.device = device()}), 8).compiled);
  EXPECT_FALSE(plan_labelling(AssignMethod::running, 0, 0, more, 100).compiled);
  EXPECT_TRUE(
      plan_labelling(AssignMethod::running, 0, 0, zeros({20000, 64}, {.device = device()}), 1000).compiled);
}

TEST_P(LabellingTest, WhoAsksDecidesOnCompiling) {
  const Array x = zeros({50, 4}, {.device = device()});
  for (const AssignMethod method : {AssignMethod::gram, AssignMethod::gram_tiled, AssignMethod::running}) {
    for (const bool compiled : {false, true}) {
      EXPECT_EQ(plan_labelling(method, 0, 0, x, 3, compiled).compiled, compiled) << name(method);
    }
  }
  const auto tile = [&](bool compiled) {
    return plan_labelling(AssignMethod::gram_tiled, 0, 0, x, 1000, compiled).tile_samples;
  };
  EXPECT_GE(tile(true), tile(false));
}

TESSERA_FOR_EACH_DEVICE(LabellingTest);

}  // namespace
}  // namespace tessera::kmeans
