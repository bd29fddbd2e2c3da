// What the schedules take of the device's memory, above what was in use.

#include <kmeans/assign.hpp>
#include <kmeans/init.hpp>
#include <kmeans/kmeans.hpp>
#include <kmeans/tiles.hpp>
#include <kmeans/update.hpp>

#include "samples.hpp"

namespace tessera::kmeans {
namespace {

using test::is_slow;

constexpr std::int64_t kMebibyte = 1 << 20;

class PeakTest : public test::DeviceTest {
 protected:
  // Large enough that what must not be there would show.
  std::int64_t samples() const { return is_slow(device()) ? 6000 : 60000; }
  static std::int64_t vectors(DType dtype) { return dtype == float32 ? 24 : 32; }
  Array normal(std::int64_t n, std::int64_t d, DType dtype, std::uint64_t seed) const {
    return upload(test::normal_samples(n, d, 0, 1, seed), dtype, device());
  }
  template <class F>
  std::int64_t peak_of(F&& f) const {
    f();  // what a device sets up at its first call
    const PeakScope peak(device());
    f();
    return peak.peak();
  }
};

TEST_P(PeakTest, TiledGramTakesATileOfDistancesAndLabelsAndScoresTwice) {
  for (const DType dtype : {float32, float64}) {
    const std::int64_t n = samples();
    const Array x = normal(n, 8, dtype, 1);
    const Array centers = normal(200, 8, dtype, 2);
    for (const auto& [tile_samples, tile_centers] :
         {std::pair<std::int64_t, std::int64_t>{512, 50}, {4096, 64}, {n, 100}}) {
      const std::int64_t peak = peak_of([&, ts = tile_samples, tc = tile_centers] {
        assign_gram_tiled(x, centers, {.tile_samples = ts, .tile_centers = tc});
      });
      const std::int64_t tile = split(n, tile_samples).front().count *
                                split_equally(200, tile_centers).front().count *
                                std::int64_t(itemsize(dtype));
      EXPECT_LE(peak, tile + vectors(dtype) * n + kMebibyte) << tile_samples << " x " << tile_centers;
      EXPECT_GE(peak, tile);
    }
  }
}

TEST_P(PeakTest, FullGramTakesOneMatrixOfDistances) {
  for (const DType dtype : {float32, float64}) {
    const std::int64_t n = samples();
    const Array x = normal(n, 8, dtype, 1);
    const Array centers = normal(150, 8, dtype, 2);
    const std::int64_t matrix = n * 150 * std::int64_t(itemsize(dtype));
    EXPECT_LE(peak_of([&] { assign_gram(x, centers); }), matrix + vectors(dtype) * n + kMebibyte);
  }
}

TEST_P(PeakTest, ScatterTakesTheSumsAlone) {
  const Array x = normal(samples(), 40, float32, 1);
  const Array labels = zeros({samples()}, {.dtype = int64, .device = device()});
  EXPECT_LE(peak_of([&] { update_scatter(x, labels, 10); }), 10 * 41 * 8 + kMebibyte);
}

TEST_P(PeakTest, PlusPlusNeverTakesASecondCopyOfTheSamples) {
  const std::int64_t n = samples();
  const std::int64_t d = 100;
  const Array x = normal(n, d, float32, 1);
  const std::int64_t trials = 2 + 2;  // for 10 centers
  EXPECT_LE(peak_of([&] { kmeans_plusplus(x, 10, random::Key(1)); }), n * (trials * 8 + 32) + kMebibyte);
  EXPECT_GE(peak_of([&] { kmeans_plusplus_recompute(x, 10, random::Key(1)); }), n * d * 4);
}

TEST_P(PeakTest, AFitNeverTakesAMatrixOfAllDistances) {
  const std::int64_t n = samples();
  const std::int64_t k = 400;
  const Array x = normal(n, 3, float32, 1);
  KMeans kmeans({.n_clusters = k, .init = InitMethod::random, .max_iter = 1});
  kmeans.fit(x);
  kmeans.fit(x);
  EXPECT_LT(kmeans.peak_bytes(), n * k * 4 / 2);
  EXPECT_GT(kmeans.peak_bytes(), 0);
  const Iteration& row = kmeans.history().at(0);
  EXPECT_GT(row.peak_bytes.assign, 0);
  EXPECT_LE(row.peak_bytes.assign, kmeans.peak_bytes());
  EXPECT_GT(row.peak_bytes.update, 0);
}

TESSERA_FOR_EACH_DEVICE(PeakTest);

}  // namespace
}  // namespace tessera::kmeans
