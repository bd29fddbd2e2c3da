#include <algorithm>
#include <functional>

#include <kmeans/labelling.hpp>
#include <kmeans/lloyd.hpp>
#include <kmeans/update.hpp>

#include "functions.hpp"

// One Lloyd iteration: assignment and update apart, each with a peak of its own, and the step as a whole.

namespace tessera::bench {
namespace {

constexpr std::int64_t kUpdateTile = 256;

// What the estimator's assignment holds: labels twice, a tile of distances (compiled, what a kernel keeps of
// one) and one of samples less the shift, the centers in float64 twice and as they enter the product.
std::int64_t shifted_peak(const Size& size, const kmeans::Labelling& plan) {
  const std::int64_t tile = std::min(plan.tile_samples, size.samples);
  const std::int64_t distances =
      plan.compiled ? kCompiledTile : 4 * tile * std::min(plan.tile_centers, size.clusters);
  return distances + 4 * tile * size.features + 16 * size.samples + 20 * size.clusters * size.features +
         kMebibyte;
}

// The float64 sums of an update; with their quotients.
std::int64_t sums_peak(const Size& size) {
  return 8 * size.clusters * size.features + 32 * size.clusters + kMebibyte;
}
std::int64_t means_peak(const Size& size) {
  return 16 * size.clusters * size.features + 48 * size.clusters + kMebibyte;
}

// The one-hot matrix of some samples and the comparison that it comes from; its product with them, the sums,
// both in float64. The means of a portable step take as much as the latter: sums, quotients and the centers
// before in float64, and the centers.
std::int64_t one_hot_peak(const Size& size, std::int64_t samples) {
  return 5 * samples * size.clusters + 28 * size.clusters * size.features + kMebibyte;
}

// The tiles of samples that are timed: that of a chunked product on the host, and one that suits an
// accelerator.
std::vector<std::int64_t> sample_tiles(const Size& size) {
  if (is_large(size)) return {4096};
  return {256, 4096};
}

struct Phases {
  const Setting& setting;
  const Problem& problem;
  Report& report;
  Functions functions;
  Timing timing;
  Array labels;  ///< of the first assignment: those of the others are compared with them

  Row head(const std::string& schedule) const {
    return row("lloyd", setting.device, mode(setting), schedule, problem.size);
  }

  /// `call` gives labels, or no array where it makes none.
  void ask(Row out, double flops, std::int64_t predicted_peak, const std::function<Array()>& call) {
    if (report.has(out)) return;
    functions = bench::functions(setting);  // what compiling takes counts for each row
    Array found;
    measure_into(out, setting, timing, functions, flops, [&] { found = call(); });
    timing = next_timing(setting);
    out["predicted_peak_bytes"] = predicted_peak;
    if (found.valid()) {
      if (!labels.valid()) labels = found;
      if (!setting.timing.paced) out["labels_differ"] = count_nonzero(labels != found).item<std::int64_t>();
      keep_labels(setting, found);
    }
    report.add(out);
  }

  /// How fits assign, eager or compiled by the mode; a fit chooses by itself.
  kmeans::Labelling plan() const {
    auto plan = kmeans::plan_labelling(kmeans::AssignMethod::gram_tiled, 0, 0, problem.x,
                                       problem.size.clusters, setting.compiled);
    plan.tile_samples = std::min(plan.tile_samples, std::max<std::int64_t>(problem.size.samples, 1));
    return plan;
  }

  Assignment assign(const kmeans::GramTiledOptions& tiles) const {
    return kmeans::assign_gram_tiled_by(functions.gram_tile, problem.x, problem.centers, tiles);
  }
};

void assignments(Phases& phases, double flops) {
  const Problem& p = phases.problem;
  for (const std::int64_t tile_samples : sample_tiles(p.size)) {
    const kmeans::GramTiledOptions tiles{std::min(tile_samples, p.size.samples),
                                         std::min<std::int64_t>(1024, p.size.clusters)};
    Row out = phases.head("assign gram_tiled");
    out["tile_samples"] = tiles.tile_samples;
    out["tile_centers"] = tiles.tile_centers;
    phases.ask(out, flops, gram_tiled_peak(p.size, tiles.tile_samples, tiles.tile_centers),
               [&] { return phases.assign(tiles).labels; });
  }
  const kmeans::Labelling plan = phases.plan();
  Row out = phases.head("assign as fit does");
  out["tile_samples"] = plan.tile_samples;
  out["tile_centers"] = plan.tile_centers;
  phases.ask(out, flops, shifted_peak(p.size, plan),
             [&] { return kmeans::nearest_center(p.x, p.centers, plan); });
}

// The iteration of portable functions alone: a tiled Gram, then tiled means.
void portable_steps(Phases& phases, double flops) {
  const Problem& p = phases.problem;
  for (const std::int64_t tile_samples : sample_tiles(p.size)) {
    const kmeans::GramTiledOptions tiles{std::min(tile_samples, p.size.samples),
                                         std::min<std::int64_t>(1024, p.size.clusters)};
    Row out = phases.head("step gram_tiled + tiled_mean");
    out["tile_samples"] = tiles.tile_samples;
    out["tile_centers"] = tiles.tile_centers;
    const kmeans::LloydOptions options{
        .assign = [&](const Array& /*x*/, const Array& /*centers*/) { return phases.assign(tiles); },
        .update = kmeans::update_tiled_mean,
        .update_options = {.tile_samples = kUpdateTile}};
    const std::int64_t peak = std::max(gram_tiled_peak(p.size, tiles.tile_samples, tiles.tile_centers),
                                       8 * p.size.samples + one_hot_peak(p.size, kUpdateTile));
    phases.ask(out, 2 * flops, peak, [&] { return kmeans::lloyd_step(p.x, p.centers, options).labels; });
  }
}

// One iteration as the estimator makes it, nothing recorded: labels of shifted tiles, float64 sums, means.
void estimator_step(Phases& phases, double flops) {
  const Problem& p = phases.problem;
  const kmeans::Labelling plan = phases.plan();
  const Array centers = astype(p.centers, float64);
  Row out = phases.head("step");
  out["tile_samples"] = plan.tile_samples;
  out["tile_centers"] = plan.tile_centers;
  const std::int64_t peak = std::max(shifted_peak(p.size, plan), 8 * p.size.samples + means_peak(p.size));
  phases.ask(out, flops, peak, [&] {
    Array labels = kmeans::nearest_center(p.x, centers, plan);
    kmeans::cluster_means(kmeans::update_scatter(p.x, labels, p.size.clusters), centers);
    return labels;
  });
}

void updates(Phases& phases) {
  const Problem& p = phases.problem;
  const std::int64_t k = p.size.clusters;
  const double flops = 2 * work(p.size);
  Array labels;
  const auto ask = [&](Row out, double arithmetic, std::int64_t peak, const std::function<void()>& call) {
    if (phases.report.has(out)) return;
    if (phases.setting.compiled) {
      put_unsupported(out, "updates are timed eagerly");
      return phases.report.add(out);
    }
    // Labels are not part of the update.
    if (!labels.valid()) labels = kmeans::assign_gram_tiled(p.x, p.centers).labels;
    phases.ask(std::move(out), arithmetic, peak, [&] {
      call();
      return Array();
    });
  };
  ask(phases.head("update scatter"), 0, sums_peak(p.size), [&] { kmeans::update_scatter(p.x, labels, k); });
  Row tiled = phases.head("update tiled_mean");
  tiled["tile_samples"] = kUpdateTile;
  ask(tiled, flops, one_hot_peak(p.size, kUpdateTile),
      [&] { kmeans::update_tiled_mean(p.x, labels, k, {.tile_samples = kUpdateTile}); });
  ask(phases.head("update one_hot"), flops, one_hot_peak(p.size, p.size.samples),
      [&] { kmeans::update_one_hot(p.x, labels, k); });
}

}  // namespace

void lloyd(const Setting& setting, Report& report) {
  const Size& size = setting.size;
  const Problem problem =
      make_problem(size, setting.source, setting.device, 5 * size.samples * size.clusters);
  const double flops = 2 * work(problem.size);
  Phases phases{setting, problem, report, functions(setting), setting.timing, {}};
  assignments(phases, flops);
  estimator_step(phases, flops);
  portable_steps(phases, flops);
  updates(phases);
}

}  // namespace tessera::bench
