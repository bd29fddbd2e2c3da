#include "kmeans/distance.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kmeans/tiles.hpp"

namespace tessera::kmeans {
namespace {

Array to_own_center(const Array& x, const Array& labels, const Array& centers) {
  const Array difference = astype(x, float64) - take(centers, labels, {.axis = 0});
  return vecdot(difference, difference);
}

}  // namespace

Array squared_distances(const Array& x, const Array& labels, const Array& centers,
                        std::int64_t tile_samples) {
  const Array centers64 = astype(centers, float64);
  std::vector<Array> pieces;
  for (const Tile& tile : split(x.shape(0), tile_samples)) {
    pieces.push_back(to_own_center(rows(x, tile), rows(labels, tile), centers64));
  }
  return join(std::move(pieces));
}

Array inertia(const Array& x, const Array& labels, const Array& centers, const std::optional<Array>& weights,
              std::int64_t tile_samples) {
  const Array centers64 = astype(centers, float64);
  Array total;
  for (const Tile& tile : split(x.shape(0), tile_samples)) {
    Array squares = to_own_center(rows(x, tile), rows(labels, tile), centers64);
    if (weights) squares = std::move(squares) * rows(*weights, tile);
    Array part = sum(squares);
    total = total.valid() ? std::move(total) + part : std::move(part);
  }
  return total;
}

Array distances(const Array& x, const Array& centers, std::int64_t cache_bytes) {
  // Differences are (samples, centers, d): a few rows of each.
  const std::int64_t pairs =
      std::max<std::int64_t>(cache_bytes / (x.shape(1) * static_cast<std::int64_t>(sizeof(double))), 1);
  const std::int64_t tile_centers = std::min(centers.shape(0), std::max<std::int64_t>(pairs / 64, 1));
  const std::int64_t tile_samples = std::max<std::int64_t>(pairs / tile_centers, 1);
  const Array centers64 = astype(centers, float64);
  std::vector<Array> bands;
  for (const Tile& some : split(x.shape(0), tile_samples)) {
    const Array samples = expand_dims(astype(rows(x, some), float64), 1);
    std::vector<Array> pieces;
    for (const Tile& tile : split(centers.shape(0), tile_centers)) {
      const Array difference = samples - expand_dims(rows(centers64, tile), 0);
      pieces.push_back(astype(sqrt(vecdot(difference, difference)), x.dtype()));
    }
    bands.push_back(pieces.size() == 1 ? pieces.front() : concat(pieces, {.axis = 1}));
  }
  return join(std::move(bands));
}

}  // namespace tessera::kmeans
