#include <kmeans/init.hpp>

#include "question.hpp"

// k-means++ in both versions: norms once and candidates by take, and x * x again for every center.

namespace tessera::bench {

void init(const Setting& setting, Report& report) {
  const Size& size = setting.size;
  const std::int64_t square_bytes = 4 * size.samples * size.features;
  const Problem problem = make_problem(size, setting.source, setting.device, square_bytes);
  const random::Key key(setting.source.seed);
  const auto ask = [&](const std::string& schedule, const std::function<kmeans::Seeds()>& seeds) {
    Row out = row("init", setting.device, mode(setting), schedule, problem.size);
    if (report.has(out)) return;
    if (setting.compiled) {
      put_unsupported(out);
    } else {
      put(out, measure(setting.device, setting.repeat, [&] { seeds(); }));
    }
    report.add(out);
  };
  ask("kmeans_plusplus", [&] { return kmeans::kmeans_plusplus(problem.x, problem.size.clusters, key); });
  ask("kmeans_plusplus_recompute",
      [&] { return kmeans::kmeans_plusplus_recompute(problem.x, problem.size.clusters, key); });
}

}  // namespace tessera::bench
