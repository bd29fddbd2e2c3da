// Labels and inertia where single precision, or an expanded square, would lose them.

#include <cmath>

#include <kmeans/kmeans.hpp>

#include "samples.hpp"
#include "support/compare.hpp"

namespace tessera::kmeans {
namespace {

using test::is_slow;
using test::labels_are_nearest;
using test::labels_equal;
using test::Matrix;

class PrecisionTest : public test::DeviceTest {
 protected:
  Array here(const Matrix& x, DType dtype = float32) const { return upload(x, dtype, device()); }
};

TEST_P(PrecisionTest, InertiaOfCloseSamplesIsNotLostToTheirNorms) {
  for (const test::Form& form : test::kForms) {
    SCOPED_TRACE(describe(form));
    const std::int64_t times = copies(form, 4, device());
    const Matrix x = padded(test::repeated(test::column({-1.0001, -0.9999, 0.9999, 1.0001}), times), form);
    KMeans kmeans({.n_clusters = 2});
    kmeans.fit(here(x));
    EXPECT_NEAR(kmeans.inertia() / double(times), 4.0013276e-08, 1e-15);
    const auto labels = kmeans.labels().to_host<std::int64_t>();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      EXPECT_EQ(labels[i], i % 4 < 2 ? labels[0] : 1 - labels[0]) << i;
    }
  }
}

TEST_P(PrecisionTest, CentersCloserThanTheirNormsRoundAreToldApart) {
  struct Case {
    std::vector<double> samples;
    std::vector<double> centers;
    std::vector<std::int64_t> labels;
  };
  const std::vector<Case> cases = {{{10000.3, 10000}, {10000, 10000.25}, {1, 0}},
                                   {{4096.5, 4096}, {4096, 4096.5}, {1, 0}},
                                   {{1.0004, 1.0009}, {1.0, 1.0009}, {0, 1}}};
  for (const Case& one : cases) {
    for (const test::Form& form : test::kForms) {
      SCOPED_TRACE(describe(form) + ", sample " + std::to_string(one.samples[0]));
      const std::int64_t times = copies(form, 2, device());
      const Matrix x = padded(test::repeated(test::column(one.samples), times), form);
      const Array centers = here(padded(test::column(one.centers), form));
      const auto expected = test::repeated(one.labels, times);
      for (const AssignMethod method : {AssignMethod::gram_tiled, AssignMethod::gram, AssignMethod::running,
                                        AssignMethod::running_inside}) {
        EXPECT_TRUE(labels_equal(predict(here(x), centers, {.assign = method}), expected)) << name(method);
        KMeans kmeans({.n_clusters = 2, .init = centers, .max_iter = 1, .assign = method});
        EXPECT_TRUE(labels_equal(kmeans.fit(here(x)).labels(), expected)) << name(method);
      }
    }
  }
}

TEST_P(PrecisionTest, SamplesThatEqualACenterAreAtDistanceZero) {
  const Matrix once = test::rounded(test::normal_samples(50, 20, 0, 1000 / std::sqrt(20)), float32);
  for (const bool copied : {false, true}) {
    const std::int64_t times = copied ? test::copies({.copies = true}, 50, device()) : 1;
    const Array x = here(test::repeated(once, times));
    KMeans kmeans({.n_clusters = 50, .init = here(once)});
    kmeans.fit(x);
    EXPECT_EQ(kmeans.inertia(), 0);
    EXPECT_EQ(kmeans.score(x), 0);
    const Matrix all = test::download(kmeans.transform(here(once)));
    for (std::int64_t i = 0; i < all.rows; ++i) {
      for (std::int64_t j = 0; j < all.columns; ++j) {
        EXPECT_GE(all.at(i, j), 0);
        if (i == j) {
          EXPECT_EQ(all.at(i, j), 0);
        }
      }
    }
  }
}

TEST_P(PrecisionTest, AFitFarFromTheOriginHasTheLabelsOfFloat64) {
  for (const test::Form& form : test::kForms) {
    SCOPED_TRACE(describe(form));
    const std::int64_t n = is_slow(device()) && form.padded ? 500 : 1000;
    const Matrix once = rounded(test::normal_samples(n, 2, 1e4), float32);
    const std::int64_t times = copies(form, n, device());
    const Matrix x = padded(test::repeated(once, times), form);
    const Matrix start = test::first_rows(x, 8);
    KMeans narrow({.n_clusters = 8, .init = here(start), .tol = 0, .record = true});
    KMeans wide({.n_clusters = 8, .init = here(start), .tol = 0});
    narrow.fit(here(x));
    wide.fit(here(x, float64));
    // The same path, but for samples that a rounded center moves over the border.
    EXPECT_TRUE(labels_are_nearest(narrow.labels(), x, test::download(wide.cluster_centers()), 1e-2));
    EXPECT_NEAR(narrow.inertia(), wide.inertia(), 1e-5 * wide.inertia());
    double before = std::numeric_limits<double>::infinity();
    for (const Iteration& row : narrow.history()) {
      EXPECT_LE(*row.inertia, before * (1 + 1e-12)) << "iteration " << row.number;
      before = *row.inertia;
    }
  }
}

TEST_P(PrecisionTest, LabelsAreTheFloat64NearestOfTheReturnedCenters) {
  struct Case {
    std::int64_t n, d, k;
    double offset, spread;
  };
  for (const Case& one : {Case{1000, 2, 8, 1e4, 1}, Case{2000, 16, 8, 1000, 0.01}}) {
    const Matrix x = rounded(test::normal_samples(one.n, one.d, one.offset, one.spread), float32);
    KMeans kmeans({.n_clusters = one.k, .max_iter = is_slow(device()) ? 10 : 300});
    kmeans.fit(here(x));
    EXPECT_TRUE(labels_are_nearest(kmeans.labels(), x, test::download(kmeans.cluster_centers())));
  }
}

TESSERA_FOR_EACH_DEVICE(PrecisionTest);

}  // namespace
}  // namespace tessera::kmeans
