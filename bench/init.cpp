#include <algorithm>
#include <cmath>
#include <functional>

#include <kmeans/init.hpp>

#include "question.hpp"

// k-means++ in both versions: norms once and candidates by take, and x * x again for every center.

namespace tessera::bench {
namespace {

constexpr std::int64_t kTimedCenters = 64;  // of the version for comparison, at large sizes

}  // namespace

void init(const Setting& setting, Report& report) {
  const Size& size = setting.size;
  const std::int64_t square_bytes = 4 * size.samples * size.features;
  const Problem problem = make_problem(size, setting.source, setting.device, square_bytes);
  const std::int64_t k = problem.size.clusters;
  const random::Key key(setting.source.seed);
  // Norms, potentials and their sums; for each candidate a column of products, and one of distances.
  const auto trials = static_cast<std::int64_t>(2 + std::log(static_cast<double>(k)));
  const std::int64_t vectors =
      (8 * trials + 32) * problem.size.samples + 8 * k * problem.size.features + kMebibyte;
  const bool large = is_large(problem.size);
  Timing timing = setting.timing;

  const auto ask = [&](const std::string& schedule, std::int64_t predicted_peak, std::int64_t timed,
                       const std::function<kmeans::Seeds(std::int64_t)>& seeds) {
    Row out = row("init", setting.device, mode(setting), schedule, problem.size);
    if (report.has(out)) return;
    if (setting.compiled) {
      put_unsupported(out, "k-means++ is timed eagerly");
      return report.add(out);
    }
    if (large && !timing.warm) {
      seeds(std::min<std::int64_t>(2, k));
      timing.warm = true;
    }
    Measured measured = measure(setting.device, timing, [&] { seeds(timed); });
    const double factor = timed == k ? 1 : static_cast<double>(k - 1) / static_cast<double>(timed - 1);
    for (double* const value : {&measured.seconds.median, &measured.seconds.min, &measured.seconds.max,
                                &measured.first_call_seconds}) {
      *value *= factor;
    }
    put(out, measured);
    if (factor > 1) out["scaled"] = factor;
    // What reading the samples once a center, and once for the norms, would be.
    out["gigabytes_per_second"] =
        ratio(static_cast<double>(k) * static_cast<double>(square_bytes), measured.seconds.median) / 1e9;
    out["predicted_peak_bytes"] = predicted_peak;
    report.add(out);
  };
  ask("kmeans_plusplus", vectors, k,
      [&](std::int64_t clusters) { return kmeans::kmeans_plusplus(problem.x, clusters, key); });
  const kmeans::PlusPlusOptions options{.trials = static_cast<int>(trials)};
  ask("kmeans_plusplus_recompute", vectors + square_bytes, large ? std::min(kTimedCenters, k) : k,
      [&](std::int64_t clusters) {
        return kmeans::kmeans_plusplus_recompute(problem.x, clusters, key, options);
      });
}

}  // namespace tessera::bench
