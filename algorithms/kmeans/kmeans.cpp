#include "kmeans/kmeans.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "kmeans/distance.hpp"
#include "kmeans/headroom.hpp"
#include "kmeans/init.hpp"
#include "kmeans/labelling.hpp"
#include "kmeans/loop.hpp"
#include "kmeans/tiles.hpp"
#include "kmeans/validation.hpp"

namespace tessera::kmeans {
namespace {

void check_at_least(const char* option, std::int64_t value, std::int64_t least) {
  if (value >= least) return;
  throw ValueError("[kmeans] " + std::string(option) + " is " + std::to_string(value) +
                   "; it must be at least " + std::to_string(least));
}

void check(const KMeansOptions& options) {
  check_at_least("n_clusters", options.n_clusters, 1);
  check_at_least("n_init", options.n_init, 1);
  check_at_least("max_iter", options.max_iter, 1);
  check_at_least("tile_samples", options.tile_samples, 0);
  check_at_least("tile_centers", options.tile_centers, 0);
  if (!(options.tol >= 0) || std::isinf(options.tol)) {
    throw ValueError("[kmeans] tol is " + std::to_string(options.tol) +
                     "; it must be a finite number, at least 0");
  }
}

bool wants(const KMeansOptions& options, InitMethod method) {
  const InitMethod* wanted = std::get_if<InitMethod>(&options.init);
  return wanted != nullptr && *wanted == method;
}

// The samples as checked.
struct Summary {
  CenteredSamples samples;  ///< about their mean, where `tol` or k-means++ ask for that
  double variance = 0;      ///< averaged over features
};

// Checked by their extremes alone; whether those leave headroom about the origin.
bool check_extremes(const Array& x, std::int64_t tile_samples) {
  const auto values = astype(stack({min(x), max(x)}), float64).to_host<double>();
  const double largest = std::max(std::abs(values[0]), std::abs(values[1]));
  if (!std::isfinite(values[0]) || !std::isfinite(largest)) require_finite("x", x, tile_samples);
  return static_cast<double>(x.shape(1)) * largest * largest <= largest_squared_length(x.dtype());
}

// One wait for all.
Summary summarise(const Array& x, bool about_mean) {
  const std::int64_t tile = distance_tile(x.shape(1), x.device().cache_bytes());
  Summary summary;
  if (!about_mean && check_extremes(x, tile)) return summary;
  const auto samples = static_cast<double>(x.shape(0));
  const Array sums = sum(x, {.axis = 0, .dtype = float64});
  const Array mean = sums / samples;
  summary.samples = {.x = x, .mean = astype(mean, x.dtype()), .norms = {}, .tile_samples = tile};
  summary.samples.norms = centered_norms(x, summary.samples.mean, tile);
  const auto values = stack({sum(sums), sum(summary.samples.norms, {.dtype = float64}), vecdot(mean, mean),
                             astype(max(summary.samples.norms), float64)})
                          .to_host<double>();
  // A NaN or an infinity makes the sum one, too; a sum that overflows is looked into.
  if (!std::isfinite(values[0])) require_finite("x", x, tile);
  if (!std::isfinite(values[1]) || !(values[3] <= largest_squared_length(x.dtype()))) {
    throw_overflow("x", x.dtype());
  }
  summary.variance = values[1] / samples / static_cast<double>(x.shape(1));
  summary.samples.mean_norm = std::sqrt(values[2]);
  summary.samples.take_off_products = values[2] <= values[1] / samples;
  return summary;
}

// Centers of the user's: finite in x's dtype, and not so far from the samples that scores overflow.
Array given_centers(const Array& given, std::int64_t clusters, const Array& x, const Array& mean) {
  Array centers = as_centers("init", given, Shape{clusters, x.shape(1)}, x.device());
  Array about = astype(centers, float64);
  if (mean.valid()) about = std::move(about) - astype(mean, float64);
  const auto longest = max(vecdot(about, about)).item<double>();
  if (!(longest <= largest_squared_length(x.dtype()))) {
    require_finite("init", astype(centers, x.dtype()), distance_tile(x.shape(1), x.device().cache_bytes()));
    throw_overflow("init", x.dtype());
  }
  return centers;
}

Array make_centers(const KMeansOptions& options, const Array& x, const std::optional<Array>& weights,
                   const CenteredSamples& samples, int run) {
  if (const Array* given = std::get_if<Array>(&options.init)) {
    return given_centers(*given, options.n_clusters, x, samples.mean);
  }
  const random::Key key = options.random_state.fold_in(static_cast<std::uint64_t>(run));
  if (wants(options, InitMethod::random)) return random_centers(x, options.n_clusters, key, weights).centers;
  return kmeans_plusplus(samples, options.n_clusters, key, {.weights = weights, .stop = options.stop})
      .centers;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// x in the dtype of the centers, both checked.
Array as_samples_for(const Array& x, const Array& centers) {
  Array samples = as_samples("x", x);
  if (samples.shape(1) != centers.shape(1)) {
    throw ShapeError("[kmeans] x has " + std::to_string(samples.shape(1)) + " features: shape " +
                     to_string(samples.shape()) + ", but the centers have " +
                     std::to_string(centers.shape(1)) + ": shape " + to_string(centers.shape()));
  }
  // In the dtype of the centers: a finite float64 may be none in float32.
  samples = astype(std::move(samples), centers.dtype());
  check_values(samples, centers, distance_tile(samples.shape(1), samples.device().cache_bytes()));
  return samples;
}

}  // namespace

KMeans::KMeans(KMeansOptions options) : options_(std::move(options)) {
  check(options_);
}

const KMeans::Result& KMeans::result() const {
  if (!result_) throw ValueError("[kmeans] nothing has been fitted yet; call fit first");
  return *result_;
}

KMeans& KMeans::fit(const Array& x, const std::optional<Array>& sample_weight) {
  const auto start = std::chrono::steady_clock::now();
  if (!x.valid()) throw ValueError("[kmeans] x is no array");
  const PeakScope peak(x.device());
  const Array samples = as_samples("x", x);
  check_clusters(options_.n_clusters, samples);
  std::optional<Array> weights;
  if (sample_weight) weights = as_weights(*sample_weight, samples);
  Result result = run_all(samples, weights);
  result.peak_bytes = peak.peak();
  result.seconds.total = seconds_since(start);
  result_ = std::move(result);
  return *this;
}

KMeans::Result KMeans::run_all(const Array& x, const std::optional<Array>& weights) const {
  const Device device = x.device();
  const Summary summary = summarise(x, options_.tol > 0 || wants(options_, InitMethod::kmeans_plusplus));
  const Problem problem{.x = x,
                        .weights = weights,
                        .labelling = plan_labelling(options_.assign, options_.tile_samples,
                                                    options_.tile_centers, x, options_.n_clusters),
                        .distance_tile = distance_tile(x.shape(1), device.cache_bytes()),
                        .tolerance = options_.tol > 0 ? options_.tol * summary.variance : -1};

  Result best;
  const int runs = std::holds_alternative<Array>(options_.init) ? 1 : options_.n_init;
  for (int i = 0; i < runs; ++i) {
    const auto start = device.record();
    const Array initial = make_centers(options_, x, weights, summary.samples, i);
    const auto begun = device.record();
    Run run = run_lloyd(problem, initial, options_);
    if (weights && !std::isfinite(run.inertia)) {
      throw ValueError(
          "[kmeans] sample_weight has values so large that weighted sums overflow; scale them down");
    }
    best.seconds.init += device.elapsed(start, begun);
    for (const Iteration& row : run.history) {
      best.seconds.assign += row.seconds.assign;
      best.seconds.update += row.seconds.update;
    }
    if (i == 0 || run.inertia < best.inertia) {
      best.initial = initial;
      best.centers = std::move(run.centers);
      best.labels = std::move(run.labels);
      best.inertia = run.inertia;
      best.distinct = run.distinct;
      best.stopped = run.stopped;
      best.history = std::move(run.history);
    }
    if (run.ended) {
      if (run.stopped == Stopped::interrupted || i + 1 < runs) best.stopped = Stopped::interrupted;
      break;
    }
  }
  for (const Iteration& row : best.history) best.relocated += row.relocated;
  if (best.distinct < options_.n_clusters) {
    best.warnings.push_back("only " + std::to_string(best.distinct) + " different labels for " +
                            std::to_string(options_.n_clusters) +
                            " clusters: x may have duplicates, or fewer different samples than clusters");
  }
  best.tile_samples = problem.labelling.tile_samples;
  best.tile_centers = problem.labelling.tile_centers;
  best.compiled = problem.labelling.compiled;
  return best;
}

Array KMeans::predict(const Array& x) const {
  return kmeans::predict(x, cluster_centers(),
                         {options_.assign, options_.tile_samples, options_.tile_centers});
}

Array KMeans::transform(const Array& x) const {
  const Array samples = as_samples_for(x, cluster_centers());
  return distances(samples, cluster_centers(), samples.device().cache_bytes());
}

double KMeans::score(const Array& x, const std::optional<Array>& sample_weight) const {
  const Array samples = as_samples_for(x, cluster_centers());
  std::optional<Array> weights;
  if (sample_weight) weights = as_weights(*sample_weight, samples);
  return -tessera::kmeans::inertia(samples, predict(samples), cluster_centers(), weights,
                                   distance_tile(samples.shape(1), samples.device().cache_bytes()))
              .item<double>();
}

Array predict(const Array& x, const Array& centers, const PredictOptions& options) {
  if (!x.valid()) throw ValueError("[kmeans] x is no array");
  check_at_least("tile_samples", options.tile_samples, 0);
  check_at_least("tile_centers", options.tile_centers, 0);
  const Array checked = as_centers("centers", centers, {}, x.device());
  const Array samples = as_samples_for(x, checked);
  return nearest_center(
      samples, checked,
      plan_labelling(options.assign, options.tile_samples, options.tile_centers, samples, checked.shape(0)));
}

}  // namespace tessera::kmeans
