#include <kmeans/kmeans.hpp>

#include "question.hpp"

// Whole fits: to convergence from given centers and from k-means++, and ten iterations.

namespace tessera::bench {
namespace {

struct Variant {
  std::string schedule;
  kmeans::KMeansOptions options;
};

}  // namespace

void fit(const Setting& setting, Report& report) {
  const Problem problem = make_problem(setting.size, setting.source, setting.device, 0);
  const std::int64_t k = problem.size.clusters;
  const random::Key key(setting.source.seed);
  const kmeans::KMeansOptions given{.n_clusters = k, .init = problem.centers};
  const kmeans::KMeansOptions seeded{.n_clusters = k, .random_state = key};
  std::vector<Variant> variants = {{"given centers", given},
                                   {"kmeans++", seeded},
                                   {"kmeans++ n_init 10", seeded},
                                   {"given centers, 10 iterations", given}};
  variants[2].options.n_init = 10;
  variants[3].options.max_iter = 10;
  variants[3].options.tol = 0;
  Timing timing = setting.timing;
  for (const Variant& variant : variants) {
    Row out = row("fit", setting.device, mode(setting), variant.schedule, problem.size);
    if (report.has(out)) continue;
    if (setting.compiled) {
      put_unsupported(out, "the estimator chooses by itself what is compiled");
      report.add(out);
      continue;
    }
    kmeans::KMeans estimator(variant.options);
    put(out, measure(setting.device, timing, [&] { estimator.fit(problem.x); }));
    timing = next_timing(setting);
    out["n_iter"] = estimator.n_iter();
    out["assign_compiled"] = estimator.compiled();
    out["inertia"] = estimator.inertia();
    keep_labels(setting, estimator.labels());
    report.add(out);
  }
}

}  // namespace tessera::bench
