#include <kmeans/labelling.hpp>
#include <kmeans/lloyd.hpp>
#include <kmeans/update.hpp>

#include "question.hpp"

// The profiler's table for one assignment and one step: where the time goes.

namespace tessera::bench {
namespace {

void profile(const Setting& setting, const Problem& problem, const std::string& schedule, Report& report,
             const std::function<void()>& call) {
  call();
  setting.device.synchronize();
  const Profiler profiler;
  call();
  double total = 0;
  for (const ProfileRow& line : profiler.rows()) total += line.seconds;
  for (const ProfileRow& line : profiler.rows()) {
    Row out = row("kernels", setting.device, mode(setting), schedule, problem.size);
    out["operation"] = line.operation + "/" + line.kernel;
    if (report.has(out)) continue;
    out["calls"] = line.calls;
    out["seconds"] = {{"median", line.seconds}};
    out["share"] = line.seconds / total;
    out["gigabytes_per_second"] = line.bytes / line.seconds / 1e9;
    if (line.flops > 0) out["gflops"] = line.flops / line.seconds / 1e9;
    report.add(out);
  }
}

}  // namespace

void kernels(const Setting& setting, Report& report) {
  const Problem problem = make_problem(setting.size, setting.source, setting.device, 0);
  if (setting.compiled) {
    Row out = row("kernels", setting.device, mode(setting), "step", problem.size);
    put_unsupported(out);
    if (!report.has(out)) report.add(out);
    return;
  }
  const auto plan =
      kmeans::plan_labelling(kmeans::AssignMethod::gram_tiled, 0, 0, problem.x, problem.size.clusters);
  const Array centers = astype(problem.centers, float64);
  profile(setting, problem, "assign", report, [&] { kmeans::nearest_center(problem.x, centers, plan); });
  profile(setting, problem, "step", report, [&] {
    const Array labels = kmeans::nearest_center(problem.x, centers, plan);
    kmeans::cluster_means(kmeans::update_scatter(problem.x, labels, problem.size.clusters), centers);
  });
}

}  // namespace tessera::bench
