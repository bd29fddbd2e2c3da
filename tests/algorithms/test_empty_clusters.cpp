// Empty clusters are filled by one rule; duplicates leave some empty for good.

#include <cmath>

#include <kmeans/kmeans.hpp>

#include "samples.hpp"
#include "support/compare.hpp"

namespace tessera::kmeans {
namespace {

using test::labels_equal;
using test::Matrix;

class EmptyClusterTest : public test::DeviceTest {
 protected:
  Array here(const Matrix& x, DType dtype = float32) const { return upload(x, dtype, device()); }

  // A fit from given centers beside plain loops in float64, in every form and dtype.
  void expect_lloyd(const Matrix& samples, const Matrix& start, int max_iter,
                    const std::vector<double>& some_weights = {}) {
    for (const test::Form& form : test::kForms) {
      for (const DType dtype : {float32, float64}) {
        SCOPED_TRACE(describe(form) + ", " + std::string(tessera::name(dtype)));
        const std::int64_t times = copies(form, samples.rows, device());
        const Matrix x = padded(test::repeated(samples, times), form);
        const auto weights = test::repeated(some_weights, some_weights.empty() ? 0 : times);
        const test::Lloyd expected = test::lloyd(x, padded(start, form), max_iter, weights);
        KMeans kmeans({.n_clusters = start.rows,
                       .init = here(padded(start, form), float64),
                       .max_iter = max_iter,
                       .tol = 0});
        std::optional<Array> weights_here;
        if (!weights.empty()) weights_here = from_host(weights, {x.rows}, {.device = device()});
        kmeans.fit(here(x, dtype), weights_here);

        const Matrix centers = test::download(kmeans.cluster_centers());
        for (std::size_t i = 0; i < centers.values.size(); ++i) {
          EXPECT_NEAR(centers.values[i], expected.centers.values[i], 1e-5)
              << "value " << i << " of the centers";
        }
        EXPECT_TRUE(labels_equal(kmeans.labels(), expected.labels));
        EXPECT_TRUE(test::equal(kmeans.predict(here(x, dtype)), kmeans.labels()));
        EXPECT_NEAR(kmeans.inertia(), expected.inertia, 1e-5 * expected.inertia);
        EXPECT_EQ(kmeans.relocated(), expected.relocated);
        EXPECT_EQ(kmeans.n_iter(), expected.iterations);
      }
    }
  }
};

TEST_P(EmptyClusterTest, AnEmptyClusterTakesTheFarthestSample) {
  const Matrix x = test::column({1, 2, 3});
  KMeans kmeans({.n_clusters = 3, .init = here(test::column({4, 0, 1})), .tol = 0});
  kmeans.fit(here(x));
  EXPECT_EQ(kmeans.inertia(), 0);
  EXPECT_TRUE(test::equal(kmeans.predict(here(x)), kmeans.labels()));
  expect_lloyd(x, test::column({4, 0, 1}), 300);
}

TEST_P(EmptyClusterTest, SeveralEmptyClustersTakeTheFarthestInOrder) {
  const Matrix x = test::column({-10, -9.5, -9, -8.5, -8, -1, 1, 9, 9.5, 10});
  const Array start = here(test::column({-10, -10, -10}));
  KMeans once({.n_clusters = 3, .init = start, .max_iter = 1, .tol = 0});
  once.fit(here(x));
  EXPECT_TRUE(test::close(once.cluster_centers(), here(test::column({-4.5, 10, 9.5})), {.relative = 1e-6}));
  EXPECT_NEAR(once.inertia(), 146.5, 1e-4);
  EXPECT_EQ(once.relocated(), 2);
  EXPECT_EQ(test::lloyd(x, test::column({-10, -10, -10}), 1).weights, (std::vector<double>{8, 1, 1}));
  KMeans all({.n_clusters = 3, .init = start, .tol = 0});
  all.fit(here(x));
  EXPECT_TRUE(
      test::close(all.cluster_centers(), here(test::column({-45.0 / 7, 10, 9.25})), {.relative = 1e-6}));
  EXPECT_NEAR(all.inertia(), 120.33929, 1e-4);
  expect_lloyd(x, test::column({-10, -10, -10}), 1);
  expect_lloyd(x, test::column({-10, -10, -10}), 300);
}

TEST_P(EmptyClusterTest, TheSampleThatMovesLeavesItsClustersSum) {
  const Matrix x{{0, 0}, {0.5, 0}, {0.5, 1}, {1, 1}};
  const Matrix start{{0.5, 0.5}, {3, 3}};
  KMeans kmeans({.n_clusters = 2, .init = here(start), .tol = 0});
  kmeans.fit(here(x));
  EXPECT_TRUE(test::equal(kmeans.cluster_centers(), std::vector<float>{0.75F, 1, 0.25F, 0}, {2, 2}));
  EXPECT_EQ(kmeans.inertia(), 0.25);
  expect_lloyd(x, start, 300);
}

TEST_P(EmptyClusterTest, CentersThatStartOutsideTheData) {
  const Matrix x = test::column({-10, -9, 0, 1, 9, 10});
  KMeans kmeans({.n_clusters = 3, .init = here(test::column({-10, -10.5, -11})), .tol = 0});
  kmeans.fit(here(x));
  EXPECT_TRUE(test::equal(kmeans.cluster_centers(), std::vector<float>{-4.5F, 10, 9}, {3, 1}));
  EXPECT_NEAR(kmeans.inertia(), 101, 1e-4);
  expect_lloyd(x, test::column({-10, -10.5, -11}), 300);
}

TEST_P(EmptyClusterTest, OnlySamplesWithWeightMove) {
  const Matrix x = test::column({-10, -9.5, -9, -8.5, -8, -1, 1, 9, 9.5, 10});
  const std::vector<double> weights{1, 2, 0.5, 1, 1, 3, 1, 0.75, 1, 0};
  expect_lloyd(x, test::column({-10, -10, -10}), 1, weights);
  expect_lloyd(x, test::column({-10, -10, -10}), 300, weights);
}

TEST_P(EmptyClusterTest, AClusterThatLosesItsLastSampleKeepsItsCenter) {
  // Both samples of the first cluster are the farthest, and move away; 0.1 + 0.2 - 0.2 - 0.1 is not 0.
  const Matrix x = test::column({-5, 5, 100, 100.5, 101});
  const std::vector<double> weights{0.1, 0.2, 1, 1, 1};
  expect_lloyd(x, test::column({0, 100.5, 300, 400}), 1, weights);
  expect_lloyd(x, test::column({0, 100.5, 300, 400}), 1);
}

TEST_P(EmptyClusterTest, EqualSamplesEndWithOneLabelAndAWarning) {
  for (const test::Form& form : test::kForms) {
    const std::int64_t times = copies(form, 10, device());
    const Matrix x = padded(test::repeated(test::column(std::vector<double>(10, 0.7)), times), form);
    for (const std::int64_t k : {2, 3, 10}) {
      SCOPED_TRACE(describe(form) + ", k " + std::to_string(k));
      KMeans kmeans({.n_clusters = k, .tol = k == 3 ? 0 : 1e-4});
      kmeans.fit(here(x));
      const Matrix centers = test::download(kmeans.cluster_centers());
      EXPECT_EQ(centers.rows, k);
      for (const double value : centers.values) EXPECT_TRUE(std::isfinite(value));
      EXPECT_EQ(kmeans.inertia(), 0);
      EXPECT_TRUE(
          labels_equal(kmeans.labels(), std::vector<std::int64_t>(static_cast<std::size_t>(x.rows), 0)));
      EXPECT_EQ(kmeans.distinct(), 1);
      EXPECT_EQ(kmeans.warnings().size(), 1U);
    }
  }
}

TEST_P(EmptyClusterTest, EqualSamplesInFloat64EndThoughTheirMeanIsRounded) {
  // Ten times 0.1 is not 1, nor is 0.3 * 0.1 + 0.6 * 0.1 a 0.9th of it.
  const Matrix x = test::repeated(Matrix{{0.1, 0.7}}, 1000);
  const Matrix three = test::repeated(Matrix{{0.1, 0.2}, {5.3, -1.7}, {-2.9, 4.4}}, 333);
  std::vector<double> some_weights;
  for (int i = 0; i < 1000; ++i) some_weights.push_back(0.3 + 0.1 * (i % 7));
  const Array weights = from_host(some_weights, {1000}, {.device = device()});
  for (const double tol : {0.0, 1e-4}) {
    for (const std::int64_t k : {2, 5}) {
      const Array far = upload(test::repeated(Matrix{{3, 4}}, k), float64, device());
      for (const auto& init :
           std::vector<std::variant<InitMethod, Array>>{InitMethod::kmeans_plusplus, far}) {
        SCOPED_TRACE("tol " + std::to_string(tol) + ", k " + std::to_string(k));
        KMeans kmeans({.n_clusters = k, .init = init, .tol = tol});
        for (const DType dtype : {float32, float64}) {
          kmeans.fit(here(x, dtype), weights);
          EXPECT_LE(kmeans.n_iter(), 4);
          EXPECT_EQ(kmeans.inertia(), 0);
          EXPECT_EQ(kmeans.warnings().size(), 1U);
        }
        kmeans.fit(here(x, float64));
        EXPECT_LE(kmeans.n_iter(), 4);
        EXPECT_EQ(kmeans.inertia(), 0);
        EXPECT_EQ(kmeans.distinct(), 1);
      }
    }
    KMeans kmeans({.n_clusters = 5, .tol = tol});
    kmeans.fit(here(three, float64));
    EXPECT_LE(kmeans.n_iter(), 3);
    EXPECT_EQ(kmeans.inertia(), 0);
    EXPECT_EQ(kmeans.distinct(), 3);
  }
}

TEST_P(EmptyClusterTest, FewerDifferentSamplesThanClustersAreAllFound) {
  const Matrix three = {{0.1, 0.2}, {5.3, -1.7}, {-2.9, 4.4}};
  for (const bool wide : {false, true}) {
    const Matrix x = padded(test::repeated(three, test::is_slow(device()) ? 700 : 1000), {.padded = wide});
    for (const InitMethod init : {InitMethod::kmeans_plusplus, InitMethod::random}) {
      KMeans kmeans({.n_clusters = 5, .init = init});
      kmeans.fit(here(x));
      EXPECT_EQ(kmeans.inertia(), 0);
      EXPECT_EQ(kmeans.distinct(), 3);
      EXPECT_EQ(kmeans.warnings().size(), 1U);
      for (const double value : test::download(kmeans.cluster_centers()).values)
        EXPECT_TRUE(std::isfinite(value));
    }
  }
}

TESSERA_FOR_EACH_DEVICE(EmptyClusterTest);

}  // namespace
}  // namespace tessera::kmeans
