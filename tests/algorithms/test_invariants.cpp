// What holds for any data: the same bits for any number of threads, no order of samples, one dtype rule.

#include <kmeans/kmeans.hpp>
#include <tessera/threads.hpp>

#include "samples.hpp"
#include "support/compare.hpp"

namespace tessera::kmeans {
namespace {

using test::labels_equal;
using test::Matrix;

class InvariantsTest : public test::DeviceTest {
 protected:
  Array here(const Matrix& x, DType dtype = float32) const { return upload(x, dtype, device()); }
};

TEST_P(InvariantsTest, TheSameSeedGivesTheSameBitsForAnyNumberOfThreads) {
  struct Size {
    std::int64_t n, d, k;
  };
  const bool slow = test::is_slow(device());
  for (const Size& size : {Size{slow ? 300 : 30011, 3, 5}, Size{slow ? 200 : 5003, 70, 40}}) {
    for (const DType dtype : {float32, float64}) {
      const Array x = here(test::blobs(size.n, size.d, size.k), dtype);
      KMeans first({.n_clusters = size.k, .max_iter = 8, .record = true});
      first.fit(x);
      for (const int threads : {1, 1, 2, 3, 7}) {
        const ThreadScope scope(threads);
        KMeans again({.n_clusters = size.k, .max_iter = 8, .record = true});
        again.fit(x);
        SCOPED_TRACE(std::to_string(threads) + " threads, d " + std::to_string(size.d));
        EXPECT_TRUE(test::same_bits(again.initial_centers(), first.initial_centers()));
        EXPECT_TRUE(test::same_bits(again.cluster_centers(), first.cluster_centers()));
        EXPECT_TRUE(test::same_bits(again.labels(), first.labels()));
        EXPECT_EQ(again.inertia(), first.inertia());
        ASSERT_EQ(again.n_iter(), first.n_iter());
        for (int i = 0; i < first.n_iter(); ++i) {
          EXPECT_EQ(again.history()[static_cast<std::size_t>(i)].inertia,
                    first.history()[static_cast<std::size_t>(i)].inertia);
          EXPECT_EQ(again.history()[static_cast<std::size_t>(i)].shift,
                    first.history()[static_cast<std::size_t>(i)].shift);
        }
      }
    }
  }
}

TEST_P(InvariantsTest, InertiaNeverRises) {
  const Matrix x = rounded(test::normal_samples(test::is_slow(device()) ? 300 : 3000, 6, 3), float32);
  for (const std::int64_t k : {2, 11, 40}) {
    KMeans kmeans(
        {.n_clusters = k, .init = here(test::first_rows(x, k)), .max_iter = 40, .tol = 0, .record = true});
    kmeans.fit(here(x));
    double before = std::numeric_limits<double>::infinity();
    for (const Iteration& row : kmeans.history()) {
      EXPECT_LE(*row.inertia, before * (1 + 1e-9)) << "iteration " << row.number;
      EXPECT_GE(*row.inertia, 0);
      before = *row.inertia;
    }
    EXPECT_LE(kmeans.inertia(), before * (1 + 1e-6));
  }
}

TEST_P(InvariantsTest, TheOrderOfSamplesDoesNotMatter) {
  const std::int64_t n = test::is_slow(device()) ? 300 : 3000;
  const Matrix x = rounded(test::blobs(n, 5, 6), float32);
  Matrix reversed = x;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < 5; ++j) reversed.at(n - 1 - i, j) = x.at(i, j);
  }
  const Array start = here(test::first_rows(x, 6));
  KMeans forward({.n_clusters = 6, .init = start});
  KMeans backward({.n_clusters = 6, .init = start});
  forward.fit(here(x));
  backward.fit(here(reversed));
  EXPECT_TRUE(test::equal(flip(backward.labels(), 0), forward.labels()));
  EXPECT_TRUE(test::close(backward.cluster_centers(), forward.cluster_centers(),
                          {.relative = 1e-5, .absolute = 1e-6}));
  EXPECT_NEAR(backward.inertia(), forward.inertia(), 1e-6 * forward.inertia());
}

TEST_P(InvariantsTest, ALabelDependsOnItsRowAndTheCentersAlone) {
  const std::int64_t n = test::is_slow(device()) ? 200 : 3001;
  const Array x = here(test::normal_samples(n, 20, 5));
  const Array centers = here(test::normal_samples(33, 20, 5, 1, 2));
  const Array all = predict(x, centers);
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{7}, n - 3}) {
    const Array some = predict(index(x, {slice(3, 3 + count)}), centers);
    EXPECT_TRUE(test::equal(some, index(all, {slice(3, 3 + count)})));
  }
  for (const std::int64_t tile : {1, 50, 1000}) {
    if (tile == 1 && n > 1000) continue;
    EXPECT_TRUE(test::equal(predict(x, centers, {.tile_samples = tile}), all));
  }
}

TEST_P(InvariantsTest, EverySchedulesFitIsThatOfPlainLoops) {
  const Matrix x = rounded(test::blobs(test::is_slow(device()) ? 300 : 2000, 4, 7), float32);
  const Matrix start = test::first_rows(x, 7);
  const test::Lloyd expected = test::lloyd(x, start, 30);
  for (const AssignMethod assign :
       {AssignMethod::gram_tiled, AssignMethod::gram, AssignMethod::running, AssignMethod::running_inside}) {
    for (const UpdateMethod update :
         {UpdateMethod::scatter, UpdateMethod::one_hot, UpdateMethod::tiled_mean}) {
      for (const std::int64_t tile : {0, 3}) {
        KMeans kmeans({.n_clusters = 7,
                       .init = here(start),
                       .max_iter = 30,
                       .tol = 0,
                       .assign = assign,
                       .update = update,
                       .tile_samples = tile * 50,
                       .tile_centers = tile});
        kmeans.fit(here(x));
        SCOPED_TRACE(std::string(name(assign)) + ", " + std::string(name(update)));
        EXPECT_TRUE(labels_equal(kmeans.labels(), expected.labels));
        EXPECT_NEAR(kmeans.inertia(), expected.inertia, 1e-5 * expected.inertia);
      }
    }
  }
}

TEST_P(InvariantsTest, SamplesOfAnyLayoutGiveWhatTheirCopyGives) {
  const Matrix values = rounded(test::blobs(210, 6, 4), float32);
  const test::HostArray x(std::vector<float>(values.values.begin(), values.values.end()), {210, 6});
  const Array start = here(test::first_rows(values, 4));
  KMeans plain({.n_clusters = 4, .init = start});
  plain.fit(here(values));
  for (const test::LayoutKind layout : test::kAllLayouts) {
    if (layout == test::LayoutKind::broadcast) continue;
    KMeans kmeans({.n_clusters = 4, .init = start});
    kmeans.fit(test::place(x, layout, device()));
    EXPECT_TRUE(test::equal(kmeans.labels(), plain.labels())) << test::name(layout);
    EXPECT_NEAR(kmeans.inertia(), plain.inertia(), 1e-6 * plain.inertia()) << test::name(layout);
  }
}

TESSERA_FOR_EACH_DEVICE(InvariantsTest);

}  // namespace
}  // namespace tessera::kmeans
