#pragma once

#include <cstdint>
#include <vector>

#include <tessera/tessera.hpp>

namespace tessera::kmeans {

/// Rows start .. start + count - 1.
struct Tile {
  std::int64_t start = 0;
  std::int64_t count = 0;
};

/// 0 .. total - 1 in as few tiles of at most `most` rows as it takes, nearly equal (they differ by one row at
/// most). No tile for total = 0. Throws ValueError for most < 1.
std::vector<Tile> split(std::int64_t total, std::int64_t most);

/// The same, but all tiles are equally long: where `total` does not divide, neighbours overlap by a row or
/// more. So products with each of them add in the same order, and equal centers in two tiles tie exactly.
std::vector<Tile> split_equally(std::int64_t total, std::int64_t most);

/// The rows of a tile: a view.
Array rows(const Array& x, const Tile& tile);

/// The pieces along axis 0; a single one as it is.
Array join(std::vector<Array> pieces);

struct TileSizes {
  std::int64_t samples = 0;
  std::int64_t centers = 0;
};

/// Tile sizes for `clusters` centers of `features` features: the samples of a tile and, if they are written
/// at all, their distances stay in the cache between two kernels, unless that leaves too few rows for a fast
/// product. They follow from these numbers alone.
TileSizes automatic_tiles(std::int64_t features, std::int64_t clusters, DType dtype, std::int64_t cache_bytes,
                          bool writes_distances = true);

/// Samples a tile where a float64 difference and what it was made from are held for each: distances, inertia.
std::int64_t distance_tile(std::int64_t features, std::int64_t cache_bytes);

}  // namespace tessera::kmeans
