#include <algorithm>

#include "functions.hpp"

// Running minima over tiles of centers, direct differences: the merge outside of the tile's function and in
// it.

namespace tessera::bench {
namespace {

constexpr double kMostWork = 5e10;  // n * k * d past which only the first centers are timed
constexpr std::int64_t kTimedCenters = 64;

void scale(Row& out, double factor) {
  for (auto& [name, value] : out["seconds"].items()) value = value.get<double>() * factor;
  if (out.contains("gflops")) out["gflops"] = out["gflops"].get<double>() / factor;
  out["scaled"] = factor;
}

}  // namespace

void running(const Setting& setting, Report& report) {
  const Size& size = setting.size;
  const std::int64_t difference_bytes = 4 * size.samples * size.features;
  const Problem problem = make_problem(size, setting.source, setting.device, difference_bytes);
  const std::int64_t n = problem.size.samples;
  const std::int64_t k = problem.size.clusters;
  const bool scaled = work(problem.size) > kMostWork && k > kTimedCenters;
  const Array centers = scaled ? index(problem.centers, {slice(0, kTimedCenters)}) : problem.centers;
  Array expected;
  Timing timing = setting.timing;

  for (const std::int64_t tile : {16, 32, 64, 128}) {
    for (const auto merge : {kmeans::Merge::outside, kmeans::Merge::inside}) {
      Row out = row("running", setting.device, mode(setting),
                    merge == kmeans::Merge::outside ? "running" : "running_inside", problem.size);
      out["tile_centers"] = tile;
      if (report.has(out)) continue;
      const Functions f = functions(setting);
      if (!expected.valid()) expected = kmeans::assign_gram_tiled(problem.x, centers).labels;
      const kmeans::RunningOptions options{.tile_centers = tile, .merge = merge};
      if (scaled && !setting.compiled && !timing.warm) {
        // The warm-up that the rows share: what a first call pays is memory, and a few centers take it all.
        kmeans::assign_running(problem.x, index(centers, {slice(0, 2)}), options);
        timing.warm = true;
      }
      Array labels;
      measure_into(out, setting, timing, f, 3 * work(problem.size), [&] {
        labels = kmeans::assign_running_by(f.running_tiles, problem.x, centers, options).labels;
      });
      if (scaled) scale(out, static_cast<double>(k) / static_cast<double>(kTimedCenters));
      // Labels and scores, old and new. Eager, the difference to one center and its square are of x's size.
      out["predicted_peak_bytes"] = (setting.compiled ? 0 : difference_bytes) +
                                    (setting.compiled && merge == kmeans::Merge::inside ? 24 : 40) * n +
                                    kMebibyte;
      if (!setting.timing.paced)
        out["labels_differ"] = count_nonzero(labels != expected).item<std::int64_t>();
      keep_labels(setting, labels);
      report.add(out);
    }
  }
}

}  // namespace tessera::bench
