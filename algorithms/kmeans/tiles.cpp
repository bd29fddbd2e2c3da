#include "kmeans/tiles.hpp"

#include <algorithm>
#include <string>

namespace tessera::kmeans {
namespace {

// A product with fewer rows spends its time on packing the other operand.
constexpr std::int64_t kFewestSamples = 2048;
constexpr std::int64_t kMostCenters = 1024;
constexpr std::int64_t kFewestDistances = 256;

std::int64_t tile_count(std::int64_t total, std::int64_t most) {
  if (most < 1) {
    throw ValueError("[kmeans] a tile must hold at least 1 row, not " + std::to_string(most) +
                     "; give 0 for automatic tiles");
  }
  return total / most + (total % most != 0 ? 1 : 0);
}

}  // namespace

std::vector<Tile> split(std::int64_t total, std::int64_t most) {
  const std::int64_t count = tile_count(total, most);
  std::vector<Tile> tiles;
  tiles.reserve(static_cast<std::size_t>(count));
  std::int64_t start = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t length = total / count + (i < total % count ? 1 : 0);
    tiles.push_back({start, length});
    start += length;
  }
  return tiles;
}

std::vector<Tile> split_equally(std::int64_t total, std::int64_t most) {
  const std::int64_t count = tile_count(total, most);
  if (count == 0) return {};
  const std::int64_t length = total / count + (total % count != 0 ? 1 : 0);
  std::vector<Tile> tiles;
  tiles.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) tiles.push_back({std::min(i * length, total - length), length});
  return tiles;
}

Array rows(const Array& x, const Tile& tile) {
  if (tile.start == 0 && tile.count == x.shape(0)) return x;
  return index(x, {slice(tile.start, tile.start + tile.count)});
}

Array join(std::vector<Array> pieces) {
  if (pieces.size() == 1) return std::move(pieces.front());
  return concat(pieces);
}

TileSizes automatic_tiles(std::int64_t features, std::int64_t clusters, DType dtype, std::int64_t cache_bytes,
                          bool writes_distances) {
  TileSizes sizes;
  sizes.centers = std::min(clusters, kMostCenters);
  // Without distances: the samples as they come, and shifted.
  const std::int64_t row_elements = features + (writes_distances ? sizes.centers : features);
  const std::int64_t row_bytes = row_elements * static_cast<std::int64_t>(itemsize(dtype));
  sizes.samples = std::max(cache_bytes / std::max<std::int64_t>(row_bytes, 1), kFewestSamples);
  return sizes;
}

std::int64_t distance_tile(std::int64_t features, std::int64_t cache_bytes) {
  const std::int64_t row_bytes = 2 * features * static_cast<std::int64_t>(sizeof(double));
  return std::max(cache_bytes / std::max<std::int64_t>(row_bytes, 1), kFewestDistances);
}

}  // namespace tessera::kmeans
