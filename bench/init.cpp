#include <cmath>
#include <functional>

#include <kmeans/init.hpp>

#include "question.hpp"

// k-means++ in both versions: norms once and candidates by take, and x * x again for every center.

namespace tessera::bench {

void init(const Setting& setting, Report& report) {
  const Size& size = setting.size;
  const std::int64_t square_bytes = 4 * size.samples * size.features;
  const Problem problem = make_problem(size, setting.source, setting.device, square_bytes);
  const random::Key key(setting.source.seed);
  // Norms, potentials and their sums; for each candidate a column of products, and one of distances.
  const auto trials = static_cast<std::int64_t>(2 + std::log(static_cast<double>(problem.size.clusters)));
  const std::int64_t vectors = (8 * trials + 32) * problem.size.samples +
                               8 * problem.size.clusters * problem.size.features + kMebibyte;
  const auto ask = [&](const std::string& schedule, std::int64_t predicted_peak,
                       const std::function<kmeans::Seeds()>& seeds) {
    Row out = row("init", setting.device, mode(setting), schedule, problem.size);
    if (report.has(out)) return;
    if (setting.compiled) {
      put_unsupported(out);
    } else {
      put(out, measure(setting.device, setting.repeat, [&] { seeds(); }));
      out["predicted_peak_bytes"] = predicted_peak;
    }
    report.add(out);
  };
  ask("kmeans_plusplus", vectors,
      [&] { return kmeans::kmeans_plusplus(problem.x, problem.size.clusters, key); });
  ask("kmeans_plusplus_recompute", vectors + square_bytes,
      [&] { return kmeans::kmeans_plusplus_recompute(problem.x, problem.size.clusters, key); });
}

}  // namespace tessera::bench
