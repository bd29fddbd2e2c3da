// Sample weights.

#include <kmeans/kmeans.hpp>

#include "samples.hpp"
#include "support/compare.hpp"

namespace tessera::kmeans {
namespace {

using test::labels_equal;
using test::Matrix;

class WeightsTest : public test::DeviceTest {
 protected:
  Array here(const Matrix& x, DType dtype = float32) const { return upload(x, dtype, device()); }
  Array weights(const std::vector<double>& values) const {
    return from_host(values, {static_cast<std::int64_t>(values.size())}, {.device = device()});
  }
};

TEST_P(WeightsTest, AWeightCountsAsSoManyCopies) {
  for (const test::Form& form : test::kForms) {
    SCOPED_TRACE(describe(form));
    const std::int64_t times = copies(form, 2, device());
    const Matrix x = padded(test::repeated(test::column({0, 1}), times), form);
    KMeans weighted({.n_clusters = 1});
    weighted.fit(here(x), weights(std::vector<double>(static_cast<std::size_t>(x.rows), 2)));
    EXPECT_EQ(weighted.inertia(), double(times));
    KMeans copied({.n_clusters = 1});
    copied.fit(here(test::repeated(x, 2)));
    EXPECT_EQ(copied.inertia(), double(times));
    EXPECT_TRUE(test::equal(weighted.cluster_centers(), copied.cluster_centers()));
  }
}

TEST_P(WeightsTest, AWeightedFitIsThatOfPlainLoops) {
  const std::int64_t n = test::is_slow(device()) ? 300 : 3000;
  const Matrix x = rounded(test::blobs(n, 5, 7), float32);
  std::vector<double> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(0.25 * double(i % 5));
  const Matrix start = test::first_rows(x, 7);
  const test::Lloyd expected = test::lloyd(x, start, 20, values);
  for (const UpdateMethod update : {UpdateMethod::scatter, UpdateMethod::one_hot, UpdateMethod::tiled_mean}) {
    KMeans kmeans({.n_clusters = 7, .init = here(start), .max_iter = 20, .tol = 0, .update = update});
    kmeans.fit(here(x), weights(values));
    EXPECT_TRUE(labels_equal(kmeans.labels(), expected.labels)) << name(update);
    EXPECT_NEAR(kmeans.inertia(), expected.inertia, 1e-5 * expected.inertia) << name(update);
    EXPECT_NEAR(kmeans.score(here(x), weights(values)), -expected.inertia, 1e-5 * expected.inertia);
  }
}

TEST_P(WeightsTest, WeightsAreNotNormalised) {
  const Matrix x = rounded(test::blobs(200, 3, 4), float32);
  KMeans once({.n_clusters = 4, .init = here(test::first_rows(x, 4))});
  KMeans tenfold({.n_clusters = 4, .init = here(test::first_rows(x, 4))});
  once.fit(here(x));
  tenfold.fit(here(x), weights(std::vector<double>(200, 8)));
  EXPECT_EQ(tenfold.inertia(), 8 * once.inertia());
  EXPECT_TRUE(test::equal(tenfold.labels(), once.labels()));
}

TEST_P(WeightsTest, WeightsOfAnyNumberTypeAreTaken) {
  const Matrix x = test::column({0, 1, 10, 12});
  const Array start = here(test::column({0, 10}));
  for (const DType dtype : {uint8, int64, float32, float64}) {
    KMeans kmeans({.n_clusters = 2, .init = start});
    kmeans.fit(here(x), astype(weights({1, 3, 1, 1}), dtype));
    EXPECT_TRUE(test::equal(kmeans.cluster_centers(), std::vector<float>{0.75F, 11}, {2, 1}));
  }
}

TEST_P(WeightsTest, NeitherDataNorWeightsNorCentersAreChanged) {
  for (const DType dtype : {float32, float64, int32}) {
    const Matrix values = test::blobs(150, 4, 5);
    const Array x = dtype == int32 ? astype(here(values, float64), int32) : here(values, dtype);
    const Array w = weights(std::vector<double>(150, 0.3));
    const Array start = astype(index(x, {slice(0, 5)}), float64);
    const auto before_x = test::to_host_array(x);
    const auto before_w = test::to_host_array(w);
    const auto before_start = test::to_host_array(start);
    for (const AssignMethod assign : {AssignMethod::gram_tiled, AssignMethod::gram, AssignMethod::running,
                                      AssignMethod::running_inside}) {
      for (const UpdateMethod update :
           {UpdateMethod::scatter, UpdateMethod::one_hot, UpdateMethod::tiled_mean}) {
        KMeans given({.n_clusters = 5, .init = start, .assign = assign, .update = update, .record = true});
        given.fit(x, w);
        given.predict(x);
        given.transform(x);
        given.score(x, w);
        KMeans made({.n_clusters = 5, .assign = assign, .update = update});
        made.fit(x);
      }
    }
    EXPECT_TRUE(test::same_bits(test::to_host_array(x), before_x));
    EXPECT_TRUE(test::same_bits(test::to_host_array(w), before_w));
    EXPECT_TRUE(test::same_bits(test::to_host_array(start), before_start));
  }
}

TESSERA_FOR_EACH_DEVICE(WeightsTest);

}  // namespace
}  // namespace tessera::kmeans
