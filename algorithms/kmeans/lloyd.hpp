#pragma once

#include <functional>

#include <tessera/tessera.hpp>
#include "kmeans/assign.hpp"
#include "kmeans/update.hpp"

namespace tessera::kmeans {

using AssignFunction = std::function<Assignment(const Array& x, const Array& centers)>;
using UpdateFunction = std::function<ClusterSums(const Array& x, const Array& labels, std::int64_t clusters,
                                                 const UpdateOptions& options)>;

struct LloydOptions {
  AssignFunction assign = [](const Array& x, const Array& centers) { return assign_gram_tiled(x, centers); };
  UpdateFunction update = update_scatter;
  UpdateOptions update_options = {};
};

struct LloydStep {
  Array centers;  ///< (k, d), the dtype of the centers before
  Array labels;   ///< (n,) int64: for the centers before
  Array weights;  ///< (k,) of the clusters
};

/// One iteration (Lloyd, "Least squares quantization in PCM", 1982): every sample to its nearest center,
/// every center to the mean of its samples. x is (n, d), centers (k, d), of one float dtype. A center without
/// samples stays where it was.
LloydStep lloyd_step(const Array& x, const Array& centers, const LloydOptions& options = {});

}  // namespace tessera::kmeans
