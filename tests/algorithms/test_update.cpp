// The schedules of the update against sums in float64.

#include <kmeans/update.hpp>

#include "samples.hpp"
#include "support/arrays.hpp"
#include "support/compare.hpp"

namespace tessera::kmeans {
namespace {

using test::is_slow;
using test::Matrix;

class UpdateTest : public test::DeviceTest {
 protected:
  struct Expected {
    Matrix sums;
    std::vector<double> weights;
  };
  static Expected expect(const Matrix& x, const std::vector<std::int64_t>& labels, std::int64_t k,
                         const std::vector<double>& weights) {
    Expected expected{Matrix(k, x.columns), std::vector<double>(static_cast<std::size_t>(k), 0)};
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const double w = weights.empty() ? 1 : weights[i];
      expected.weights[static_cast<std::size_t>(labels[i])] += w;
      for (std::int64_t j = 0; j < x.columns; ++j) {
        expected.sums.at(labels[i], j) += w * x.at(static_cast<std::int64_t>(i), j);
      }
    }
    return expected;
  }

  using Update = ClusterSums (*)(const Array&, const Array&, std::int64_t, const UpdateOptions&);
  void check(Update update, DType dtype, bool with_weights, double tolerance) {
    const std::int64_t n = is_slow(device()) ? 611 : 6011;
    const std::int64_t k = 13;  // the last cluster stays empty
    const Matrix x = rounded(test::normal_samples(n, 9, 5), dtype);
    test::Numbers numbers(3);
    std::vector<std::int64_t> labels;
    std::vector<double> weights;
    for (std::int64_t i = 0; i < n; ++i) labels.push_back(numbers.between(0, k - 2));
    for (std::int64_t i = 0; i < n && with_weights; ++i)
      weights.push_back(0.25 * double(numbers.between(0, 7)));
    UpdateOptions options{.weights = {}, .tile_samples = 100};
    if (with_weights) options.weights = from_host(weights, {n}, {.device = device()});
    const Array x_here = upload(x, dtype, device());
    const Array labels_here = from_host(labels, {n}, {.device = device()});
    const ClusterSums clusters = update(x_here, labels_here, k, options);
    const ClusterSums compiled = compile(update)(x_here, labels_here, k, options);
    EXPECT_TRUE(test::same_bits(compiled.sums, clusters.sums));
    EXPECT_TRUE(test::same_bits(compiled.weights, clusters.weights));

    ASSERT_EQ(clusters.sums.dtype(), float64);
    ASSERT_EQ(clusters.sums.shape(), (Shape{k, 9}));
    const Expected expected = expect(x, labels, k, weights);
    const Matrix sums = test::download(clusters.sums);
    const Matrix totals = test::download(astype(clusters.weights, float64));
    for (std::int64_t j = 0; j < k; ++j) {
      EXPECT_EQ(totals.at(j, 0), expected.weights[static_cast<std::size_t>(j)]) << "cluster " << j;
      for (std::int64_t c = 0; c < 9; ++c) {
        EXPECT_NEAR(sums.at(j, c), expected.sums.at(j, c), tolerance * 5 * double(n)) << "cluster " << j;
      }
    }
  }
};

TEST_P(UpdateTest, ScatterAddsInFloat64) {
  for (const DType dtype : {float32, float64}) {
    check(update_scatter, dtype, false, 1e-15);
    check(update_scatter, dtype, true, 1e-15);
  }
}

TEST_P(UpdateTest, OneHotProductsAddInTheDtypeOfTheData) {
  for (const bool weights : {false, true}) {
    check(update_one_hot, float32, weights, 1e-6);
    check(update_one_hot, float64, weights, 1e-15);
  }
}

TEST_P(UpdateTest, TiledMeansAddTilesInFloat64) {
  for (const bool weights : {false, true}) {
    check(update_tiled_mean, float32, weights, 1e-7);
    check(update_tiled_mean, float64, weights, 1e-15);
  }
}

TEST_P(UpdateTest, ScatterIsExactWhereFloat64SumsAre) {
  const std::int64_t n = is_slow(device()) ? 2001 : 200001;
  const Array x = full({n, 3}, 0.1, {.dtype = float32, .device = device()});
  const ClusterSums clusters = update_scatter(x, zeros({n}, {.dtype = int64, .device = device()}), 1);
  for (const double value : clusters.sums.to_host<double>()) EXPECT_EQ(value, double(n) * double(0.1F));
}

TEST_P(UpdateTest, AClusterWithoutWeightKeepsItsPreviousCenter) {
  const Array x = asarray({{1.0F}, {3.0F}}, {.device = device()});
  const ClusterSums clusters =
      update_scatter(x, asarray({std::int64_t{2}, std::int64_t{2}}, {.device = device()}), 3);
  const Array previous = asarray({{7.0}, {8.0}, {9.0}}, {.device = device()});
  EXPECT_TRUE(test::equal(cluster_means(clusters, previous), std::vector<double>{7, 8, 2}, {3, 1}));
}

TESSERA_FOR_EACH_DEVICE(UpdateTest);

}  // namespace
}  // namespace tessera::kmeans
