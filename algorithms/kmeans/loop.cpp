#include "kmeans/loop.hpp"

#include <utility>

#include "kmeans/distance.hpp"
#include "kmeans/relocate.hpp"
#include "kmeans/update.hpp"

namespace tessera::kmeans {
namespace {

ClusterSums update(const Problem& problem, const Array& labels, std::int64_t clusters, UpdateMethod method) {
  const UpdateOptions options{.weights = problem.weights, .tile_samples = problem.distance_tile};
  switch (method) {
    case UpdateMethod::one_hot: return update_one_hot(problem.x, labels, clusters, options);
    case UpdateMethod::tiled_mean: return update_tiled_mean(problem.x, labels, clusters, options);
    case UpdateMethod::scatter: break;
  }
  return update_scatter(problem.x, labels, clusters, options);
}

Array squared_shift(const Array& before, const Array& after) {
  const Array difference = reshape(after - before, {before.size()});
  return vecdot(difference, difference);
}

// What the host knows of an iteration.
struct Progress {
  double shift = 0;
  bool some_empty = false;
  bool labels_changed = true;
};

// One small array, the only thing that an iteration waits for: the squared shift, the lowest weight of a
// cluster, and whether labels changed.
Array measure(const Array& before, const Array& after, const Array& weights, const Array& labels,
              const Array& previous) {
  std::vector<Array> values{squared_shift(before, after), min(weights)};
  if (previous.valid()) values.push_back(astype(any(labels != previous), float64));
  return stack(values);
}

Progress read(const Array& measured) {
  double values[3] = {0, 0, 1};
  measured.to_host(std::span(values, static_cast<std::size_t>(measured.size())));
  return {values[0], values[1] == 0, values[2] != 0};
}

struct Step {
  Array labels;
  Array centers;
  Progress progress;
  Iteration row;
};

// An iteration but for its recorded inertia.
Step iterate(const Problem& problem, const Array& centers, const Array& previous, UpdateMethod method) {
  const Device device = problem.x.device();
  Step step;
  const auto start = device.record();
  {
    const PeakScope peak(device);
    step.labels = nearest_center(problem.x, centers, problem.labelling);
    step.row.peak_bytes.assign = peak.peak();
  }
  const auto assigned = device.record();
  const PeakScope peak(device);
  ClusterSums clusters = update(problem, step.labels, centers.shape(0), method);
  // Clusters without weight are seen to below, once it is known that there are some.
  step.centers = clusters.sums / expand_dims(clusters.weights, 1);
  const Array measured = measure(centers, step.centers, clusters.weights, step.labels, previous);
  auto updated = device.record();
  step.progress = read(measured);
  if (step.progress.some_empty) {
    Relocation filled = fill_empty_clusters(problem.x, step.labels, centers, problem.weights,
                                            std::move(clusters), problem.distance_tile);
    step.row.relocated = filled.samples;
    // The mean of equal samples is a rounding away from them, and would never settle.
    step.centers = where(filled.settled, centers, cluster_means(filled.clusters, centers));
    updated = device.record();
    step.progress.shift = squared_shift(centers, step.centers).item<double>();
  }
  step.row.peak_bytes.update = peak.peak();
  step.row.shift = step.progress.shift;
  step.row.seconds = {device.elapsed(start, assigned), device.elapsed(assigned, updated)};
  return step;
}

// The labels of the rounded centers, and what is reported of them; no iteration.
void finish(const Problem& problem, const Array& centers, Run& run) {
  run.centers = astype(centers, problem.x.dtype());
  run.labels = nearest_center(problem.x, run.centers, problem.labelling);
  const Array counts =
      scatter_add(zeros({centers.shape(0)}, {.dtype = int64, .device = centers.device()}), run.labels, 1);
  const auto values =
      stack({inertia(problem.x, run.labels, run.centers, problem.weights, problem.distance_tile),
             astype(count_nonzero(counts), float64)})
          .to_host<double>();
  run.inertia = values[0];
  run.distinct = static_cast<std::int64_t>(values[1]);
}

}  // namespace

Run run_lloyd(const Problem& problem, const Array& initial, const KMeansOptions& options) {
  Run run;
  run.stopped = Stopped::max_iter;
  Array centers = astype(initial, float64);
  Array labels;
  for (int number = 1; number <= options.max_iter; ++number) {
    Step step = iterate(problem, centers, labels, options.update);
    step.row.number = number;
    if (options.record || options.callback) {
      step.row.inertia =
          inertia(problem.x, step.labels, centers, problem.weights, problem.distance_tile).item<double>();
    }
    run.history.push_back(step.row);
    labels = std::move(step.labels);
    centers = std::move(step.centers);

    const bool halted = options.callback && !options.callback(step.row);
    run.ended = halted || (options.stop && options.stop());
    if (!step.progress.labels_changed && step.row.relocated == 0) {
      run.stopped = Stopped::labels;
      break;
    }
    if (problem.tolerance >= 0 && step.row.shift <= problem.tolerance) {
      run.stopped = Stopped::tol;
      break;
    }
    if (run.ended) {
      run.stopped = Stopped::interrupted;
      break;
    }
  }
  labels = {};
  finish(problem, centers, run);
  return run;
}

}  // namespace tessera::kmeans
