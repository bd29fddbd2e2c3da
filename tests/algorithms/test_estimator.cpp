// Known values, dtypes, and the estimator's other methods.

#include <cmath>

#include <kmeans/kmeans.hpp>

#include "samples.hpp"
#include "support/compare.hpp"

namespace tessera::kmeans {
namespace {

using test::labels_equal;
using test::Matrix;

class EstimatorTest : public test::DeviceTest {
 protected:
  Array here(const Matrix& x, DType dtype = float32) const { return upload(x, dtype, device()); }
  Array data(const std::string& file) const {
    return load_npy(TESSERA_TEST_DATA "/" + file, {.device = device()});
  }
};

TEST_P(EstimatorTest, TheInertiaOfIrisIsTheKnownOne) {
  const Array x = data("iris.npy");
  const Array start = take(
      x, asarray({std::int64_t{0}, std::int64_t{50}, std::int64_t{100}}, {.device = device()}), {.axis = 0});
  for (const DType dtype : {float64, float32}) {
    KMeans kmeans({.n_clusters = 3, .init = astype(start, dtype), .tol = 0});
    kmeans.fit(astype(x, dtype));
    EXPECT_NEAR(kmeans.inertia(), 78.851441426146, dtype == float64 ? 1e-11 : 1e-4);
    EXPECT_EQ(kmeans.cluster_centers().dtype(), dtype);
    std::vector<std::int64_t> sizes(3, 0);
    for (const std::int64_t label : kmeans.labels().to_host<std::int64_t>())
      ++sizes[static_cast<std::size_t>(label)];
    EXPECT_EQ(sizes, (std::vector<std::int64_t>{50, 62, 38}));
  }
}

TEST_P(EstimatorTest, DigitsFollowPlainLoopsFromTheSameCenters) {
  const Array all = data("digits.npy");
  const std::int64_t n = test::is_slow(device()) ? 500 : all.shape(0);
  const Array x = index(all, {slice(0, n)});
  const Matrix host = test::download(x);
  KMeans kmeans({.n_clusters = 10, .tol = 0});
  kmeans.fit(x);
  EXPECT_EQ(kmeans.stopped(), Stopped::labels);
  const test::Lloyd expected = test::lloyd(host, test::download(kmeans.initial_centers()), 300);
  EXPECT_EQ(kmeans.n_iter(), expected.iterations);
  EXPECT_TRUE(labels_equal(kmeans.labels(), expected.labels));
  EXPECT_NEAR(kmeans.inertia(), expected.inertia, 1e-6 * expected.inertia);
}

TEST_P(EstimatorTest, IntegersAreComputedInFloats) {
  const Matrix values = test::column({0, 1, 10, 11, 100, 101});
  for (const DType dtype : {int8, uint8, int16, uint16, int32, uint32, int64, uint64}) {
    const Array x = astype(here(values), dtype);
    const Array start = take(
        x, asarray({std::int64_t{0}, std::int64_t{2}, std::int64_t{4}}, {.device = device()}), {.axis = 0});
    KMeans kmeans({.n_clusters = 3, .init = start});
    kmeans.fit(x);
    EXPECT_EQ(kmeans.cluster_centers().dtype(), itemsize(dtype) <= 2 ? float32 : float64);
    EXPECT_EQ(kmeans.inertia(), 1.5);
    EXPECT_TRUE(test::equal(kmeans.predict(x), kmeans.labels()));
  }
}

TEST_P(EstimatorTest, PredictConvertsToTheDtypeOfTheCenters) {
  const Matrix x = rounded(test::blobs(100, 3, 4), float32);
  KMeans kmeans({.n_clusters = 4});
  kmeans.fit(here(x));
  EXPECT_TRUE(test::equal(kmeans.predict(here(x, float64)), kmeans.labels()));
  EXPECT_EQ(kmeans.transform(here(x, float64)).dtype(), float32);
}

TEST_P(EstimatorTest, TransformAndScoreAgreeWithLabelsAndInertia) {
  const Matrix x = rounded(test::blobs(150, 3, 4, 100), float32);
  KMeans kmeans({.n_clusters = 4});
  kmeans.fit(here(x));
  EXPECT_EQ(kmeans.score(here(x)), -kmeans.inertia());
  const Matrix all = test::download(kmeans.transform(here(x)));
  const auto labels = kmeans.labels().to_host<std::int64_t>();
  double total = 0;
  for (std::int64_t i = 0; i < all.rows; ++i) {
    for (std::int64_t j = 0; j < 4; ++j)
      EXPECT_GE(all.at(i, j), all.at(i, labels[static_cast<std::size_t>(i)]));
    total += std::pow(all.at(i, labels[static_cast<std::size_t>(i)]), 2);
  }
  EXPECT_NEAR(total, kmeans.inertia(), 1e-5 * kmeans.inertia());
}

TEST_P(EstimatorTest, WhatItReportsIsComplete) {
  const Matrix x = rounded(test::blobs(500, 3, 4), float32);
  KMeans kmeans({.n_clusters = 4, .n_init = 2});
  kmeans.fit(here(x));
  EXPECT_GT(kmeans.tile_samples(), 0);
  EXPECT_EQ(kmeans.tile_centers(), 4);
  EXPECT_EQ(kmeans.distinct(), 4);
  EXPECT_TRUE(kmeans.warnings().empty());
  EXPECT_EQ(kmeans.relocated(), 0);
  EXPECT_GT(kmeans.seconds().total, 0);
  EXPECT_GE(kmeans.seconds().init, 0);
  EXPECT_EQ(kmeans.initial_centers().shape(), (Shape{4, 3}));
}

TESSERA_FOR_EACH_DEVICE(EstimatorTest);

}  // namespace
}  // namespace tessera::kmeans
