// When a fit ends, and what it reports then.

#include <kmeans/kmeans.hpp>

#include "samples.hpp"
#include "support/compare.hpp"

namespace tessera::kmeans {
namespace {

using test::labels_equal;
using test::Matrix;

class ConvergenceTest : public test::DeviceTest {
 protected:
  Array here(const Matrix& x, DType dtype = float32) const { return upload(x, dtype, device()); }
  Matrix some_blobs() const {
    return rounded(test::blobs(test::is_slow(device()) ? 400 : 4000, 4, 6), float32);
  }
};

TEST_P(ConvergenceTest, ConvergedDataStopWhenTheLabelsRepeat) {
  for (const test::Form& form : test::kForms) {
    SCOPED_TRACE(describe(form));
    const std::int64_t times = copies(form, 4, device());
    const Matrix x = padded(test::repeated(test::column({0, 1, 10, 11}), times), form);
    const Matrix middles = padded(test::column({0.5, 10.5}), form);
    KMeans kmeans({.n_clusters = 2, .init = here(middles), .max_iter = 1000, .tol = 0});
    kmeans.fit(here(x));
    EXPECT_EQ(kmeans.stopped(), Stopped::labels);
    EXPECT_EQ(kmeans.n_iter(), 2);
    EXPECT_EQ(kmeans.inertia(), double(times));
  }
}

TEST_P(ConvergenceTest, LabelsEqualPredictWhateverEndsTheFit) {
  const Matrix x = some_blobs();
  const Array start = here(test::first_rows(x, 6));
  for (const int max_iter : {1, 2, 300}) {
    for (const double tol : {0.0, 1e-4, 10.0}) {
      KMeans kmeans({.n_clusters = 6, .init = start, .max_iter = max_iter, .tol = tol});
      kmeans.fit(here(x));
      EXPECT_TRUE(test::equal(kmeans.predict(here(x)), kmeans.labels()));
      EXPECT_TRUE(test::equal(predict(here(x), kmeans.cluster_centers()), kmeans.labels()));
      EXPECT_GE(kmeans.n_iter(), 1);
      EXPECT_LE(kmeans.n_iter(), max_iter);
      EXPECT_EQ(kmeans.history().size(), static_cast<std::size_t>(kmeans.n_iter()));
      if (tol == 10) {
        EXPECT_EQ(kmeans.stopped(), Stopped::tol);
      }
      if (max_iter == 1 && tol == 0) {
        EXPECT_EQ(kmeans.stopped(), Stopped::max_iter);
      }
      if (max_iter == 300 && tol == 0) {
        EXPECT_EQ(kmeans.stopped(), Stopped::labels);
      }
    }
  }
}

TEST_P(ConvergenceTest, LabelsAreForTheCentersReturnedNotForThoseBefore) {
  for (const test::Form& form : test::kForms) {
    const std::int64_t times = copies(form, 4, device());
    const Matrix x = padded(test::repeated(test::column({0, 1, 10, 11}), times), form);
    KMeans kmeans({.n_clusters = 2, .init = here(padded(test::column({0, 1}), form)), .max_iter = 1});
    kmeans.fit(here(x));
    // {0} and {1, 10, 11} have means 0 and 22/3, and 1 is nearer to 0.
    EXPECT_TRUE(labels_equal(kmeans.labels(), test::repeated(std::vector<std::int64_t>{0, 0, 1, 1}, times)));
    EXPECT_FLOAT_EQ(static_cast<float>(test::download(kmeans.cluster_centers()).at(1, 0)), 22.0F / 3);
  }
}

TEST_P(ConvergenceTest, ConstantDataEndWithinTwoIterations) {
  for (const test::Form& form : test::kForms) {
    const std::int64_t times = copies(form, 10, device());
    const Matrix x = padded(test::repeated(test::column(std::vector<double>(10, 3.3)), times), form);
    for (const std::int64_t k : {1, 2}) {
      for (const double tol : {0.0, 1e-4}) {
        KMeans kmeans({.n_clusters = k, .tol = tol});
        kmeans.fit(here(x));
        EXPECT_EQ(kmeans.inertia(), 0);
        EXPECT_LE(kmeans.n_iter(), 2);
      }
    }
  }
}

TEST_P(ConvergenceTest, AToleranceEndsAtTheFirstShiftBelowItsShareOfTheVariance) {
  const Matrix x = some_blobs();
  double variance = 0;
  for (std::int64_t j = 0; j < x.columns; ++j) {
    double mean = 0;
    for (std::int64_t i = 0; i < x.rows; ++i) mean += x.at(i, j) / double(x.rows);
    for (std::int64_t i = 0; i < x.rows; ++i) {
      variance += (x.at(i, j) - mean) * (x.at(i, j) - mean) / double(x.rows * x.columns);
    }
  }
  const double tol = 1e-3;
  KMeans kmeans({.n_clusters = 9, .init = here(test::first_rows(x, 9)), .tol = tol});
  kmeans.fit(here(x));
  ASSERT_EQ(kmeans.stopped(), Stopped::tol);
  for (const Iteration& row : kmeans.history()) {
    EXPECT_EQ(row.shift <= tol * variance, row.number == kmeans.n_iter()) << "iteration " << row.number;
  }
}

TEST_P(ConvergenceTest, HistoryFollowsPlainLoops) {
  const Matrix x = some_blobs();
  const Matrix start = test::first_rows(x, 6);
  KMeans kmeans({.n_clusters = 6, .init = here(start), .max_iter = 5, .tol = 0, .record = true});
  kmeans.fit(here(x));
  Matrix centers = start;
  for (const Iteration& row : kmeans.history()) {
    EXPECT_NEAR(*row.inertia, test::inertia(x, nearest(x, centers), centers), 1e-6 * *row.inertia);
    const Matrix next = test::lloyd(x, centers, 1).centers;
    double shift = 0;
    for (std::int64_t j = 0; j < 6; ++j) shift += squared_distance(next, j, centers, j);
    EXPECT_NEAR(row.shift, shift, 1e-6 * shift + 1e-9);
    EXPECT_GE(row.seconds.assign, 0);
    EXPECT_GE(row.seconds.update, 0);
    centers = next;
  }
}

TEST_P(ConvergenceTest, InertiaIsNotComputedUnlessAskedFor) {
  const Matrix x = some_blobs();
  KMeans kmeans({.n_clusters = 6, .max_iter = 3});
  kmeans.fit(here(x));
  for (const Iteration& row : kmeans.history()) EXPECT_FALSE(row.inertia.has_value());
}

TEST_P(ConvergenceTest, ACallbackSeesEveryIterationAndCanEndTheFit) {
  const Matrix x = some_blobs();
  const Array start = here(test::first_rows(x, 6));
  int calls = 0;
  KMeans kmeans({.n_clusters = 6, .init = start, .tol = 0, .callback = [&](const Iteration& row) {
                   EXPECT_EQ(row.number, ++calls);
                   EXPECT_TRUE(row.inertia.has_value());
                   return calls < 2;
                 }});
  kmeans.fit(here(x));
  EXPECT_EQ(kmeans.stopped(), Stopped::interrupted);
  EXPECT_EQ(kmeans.n_iter(), 2);
  EXPECT_TRUE(test::equal(kmeans.predict(here(x)), kmeans.labels()));
  EXPECT_NEAR(
      kmeans.inertia(),
      test::inertia(x, kmeans.labels().to_host<std::int64_t>(), test::download(kmeans.cluster_centers())),
      1e-6 * kmeans.inertia());
}

TEST_P(ConvergenceTest, ACallbackEndsAllRunsEvenWhereTheIterationConverged) {
  int calls = 0;
  KMeans kmeans({.n_clusters = 6, .n_init = 3, .tol = 1e9, .callback = [&](const Iteration&) {
                   ++calls;
                   return false;
                 }});
  kmeans.fit(here(some_blobs()));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(kmeans.stopped(), Stopped::interrupted);
}

TEST_P(ConvergenceTest, AStopDuringKMeansPlusPlusEndsTheFitAfterOneIteration) {
  const Matrix x = some_blobs();
  int asked = 0;
  KMeans kmeans({.n_clusters = 6, .n_init = 3, .tol = 0, .stop = [&] { return ++asked >= 2; }});
  kmeans.fit(here(x));
  EXPECT_EQ(asked, 3);  // before the second and the third center, and after the iteration
  EXPECT_EQ(kmeans.stopped(), Stopped::interrupted);
  EXPECT_EQ(kmeans.n_iter(), 1);
  EXPECT_FALSE(kmeans.history()[0].inertia.has_value());
  EXPECT_TRUE(test::equal(kmeans.predict(here(x)), kmeans.labels()));
}

TEST_P(ConvergenceTest, OfSeveralRunsTheOneWithTheLowestInertiaStays) {
  const Matrix x = some_blobs();
  KMeans several({.n_clusters = 6, .init = InitMethod::random, .n_init = 6});
  several.fit(here(x));
  for (std::uint64_t run = 0; run < 6; ++run) {
    KMeans one({.n_clusters = 6, .init = InitMethod::random, .n_init = 1, .random_state = random::Key(run)});
    one.fit(here(x));
    EXPECT_TRUE(test::equal(one.predict(here(x)), one.labels()));
  }
  KMeans first({.n_clusters = 6, .init = InitMethod::random, .n_init = 1});
  first.fit(here(x));
  EXPECT_LE(several.inertia(), first.inertia());
  KMeans again({.n_clusters = 6, .init = several.initial_centers()});
  again.fit(here(x));
  EXPECT_EQ(again.inertia(), several.inertia());
}

TESSERA_FOR_EACH_DEVICE(ConvergenceTest);

}  // namespace
}  // namespace tessera::kmeans
