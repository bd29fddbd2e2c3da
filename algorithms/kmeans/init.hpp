#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <tessera/tessera.hpp>

// Initial centers. x is (n, d) of a float dtype; weights are (n,), >= 0, with a positive sum; a sample of
// weight 0 is never chosen. The same key gives the same centers, run after run, for any number of threads.

namespace tessera::kmeans {

struct Seeds {
  Array centers;  ///< (k, d): rows of x
  Array indices;  ///< (k,) int64: which
};

struct PlusPlusOptions {
  std::optional<Array> weights = {};
  /// Candidates tried for each center; 0: 2 + log(k).
  int trials = 0;
  /// Asked between two centers; true draws all that are left at once, by the distances so far.
  std::function<bool()> stop = {};
};

/// Greedy k-means++ (Arthur, Vassilvitskii: "k-means++: the advantages of careful seeding", SODA 2007): of
/// several samples drawn with probability w * D^2, the one that lowers the potential most. The norms of the
/// samples are computed once, without a temporary of x's size; candidate rows are taken on the device, and
/// share one pass over x. Nothing is read on the host. Distances under the rounding bound of their product
/// count as 0; when every sample with weight is at distance 0, the first center is chosen again.
Seeds kmeans_plusplus(const Array& x, std::int64_t clusters, const random::Key& key,
                      const PlusPlusOptions& options = {});

/// The same, as it is written first: x * x again for every new center, and candidate indices pulled to the
/// host. Kept for comparison.
Seeds kmeans_plusplus_recompute(const Array& x, std::int64_t clusters, const random::Key& key,
                                const PlusPlusOptions& options = {});

/// Different samples at random, with probability by weight.
Seeds random_centers(const Array& x, std::int64_t clusters, const random::Key& key,
                     const std::optional<Array>& weights = {});

/// Samples about a mean: x as it is, what is to be taken off, and the squared norms of what is left.
struct CenteredSamples {
  Array x;
  Array mean;   ///< (d,) of x's dtype
  Array norms;  ///< (n,) of x's dtype: ||x - mean||^2
  double mean_norm = 0;
  /// Whether products with the mean are taken off products with x, instead of the mean off x. That saves a
  /// pass over x for each center, and is as accurate only where the mean is no longer than most samples are
  /// far from it.
  bool take_off_products = false;
  std::int64_t tile_samples = 0;  ///< read at once where the mean is taken off x
};

/// The squared norms of x - mean, a tile of samples at a time.
Array centered_norms(const Array& x, const Array& mean, std::int64_t tile_samples);

/// kmeans_plusplus on samples whose mean is taken off, a tile at a time as they are read.
Seeds kmeans_plusplus(const CenteredSamples& samples, std::int64_t clusters, const random::Key& key,
                      const PlusPlusOptions& options = {});

}  // namespace tessera::kmeans
