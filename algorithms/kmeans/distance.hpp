#pragma once

#include <cstdint>
#include <optional>

#include <tessera/tessera.hpp>

// Explicit differences in float64, a tile of samples at a time: never negative, 0 where a sample equals its
// center. x is (n, d), labels (n,) int64, centers (k, d), `tile_samples` as in distance_tile.

namespace tessera::kmeans {

/// ||x - c||^2 for each sample and the center that its label names: (n,) float64.
Array squared_distances(const Array& x, const Array& labels, const Array& centers, std::int64_t tile_samples);

/// The sum of w * ||x - c||^2, 0-d float64; tiles are added in order. Every weight is 1 where there are none.
Array inertia(const Array& x, const Array& labels, const Array& centers, const std::optional<Array>& weights,
              std::int64_t tile_samples);

/// ||x - c|| for every sample and every center: (n, k) of x's dtype, made in tiles of at most `cache_bytes`.
Array distances(const Array& x, const Array& centers, std::int64_t cache_bytes);

}  // namespace tessera::kmeans
