#pragma once

#include <cstdint>
#include <optional>

#include <tessera/tessera.hpp>

// Sums and weights of every cluster, by several schedules. x is (n, d) of a float dtype, labels are (n,)
// int64 in [0, k) (the products leave samples of any other label out), weights (n,) of any float dtype, >= 0;
// without them every sample counts once.

namespace tessera::kmeans {

struct ClusterSums {
  Array sums;     ///< (k, d) float64: sum of w * x
  Array weights;  ///< (k,) float64: sum of w; counts of samples are exact in it
};

struct UpdateOptions {
  std::optional<Array> weights = {};
  /// Of update_tiled_mean; of update_scatter where there are weights.
  std::int64_t tile_samples = 1024;
};

/// Every sample is added to its cluster's row, in float64. Without weights no temporary.
ClusterSums update_scatter(const Array& x, const Array& labels, std::int64_t clusters,
                           const UpdateOptions& options = {});

/// The product of the transposed one-hot matrix (n, k) and x, in x's dtype.
ClusterSums update_one_hot(const Array& x, const Array& labels, std::int64_t clusters,
                           const UpdateOptions& options = {});

/// The same, a tile of samples at a time: products in x's dtype, tiles added in float64.
ClusterSums update_tiled_mean(const Array& x, const Array& labels, std::int64_t clusters,
                              const UpdateOptions& options = {});

/// (k, d) float64: sums / weights; a cluster without weight keeps its previous center.
Array cluster_means(const ClusterSums& clusters, const Array& previous);

}  // namespace tessera::kmeans
