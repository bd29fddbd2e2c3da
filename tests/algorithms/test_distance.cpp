// Explicit distances in float64.

#include <cmath>

#include <kmeans/distance.hpp>

#include "samples.hpp"
#include "support/compare.hpp"

namespace tessera::kmeans {
namespace {

using test::Matrix;

class DistanceTest : public test::DeviceTest {};

TEST_P(DistanceTest, EveryPairInTilesOfAnySize) {
  const Matrix x = rounded(test::normal_samples(113, 5, 100), float32);
  const Matrix centers = rounded(test::normal_samples(17, 5, 100, 1, 2), float32);
  for (const std::int64_t cache : {1, 4000, 1 << 22}) {
    const Array all = distances(upload(x, float32, device()), upload(centers, float32, device()), cache);
    ASSERT_EQ(all.shape(), (Shape{113, 17}));
    ASSERT_EQ(all.dtype(), float32);
    const Matrix values = test::download(all);
    for (std::int64_t i = 0; i < x.rows; ++i) {
      for (std::int64_t j = 0; j < centers.rows; ++j) {
        EXPECT_FLOAT_EQ(static_cast<float>(values.at(i, j)),
                        static_cast<float>(std::sqrt(squared_distance(x, i, centers, j))));
      }
    }
  }
}

TEST_P(DistanceTest, InertiaIsTheWeightedSumForAnyTile) {
  const Matrix x = rounded(test::normal_samples(211, 4, 10), float32);
  const Matrix centers = rounded(test::normal_samples(6, 4, 10, 1, 2), float32);
  const auto labels = nearest(x, centers);
  std::vector<double> weights;
  for (std::int64_t i = 0; i < x.rows; ++i) weights.push_back(0.5 * double(i % 5));
  const Array x_here = upload(x, float32, device());
  const Array centers_here = upload(centers, float32, device());
  const Array labels_here = from_host(labels, {x.rows}, {.device = device()});
  for (const std::int64_t tile : {1, 50, 1000}) {
    EXPECT_NEAR(inertia(x_here, labels_here, centers_here, {}, tile).item<double>(),
                test::inertia(x, labels, centers), 1e-9);
    EXPECT_NEAR(
        inertia(x_here, labels_here, centers_here, from_host(weights, {x.rows}, {.device = device()}), tile)
            .item<double>(),
        test::inertia(x, labels, centers, weights), 1e-9);
  }
}

TEST_P(DistanceTest, ASampleThatEqualsItsCenterIsAtDistanceZero) {
  const Matrix x = rounded(test::normal_samples(300, 7, 1000), float32);
  const Array here = upload(x, float32, device());
  const Array labels = arange(300, {.device = device()});
  EXPECT_EQ(inertia(here, labels, here, {}, 64).item<double>(), 0);
  for (const double value : squared_distances(here, labels, here, 64).to_host<double>()) EXPECT_EQ(value, 0);
  const Matrix all = test::download(distances(here, here, 1 << 20));
  for (std::int64_t i = 0; i < 300; ++i) EXPECT_EQ(all.at(i, i), 0);
}

TESSERA_FOR_EACH_DEVICE(DistanceTest);

}  // namespace
}  // namespace tessera::kmeans
