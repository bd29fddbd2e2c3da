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

constexpr std::int64_t kUpdateTile = 256;

// What the estimator's assignment holds: labels twice, a tile of distances and one of samples less the shift,
// the centers in float64 twice and as they enter the product.
std::int64_t shifted_peak(const Size& size, const kmeans::Labelling& plan) {
  const std::int64_t tile = std::min(plan.tile_samples, size.samples);
  return 4 * tile * (std::min(plan.tile_centers, size.clusters) + size.features) + 16 * size.samples +
         20 * size.clusters * size.features + kMebibyte;
}

struct Phases {
  const Setting& setting;
  const Problem& problem;
  Report& report;

  Row head(const std::string& schedule) const {
    return row("lloyd", setting.device, mode(setting), schedule, problem.size);
  }

  /// `predicted_peak` 0: not predicted.
  void ask(Row out, double flops, std::int64_t predicted_peak, const std::function<void()>& call) const {
    if (report.has(out)) return;
    if (setting.compiled) {
      put_unsupported(out);
    } else {
      put(out, measure(setting.device, setting.repeat, call), flops);
      if (predicted_peak > 0) out["predicted_peak_bytes"] = predicted_peak;
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
    phases.ask(out, flops, gram_tiled_peak(p.size, tiles.tile_samples, tiles.tile_centers),
               [&] { kmeans::assign_gram_tiled(p.x, p.centers, tiles); });
  }
  const auto plan = kmeans::plan_labelling(kmeans::AssignMethod::gram_tiled, 0, 0, p.x, p.size.clusters);
  Row out = phases.head("assign as fit does");
  out["tile_samples"] = plan.tile_samples;
  out["tile_centers"] = plan.tile_centers;
  phases.ask(out, flops, shifted_peak(p.size, plan), [&] { kmeans::nearest_center(p.x, p.centers, plan); });
}

void updates(const Phases& phases) {
  const Problem& p = phases.problem;
  const std::int64_t k = p.size.clusters;
  const std::int64_t sums = k * p.size.features;
  const double flops = 2.0 * static_cast<double>(p.size.samples) * static_cast<double>(sums);
  Array labels;
  const auto known = [&]() -> const Array& {
    if (!labels.valid()) labels = kmeans::assign_gram_tiled(p.x, p.centers).labels;
    return labels;
  };
  if (const Row out = phases.head("update scatter"); !phases.report.has(out)) {
    known();  // labels are not part of the update
    phases.ask(out, 0, 0, [&] { kmeans::update_scatter(p.x, known(), k); });
  }
  Row tiled = phases.head("update tiled_mean");
  tiled["tile_samples"] = kUpdateTile;
  if (!phases.report.has(tiled)) {
    known();
    // The one-hot tile and the comparison that it comes from; a tile's product, the sums, both in float64.
    phases.ask(tiled, flops, 5 * kUpdateTile * k + 28 * sums + kMebibyte,
               [&] { kmeans::update_tiled_mean(p.x, known(), k, {.tile_samples = kUpdateTile}); });
  }
  if (const Row out = phases.head("update one_hot"); !phases.report.has(out)) {
    known();
    phases.ask(out, flops, 5 * p.size.samples * k + 28 * sums + kMebibyte,
               [&] { kmeans::update_one_hot(p.x, known(), k); });
  }
}

// One iteration as the estimator makes it, nothing recorded: labels of shifted tiles, float64 sums, means.
void step(const Phases& phases, double flops) {
  const Problem& p = phases.problem;
  const auto plan = kmeans::plan_labelling(kmeans::AssignMethod::gram_tiled, 0, 0, p.x, p.size.clusters);
  const Array centers = astype(p.centers, float64);
  Row out = phases.head("step");
  out["tile_samples"] = plan.tile_samples;
  out["tile_centers"] = plan.tile_centers;
  phases.ask(out, flops, 0, [&] {
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
  updates(phases);
}

}  // namespace tessera::bench
