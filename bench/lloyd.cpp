#include <algorithm>
#include <functional>

#include <kmeans/assign.hpp>
#include <kmeans/labelling.hpp>
#include <kmeans/lloyd.hpp>
#include <kmeans/update.hpp>

#include "question.hpp"

// One Lloyd iteration: assignment and update apart, each with a peak of its own, and the step as a whole.

namespace tessera::bench {
namespace {

struct Phases {
  const Setting& setting;
  const Problem& problem;
  Report& report;

  Row head(const std::string& schedule) const {
    return row("lloyd", setting.device, mode(setting), schedule, problem.size);
  }

  void ask(Row out, double flops, const std::function<void()>& call) const {
    if (report.has(out)) return;
    if (setting.compiled) {
      put_unsupported(out);
    } else {
      put(out, measure(setting.device, setting.repeat, call), flops);
    }
    report.add(out);
  }
};

void assignments(const Phases& phases, double flops) {
  const Problem& p = phases.problem;
  for (const std::int64_t tile_samples : {256, 4096}) {
    const kmeans::GramTiledOptions tiles{std::min(tile_samples, p.size.samples),
                                         std::min<std::int64_t>(1024, p.size.clusters)};
    Row out = phases.head("assign gram_tiled");
    out["tile_samples"] = tiles.tile_samples;
    out["tile_centers"] = tiles.tile_centers;
    phases.ask(out, flops, [&] { kmeans::assign_gram_tiled(p.x, p.centers, tiles); });
  }
  const auto plan = kmeans::plan_labelling(kmeans::AssignMethod::gram_tiled, 0, 0, p.x, p.size.clusters);
  Row out = phases.head("assign as fit does");
  out["tile_samples"] = plan.tile_samples;
  out["tile_centers"] = plan.tile_centers;
  phases.ask(out, flops, [&] { kmeans::nearest_center(p.x, p.centers, plan); });
}

void updates(const Phases& phases, const Array& labels) {
  const Problem& p = phases.problem;
  const double flops = 2.0 * static_cast<double>(p.size.samples) * static_cast<double>(p.size.clusters) *
                       static_cast<double>(p.size.features);
  phases.ask(phases.head("update scatter"), 0, [&] { kmeans::update_scatter(p.x, labels, p.size.clusters); });
  Row tiled = phases.head("update tiled_mean");
  tiled["tile_samples"] = 256;
  phases.ask(tiled, flops,
             [&] { kmeans::update_tiled_mean(p.x, labels, p.size.clusters, {.tile_samples = 256}); });
  phases.ask(phases.head("update one_hot"), flops,
             [&] { kmeans::update_one_hot(p.x, labels, p.size.clusters); });
}

// One iteration as the estimator makes it, nothing recorded: labels of shifted tiles, float64 sums, means.
void step(const Phases& phases, double flops) {
  const Problem& p = phases.problem;
  const auto plan = kmeans::plan_labelling(kmeans::AssignMethod::gram_tiled, 0, 0, p.x, p.size.clusters);
  const Array centers = astype(p.centers, float64);
  Row out = phases.head("step");
  out["tile_samples"] = plan.tile_samples;
  out["tile_centers"] = plan.tile_centers;
  phases.ask(out, flops, [&] {
    const Array labels = kmeans::nearest_center(p.x, centers, plan);
    kmeans::cluster_means(kmeans::update_scatter(p.x, labels, p.size.clusters), centers);
  });
}

}  // namespace

void lloyd(const Setting& setting, Report& report) {
  const Size& size = setting.size;
  const Problem problem =
      make_problem(size, setting.source, setting.device, 5 * size.samples * size.clusters);
  const double flops = 2.0 * static_cast<double>(problem.size.samples) *
                       static_cast<double>(problem.size.clusters) *
                       static_cast<double>(problem.size.features);
  const Phases phases{setting, problem, report};
  assignments(phases, flops);
  step(phases, flops);
  const Array labels = kmeans::assign_gram_tiled(problem.x, problem.centers).labels;
  updates(phases, labels);
}

}  // namespace tessera::bench
