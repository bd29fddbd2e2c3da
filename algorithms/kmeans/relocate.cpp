#include "kmeans/relocate.hpp"

#include <algorithm>
#include <utility>

#include "kmeans/distance.hpp"
#include "kmeans/tiles.hpp"

namespace tessera::kmeans {
namespace {

// How many samples with weight each cluster has: their weights may cancel to something near 0.
Array member_counts(const Array& labels, const std::optional<Array>& weights, const ClusterSums& clusters) {
  if (!weights) return clusters.weights;
  return scatter_add(zeros_like(clusters.weights), labels, astype(*weights > 0, float64));
}

// Whether the farthest sample of a cluster with samples lies at its center: (k, 1).
Array all_at_center(const Array& labels, const Array& distance, const ClusterSums& clusters) {
  const Array farthest = scatter_max(zeros_like(clusters.weights), labels, distance);
  return expand_dims((farthest == 0) & (clusters.weights > 0), 1);
}

}  // namespace

Relocation fill_empty_clusters(const Array& x, const Array& labels, const Array& centers,
                               const std::optional<Array>& weights, ClusterSums clusters,
                               std::int64_t tile_samples) {
  Array empty = nonzero(clusters.weights == 0)[0];
  Array distance = squared_distances(x, labels, centers, tile_samples);
  if (weights) distance = where(*weights > 0, std::move(distance), 0.0);
  Array settled = all_at_center(labels, distance, clusters);
  const Tile few{0, std::min(empty.shape(0), x.shape(0))};
  Array farthest = rows(argsort(distance, {.descending = true}), few);

  // Those at distance 0 come last.
  const auto moved = count_nonzero(take(distance, farthest) > 0).item<std::int64_t>();
  if (moved == 0) return {std::move(clusters), std::move(settled), 0};
  farthest = rows(farthest, {0, moved});
  empty = rows(empty, {0, moved});

  const Array left = take(labels, farthest);
  Array sums = astype(take(x, farthest, {.axis = 0}), float64);
  Array weight = ones({moved}, {.dtype = float64, .device = x.device()});
  if (weights) {
    weight = take(*weights, farthest);
    sums = std::move(sums) * expand_dims(weight, 1);
  }

  const Array members = scatter_add(member_counts(labels, weights, clusters), left, -1);
  Array total = scatter_add(std::move(clusters.weights), left, -weight);
  total = where(members > 0, std::move(total), 0);
  return {{scatter_set(scatter_add(std::move(clusters.sums), left, -sums), empty, sums),
           scatter_set(std::move(total), empty, weight)},
          std::move(settled),
          moved};
}

}  // namespace tessera::kmeans
