#pragma once

#include <cstdint>
#include <optional>

#include <tessera/tessera.hpp>
#include "kmeans/update.hpp"

namespace tessera::kmeans {

struct Relocation {
  ClusterSums clusters;      ///< after the samples have moved
  Array settled;             ///< (k, 1) bool: clusters with samples, all of them at their center
  std::int64_t samples = 0;  ///< how many moved
};

/// Fills clusters without weight: the j-th of them, by index, takes the sample that is j-th farthest from the
/// center that it was assigned to (unweighted, in float64, ties to the lowest index), if its weight and its
/// distance are above 0. The sample leaves its cluster's sum and weight; labels stay. A cluster that loses
/// its last sample so has weight 0 afterwards. `centers` are those that the labels were made with,
/// `tile_samples` as in distance_tile. Reads some values on the host.
Relocation fill_empty_clusters(const Array& x, const Array& labels, const Array& centers,
                               const std::optional<Array>& weights, ClusterSums clusters,
                               std::int64_t tile_samples);

}  // namespace tessera::kmeans
