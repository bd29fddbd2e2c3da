#pragma once

#include <cstdint>
#include <optional>

#include <tessera/tessera.hpp>
#include "kmeans/methods.hpp"

namespace tessera::kmeans {

/// A schedule with its tile sizes: all that labels depend on, besides the sample and the centers.
struct Labelling {
  AssignMethod method = AssignMethod::gram_tiled;
  std::int64_t tile_samples = 0;
  std::int64_t tile_centers = 0;
  bool compiled = false;  ///< whether a tile is one compiled call; labels are the same, to the bit
};

/// The tile sizes asked for, and automatic ones where they are 0, for (n, d) samples and k centers.
/// `gram` takes all samples and all centers at once. Products, and differences, are compiled unless there are
/// so few that compiling would be felt, or as `compiled` says if it is given.
Labelling plan_labelling(AssignMethod method, std::int64_t tile_samples, std::int64_t tile_centers,
                         const Array& x, std::int64_t clusters, std::optional<bool> compiled = {});

/// The nearest of the centers (float64, or of x's dtype) for every sample: (n,) int64. What `fit` and
/// `predict` share. The mean of the centers, rounded to x's dtype, is taken off both before any product: from
/// the centers in float64, from the samples a tile at a time as they are read. So data far from the origin
/// lose no accuracy, and label i depends on row i and the centers alone.
Array nearest_center(const Array& x, const Array& centers, const Labelling& labelling);

}  // namespace tessera::kmeans
