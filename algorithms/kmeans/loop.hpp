#pragma once

#include <optional>
#include <vector>

#include <tessera/tessera.hpp>
#include "kmeans/kmeans.hpp"
#include "kmeans/labelling.hpp"

namespace tessera::kmeans {

/// What the runs of a fit share. x and weights are checked, x of its working dtype, weights float64.
struct Problem {
  Array x;
  std::optional<Array> weights;
  Labelling labelling;
  std::int64_t distance_tile = 1;
  /// The squared shift at which a run ends; negative: only when labels repeat.
  double tolerance = -1;
};

/// What one run ends with.
struct Run {
  Array centers;  ///< of x's dtype
  Array labels;   ///< for these centers
  double inertia = 0;
  std::int64_t distinct = 0;
  Stopped stopped{};
  bool ended = false;  ///< by callback or stop, whatever else stopped the run in the same iteration
  std::vector<Iteration> history;
};

/// Lloyd's algorithm from the given centers, (k, d) of any float dtype, until it stops; then the centers are
/// rounded to x's dtype, and labels and inertia are those of the rounded centers.
Run run_lloyd(const Problem& problem, const Array& initial, const KMeansOptions& options);

}  // namespace tessera::kmeans
