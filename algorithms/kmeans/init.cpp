#include "kmeans/init.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kmeans/tiles.hpp"

namespace tessera::kmeans {
namespace {

int trial_count(const PlusPlusOptions& options, std::int64_t clusters) {
  if (options.trials > 0) return options.trials;
  return 2 + static_cast<int>(std::log(static_cast<double>(clusters)));
}

// Of (n,) distances, or of (trials, n).
Array weighted(const Array& distances, const std::optional<Array>& weights) {
  return weights ? distances * *weights : distances;
}

Array first_index(const Array& x, const random::Key& key, const std::optional<Array>& weights) {
  if (weights) return random::choice(key, x.shape(0), {1}, {.p = weights, .device = x.device()});
  return random::randint(key, 0, x.shape(0), {1}, {.device = x.device()});
}

// Indices drawn with probability in proportion to `mass`, `first` where it is all 0. The first sum past the
// draw has a mass above 0; a draw that rounds up to the last sum takes the first that reaches it, which has,
// too.
Array draw(const Array& mass, const Array& uniform, const Array& first) {
  const Array reached = cumulative_sum(mass, {.axis = 0, .dtype = float64});
  const Array potential = index(reached, {slice(-1)});
  const Array drawn = uniform * potential;
  const Array candidates = where(drawn < potential, searchsorted(reached, drawn, {.side = Side::right}),
                                 searchsorted(reached, potential, {.side = Side::left}));
  return where(potential > 0, candidates, first);
}

// The rounding error of ||x||^2 + ||c||^2 - 2 x.c, relative to 2 ||x||^2, where x and c are nearly equal: the
// errors of d products and their sum add like a random walk.
double rounding_bound(const Array& x) {
  const double epsilon = x.dtype() == float32 ? double{std::numeric_limits<float>::epsilon()}
                                              : std::numeric_limits<double>::epsilon();
  return 2 * epsilon * (2 + std::sqrt(static_cast<double>(x.shape(1))));
}

// (t, n): candidates are few columns beside many samples, and a row of distances is a candidate's.
Array products(const Array& x, const Array& centers) {
  return matrix_transpose(matmul(x, matrix_transpose(centers)));
}

// The squared distances of all samples to some rows of (t, d), from the products -2 x.c (t, n), and ||c||^2
// (t,); `lower` is ||x||^2 less the rounding bound, so what is below it becomes 0.
Array finish_distances(Array dots, const Array& row_norms, const Array& lower) {
  return maximum(std::move(dots) + expand_dims(row_norms, 1) + lower, 0);
}

// Which candidate (1,) leaves the lowest potential.
Array best_candidate(const Array& distances, const std::optional<Array>& weights) {
  return argmin(sum(weighted(distances, weights), {.axis = 1, .dtype = float64}),
                {.axis = 0, .keepdims = true});
}

// (n,) of row `which` (1,); the chosen sample's own distance is 0.
Array take_row(const Array& distances, const Array& which, const Array& own) {
  Array row = reshape(take(distances, which, {.axis = 0}), {distances.shape(1)});
  return scatter_set(std::move(row), own, 0);
}

// Both versions: they differ in how the distances to candidates (trials,) are made.
template <class DistancesTo>
Seeds greedy(const Array& x, std::int64_t clusters, const random::Key& key, const PlusPlusOptions& options,
             const DistancesTo& distances_to) {
  if (clusters < 1 || clusters > x.shape(0)) {
    throw ValueError("[kmeans_plusplus] clusters is " + std::to_string(clusters) +
                     "; it must be at least 1 and at most the number of samples, " +
                     std::to_string(x.shape(0)));
  }
  const auto keys = random::split(key, 2);
  const Array draws = random::uniform(keys[1], {clusters - 1, trial_count(options, clusters)},
                                      {.dtype = float64, .device = x.device()});
  const Array first = first_index(x, keys[0], options.weights);
  std::vector<Array> chosen{first};
  Array closest = take_row(distances_to(first), asarray({std::int64_t{0}}, {.device = x.device()}), first);
  for (std::int64_t i = 1; i < clusters; ++i) {
    if (options.stop && options.stop()) {
      chosen.push_back(draw(weighted(closest, options.weights), index(draws, {slice(i - 1, {}), 0}), first));
      break;
    }
    const Array candidates = draw(weighted(closest, options.weights), index(draws, {i - 1}), first);
    const Array distances = minimum(distances_to(candidates), closest);
    const Array best = best_candidate(distances, options.weights);
    chosen.push_back(take(candidates, best));
    closest = take_row(distances, best, chosen.back());
  }
  Array indices = join(std::move(chosen));
  return {take(x, indices, {.axis = 0}), indices};
}

}  // namespace

Seeds kmeans_plusplus(const Array& x, std::int64_t clusters, const random::Key& key,
                      const PlusPlusOptions& options) {
  const Array norms = vecdot(x, x);
  const Array lower = (1 - rounding_bound(x)) * norms;
  return greedy(x, clusters, key, options, [&](const Array& candidates) {
    const Array centers = take(x, candidates, {.axis = 0});
    return finish_distances(products(x, -2 * centers), take(norms, candidates), lower);
  });
}

Seeds kmeans_plusplus_recompute(const Array& x, std::int64_t clusters, const random::Key& key,
                                const PlusPlusOptions& options) {
  return greedy(x, clusters, key, options, [&](const Array& candidates) {
    std::vector<Array> picked;
    for (const std::int64_t i : candidates.to_host<std::int64_t>()) picked.push_back(index(x, {i}));
    const Array centers = stack(picked);
    const Array norms = sum(x * x, {.axis = 1});
    const Array lower = (1 - rounding_bound(x)) * norms;
    return finish_distances(products(x, -2 * centers), sum(centers * centers, {.axis = 1}), lower);
  });
}

Seeds random_centers(const Array& x, std::int64_t clusters, const random::Key& key,
                     const std::optional<Array>& weights) {
  if (weights) {
    const auto usable = count_nonzero(*weights > 0).item<std::int64_t>();
    if (usable < clusters) {
      throw ValueError("[kmeans] init = random needs " + std::to_string(clusters) +
                       " samples of weight above 0, but sample_weight has " + std::to_string(usable) +
                       "; ask for fewer clusters or give initial centers");
    }
  }
  Array indices =
      random::choice(key, x.shape(0), {clusters}, {.replace = false, .p = weights, .device = x.device()});
  return {take(x, indices, {.axis = 0}), indices};
}

Array centered_norms(const Array& x, const Array& mean, std::int64_t tile_samples) {
  std::vector<Array> pieces;
  for (const Tile& tile : split(x.shape(0), tile_samples)) {
    const Array centered = rows(x, tile) - mean;
    pieces.push_back(vecdot(centered, centered));
  }
  return join(std::move(pieces));
}

Seeds kmeans_plusplus(const CenteredSamples& samples, std::int64_t clusters, const random::Key& key,
                      const PlusPlusOptions& options) {
  const Array& x = samples.x;
  const double bound = rounding_bound(x);
  Array lower = (1 - bound) * samples.norms;
  // Products with x itself carry its rounding, the mean's length included.
  if (samples.take_off_products) lower = std::move(lower) - bound * samples.mean_norm * sqrt(samples.norms);

  return greedy(x, clusters, key, options, [&](const Array& candidates) {
    const Array centers = -2 * (take(x, candidates, {.axis = 0}) - samples.mean);
    Array row_norms = take(samples.norms, candidates);
    if (samples.take_off_products) {
      row_norms = std::move(row_norms) - vecdot(centers, samples.mean);
      return finish_distances(products(x, centers), row_norms, lower);
    }
    std::vector<Array> pieces;
    for (const Tile& tile : split(x.shape(0), samples.tile_samples)) {
      pieces.push_back(products(rows(x, tile) - samples.mean, centers));
    }
    Array dots = pieces.size() == 1 ? pieces.front() : concat(pieces, {.axis = 1});
    pieces.clear();
    return finish_distances(std::move(dots), row_norms, lower);
  });
}

}  // namespace tessera::kmeans
