#include "kmeans/lloyd.hpp"

#include <utility>

namespace tessera::kmeans {

LloydStep lloyd_step(const Array& x, const Array& centers, const LloydOptions& options) {
  Array labels = options.assign(x, centers).labels;
  ClusterSums clusters = options.update(x, labels, centers.shape(0), options.update_options);
  Array means = astype(cluster_means(clusters, astype(centers, float64)), centers.dtype());
  return {std::move(means), std::move(labels), std::move(clusters.weights)};
}

}  // namespace tessera::kmeans
