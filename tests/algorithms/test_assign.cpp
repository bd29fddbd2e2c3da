// The schedules of the assignment against a search in float64.

#include <kmeans/assign.hpp>

#include "samples.hpp"
#include "support/compare.hpp"

namespace tessera::kmeans {
namespace {

using test::is_slow;
using test::Matrix;

class AssignTest : public test::DeviceTest {
 protected:
  struct Named {
    std::string name;
    std::function<Assignment(const Array&, const Array&)> assign;
    bool whole_distance;  // the score is ||x - c||^2, not that less ||x||^2
  };
  static std::vector<Named> schedules(std::int64_t tile_samples, std::int64_t tile_centers) {
    return {
        {"gram", assign_gram, false},
        {"gram_tiled",
         [=](const Array& x, const Array& centers) {
           return assign_gram_tiled(x, centers, {.tile_samples = tile_samples, .tile_centers = tile_centers});
         },
         false},
        {"running, merged outside",
         [=](const Array& x, const Array& centers) {
           return assign_running(x, centers, {.tile_centers = tile_centers});
         },
         true},
        {"running, merged inside",
         [=](const Array& x, const Array& centers) {
           return assign_running(x, centers, {.tile_centers = tile_centers, .merge = Merge::inside});
         },
         true},
        {"gram, compiled", compile(assign_gram), false},
        {"gram_tiled, compiled",
         [=](const Array& x, const Array& centers) {
           const GramTiledOptions tiles{tile_samples, tile_centers};
           // A call a tile and a center block: no more than one would compile at a time.
           const bool few = x.shape(0) / tile_samples * (centers.shape(0) / tile_centers) < 100;
           return few ? compile(assign_gram_tiled)(x, centers, tiles) : assign_gram_tiled(x, centers, tiles);
         },
         false},
        {"running, compiled, merged outside",
         [=](const Array& x, const Array& centers) {
           return compile(assign_running)(x, centers, {.tile_centers = tile_centers});
         },
         true},
        {"running, compiled, merged inside",
         [=](const Array& x, const Array& centers) {
           return compile(assign_running)(x, centers, {.tile_centers = tile_centers, .merge = Merge::inside});
         },
         true}};
  }

  void check(const Matrix& samples, const Matrix& some_centers, DType dtype, std::int64_t tile_samples,
             std::int64_t tile_centers) {
    const Matrix x = rounded(samples, dtype);
    const Matrix centers = rounded(some_centers, dtype);
    const Array x_here = upload(x, dtype, device());
    const Array centers_here = upload(centers, dtype, device());
    double scale = 1;
    for (const double value : x.values) scale = std::max(scale, value * value);
    for (const double value : centers.values) scale = std::max(scale, value * value);
    const double slack = scale * static_cast<double>(x.columns) * (dtype == float32 ? 1e-6 : 1e-14);
    for (const Named& schedule : schedules(tile_samples, tile_centers)) {
      SCOPED_TRACE(schedule.name + ", n " + std::to_string(x.rows) + ", k " + std::to_string(centers.rows) +
                   ", d " + std::to_string(x.columns) + ", " + std::string(tessera::name(dtype)));
      const Assignment assigned = schedule.assign(x_here, centers_here);
      ASSERT_EQ(assigned.labels.dtype(), int64);
      ASSERT_EQ(assigned.score.dtype(), dtype);
      EXPECT_TRUE(labels_are_nearest(assigned.labels, x, centers, slack));
      const auto labels = assigned.labels.to_host<std::int64_t>();
      const Matrix score = test::download(assigned.score);
      for (std::int64_t i = 0; i < x.rows; ++i) {
        double expected = squared_distance(x, i, centers, labels[static_cast<std::size_t>(i)]);
        for (std::int64_t j = 0; j < x.columns && !schedule.whole_distance; ++j) {
          expected -= x.at(i, j) * x.at(i, j);
        }
        ASSERT_NEAR(score.at(i, 0), expected, slack) << "sample " << i;
      }
    }
  }
};

TEST_P(AssignTest, LabelsAndScoresAreThoseOfASearchInFloat64) {
  const std::int64_t n = is_slow(device()) ? 203 : 2003;
  check(test::normal_samples(n, 7), test::normal_samples(37, 7, 0, 1, 2), float32, 64, 5);
  check(test::normal_samples(n, 7), test::normal_samples(37, 7, 0, 1, 2), float64, 100, 37);
  check(test::normal_samples(n, 33), test::normal_samples(50, 33, 0, 1, 2), float32, 1, 17);
}

TEST_P(AssignTest, SizesThatNoTileDivides) {
  for (const std::int64_t d : {1, 2, 15, 16, 17, 513, 2048}) {
    const std::int64_t n = d > 100 ? 131 : 517;
    const std::int64_t k = d > 100 ? 19 : 67;
    check(test::normal_samples(n, d), test::normal_samples(k, d, 0, 1, 2), float32, 128, 16);
  }
}

TEST_P(AssignTest, HundredsOfThousandsOfCenters) {
  const std::int64_t k = is_slow(device()) ? 30011 : 300011;
  const Matrix x = rounded(test::normal_samples(97, 2), float32);
  const Matrix centers = rounded(test::normal_samples(k, 2, 0, 1, 2), float32);
  const Assignment assigned =
      assign_gram_tiled(upload(x, float32, device()), upload(centers, float32, device()));
  EXPECT_TRUE(labels_are_nearest(assigned.labels, x, centers, 1e-5));
}

TEST_P(AssignTest, LabelsStayWithinTheCentersWhateverTheSignOfTheScores) {
  for (const std::int64_t k : {1, 2, 3, 7, 100, 127, 129, 1000}) {
    if (is_slow(device()) && k == 1000) continue;
    const Matrix x = rounded(test::normal_samples(61, 3, 10, 0.1), float32);
    // ||c||^2 - 2 x.c is below 0 for centers on the samples' side, above 0 on the other.
    for (const double side : {10.0, -10.0}) {
      const Matrix centers = rounded(test::normal_samples(k, 3, side, 0.1, 2), float32);
      check(x, centers, float32, 32, 64);
    }
  }
}

TEST_P(AssignTest, EqualCentersTieToTheLowestIndexAcrossTiles) {
  // Every center twice, the second time in another tile: a multiple of no tile, and of no vector.
  for (const std::int64_t k : {3, 17, 33, 65, 129}) {
    const std::int64_t n = is_slow(device()) ? 67 : 1031;
    const Matrix x = rounded(test::normal_samples(n, 19, 3), float32);
    const Matrix once = rounded(test::normal_samples(k, 19, 3, 1, 2), float32);
    const Array centers = upload(test::repeated(once, 2), float32, device());
    for (const std::int64_t tile : {std::int64_t{1}, std::int64_t{16}, std::int64_t{17}, k - 1, k, k + 1}) {
      for (const Named& schedule : schedules(100, tile)) {
        SCOPED_TRACE(schedule.name + ", k " + std::to_string(2 * k) + ", tile " + std::to_string(tile));
        const auto labels =
            schedule.assign(upload(x, float32, device()), centers).labels.to_host<std::int64_t>();
        for (const std::int64_t label : labels) ASSERT_LT(label, k);
      }
    }
  }
}

TEST_P(AssignTest, TiledLabelsAreThoseOfTheFullProduct) {
  const std::int64_t n = is_slow(device()) ? 301 : 5003;
  const Array x = upload(test::normal_samples(n, 24), float32, device());
  const Array centers = upload(test::normal_samples(103, 24, 0, 1, 2), float32, device());
  const Assignment full = assign_gram(x, centers);
  for (const std::int64_t tile : {20, 64, 103}) {
    const Assignment tiled = assign_gram_tiled(x, centers, {.tile_samples = 128, .tile_centers = tile});
    EXPECT_TRUE(test::equal(tiled.labels, full.labels));
    EXPECT_TRUE(test::close(tiled.score, full.score, {.relative = 1e-5, .absolute = 1e-4}));
  }
}

TEST_P(AssignTest, CompiledTheyGiveTheSameBits) {
  const std::int64_t n = is_slow(device()) ? 103 : 3001;
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t d : {1, 3, 17, 64}) {
      const Array x = upload(test::normal_samples(n, d), dtype, device());
      const Array centers = upload(test::normal_samples(70, d, 0, 1, 2), dtype, device());
      const std::vector<Named> all = schedules(500, 32);
      for (std::size_t i = 0; i < all.size() / 2; ++i) {
        const Assignment plain = all[i].assign(x, centers);
        const Assignment compiled = all[all.size() / 2 + i].assign(x, centers);
        EXPECT_TRUE(test::same_bits(compiled.labels, plain.labels)) << all[i].name << ", d " << d;
        EXPECT_TRUE(test::same_bits(compiled.score, plain.score)) << all[i].name << ", d " << d;
      }
    }
  }
}

TEST_P(AssignTest, NoSamplesGiveNoLabels) {
  const Array x = zeros({0, 3}, {.device = device()});
  const Array centers = ones({4, 3}, {.device = device()});
  for (const Named& schedule : schedules(16, 2)) {
    EXPECT_EQ(schedule.assign(x, centers).labels.shape(), Shape{0}) << schedule.name;
  }
}

TEST_P(AssignTest, ASampleThatEqualsACenterIsAtDistanceZeroByDirectDifferences) {
  const Matrix x = rounded(test::normal_samples(40, 5, 1000), float32);
  const Array here = upload(x, float32, device());
  const Assignment assigned = assign_running(here, here);
  const Matrix score = test::download(assigned.score);
  for (const double value : score.values) EXPECT_EQ(value, 0);
}

TESSERA_FOR_EACH_DEVICE(AssignTest);

}  // namespace
}  // namespace tessera::kmeans
