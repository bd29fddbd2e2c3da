#include "kmeans/update.hpp"

#include <string>
#include <utility>

#include "kmeans/tiles.hpp"

namespace tessera::kmeans {
namespace {

Array zero_sums(const Array& x, const Shape& shape) {
  return zeros(shape, {.dtype = float64, .device = x.device()});
}

}  // namespace

ClusterSums update_scatter(const Array& x, const Array& labels, std::int64_t clusters,
                           const UpdateOptions& options) {
  Array sums = zero_sums(x, {clusters, x.shape(1)});
  if (!options.weights) {
    return {scatter_add(std::move(sums), labels, x), scatter_add(zero_sums(x, {clusters}), labels, 1)};
  }
  // w * x in float64, a tile of samples at a time.
  const Array weights = astype(*options.weights, float64);
  for (const Tile& tile : split(x.shape(0), options.tile_samples)) {
    sums = scatter_add(std::move(sums), rows(labels, tile),
                       expand_dims(rows(weights, tile), 1) * astype(rows(x, tile), float64));
  }
  return {std::move(sums), scatter_add(zero_sums(x, {clusters}), labels, weights)};
}

ClusterSums update_one_hot(const Array& x, const Array& labels, std::int64_t clusters,
                           const UpdateOptions& options) {
  Array members = one_hot(labels, clusters, {.dtype = x.dtype()});
  if (options.weights) {
    members = std::move(members) * expand_dims(astype(*options.weights, x.dtype()), 1);
  }
  return {astype(matmul(matrix_transpose(members), x), float64), sum(members, {.axis = 0, .dtype = float64})};
}

ClusterSums update_tiled_mean(const Array& x, const Array& labels, std::int64_t clusters,
                              const UpdateOptions& options) {
  if (labels.ndim() != 1 || labels.shape(0) != x.shape(0)) {
    throw ShapeError("[update_tiled_mean] labels has shape " + to_string(labels.shape()) +
                     "; expected one for each sample of x, which has shape " + to_string(x.shape()));
  }
  ClusterSums all{zero_sums(x, {clusters, x.shape(1)}), zero_sums(x, {clusters})};
  for (const Tile& tile : split(x.shape(0), options.tile_samples)) {
    UpdateOptions some;
    if (options.weights) some.weights = rows(*options.weights, tile);
    const ClusterSums one = update_one_hot(rows(x, tile), rows(labels, tile), clusters, some);
    all = {std::move(all.sums) + one.sums, std::move(all.weights) + one.weights};
  }
  return all;
}

Array cluster_means(const ClusterSums& clusters, const Array& previous) {
  const Array weights = expand_dims(clusters.weights, 1);
  return where(weights > 0, clusters.sums / weights, previous);
}

}  // namespace tessera::kmeans
