#include <algorithm>

#include <kmeans/assign.hpp>

#include "question.hpp"

// Running minima over tiles of centers, direct differences: the merge outside of the tile's function and in
// it.

namespace tessera::bench {
namespace {

constexpr double kMostElementPasses = 3e12;  // n * k * d past which only the first centers are timed
constexpr std::int64_t kTimedCenters = 64;

}  // namespace

void running(const Setting& setting, Report& report) {
  const Size& size = setting.size;
  const std::int64_t difference_bytes = 4 * size.samples * size.features;
  const Problem problem = make_problem(size, setting.source, setting.device, difference_bytes);
  const auto& [n, k, d] = std::tuple{problem.size.samples, problem.size.clusters, problem.size.features};
  const double work = static_cast<double>(n) * static_cast<double>(k) * static_cast<double>(d);
  const bool scaled = work > kMostElementPasses && k > kTimedCenters;
  const Array centers = scaled ? index(problem.centers, {slice(0, kTimedCenters)}) : problem.centers;
  const Array expected = scaled ? kmeans::assign_gram(problem.x, centers).labels
                                : kmeans::assign_gram_tiled(problem.x, centers).labels;

  for (const std::int64_t tile : {16, 32, 64, 128}) {
    for (const auto merge : {kmeans::Merge::outside, kmeans::Merge::inside}) {
      Row out = row("running", setting.device, mode(setting),
                    merge == kmeans::Merge::outside ? "running" : "running_inside", problem.size);
      out["tile_centers"] = tile;
      if (report.has(out)) continue;
      if (setting.compiled) {
        put_unsupported(out);
        report.add(out);
        continue;
      }
      const kmeans::RunningOptions options{.tile_centers = tile, .merge = merge};
      Measured measured = measure(setting.device, setting.repeat,
                                  [&] { kmeans::assign_running(problem.x, centers, options); });
      if (scaled) {
        const double factor = static_cast<double>(k) / static_cast<double>(kTimedCenters);
        for (double* const value : {&measured.seconds.median, &measured.seconds.min, &measured.seconds.max,
                                    &measured.first_call_seconds}) {
          *value *= factor;
        }
        out["scaled"] = factor;
      }
      put(out, measured, 3 * work);
      // The difference to one center and its square are of x's size; labels and scores, old and new.
      out["predicted_peak_bytes"] = difference_bytes + 40 * n + kMebibyte;
      const Array labels = kmeans::assign_running(problem.x, centers, options).labels;
      out["labels_differ"] = count_nonzero(labels != expected).item<std::int64_t>();
      report.add(out);
    }
  }
}

}  // namespace tessera::bench
