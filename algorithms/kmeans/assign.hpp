#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <tessera/tessera.hpp>
#include "kmeans/tiles.hpp"

// The nearest center of every sample, by several schedules. They take the data as they come: x is (n, d),
// centers are (k, d), of one float dtype, on one device; k > 0. Ties go to the lowest index.

namespace tessera::kmeans {

struct Assignment {
  Array labels;  ///< (n,) int64
  Array score;   ///< (n,) of x's dtype: what the schedule minimised, for the winner
};

/// One product: ||c||^2 - 2 x.c for every pair, (n, k), then the lowest of each row. ||x||^2 is the same for
/// every center and left out. Peak: the (n, k) matrix and two vectors of n.
Assignment assign_gram(const Array& x, const Array& centers);

struct GramTiledOptions {
  std::int64_t tile_samples = 4096;
  std::int64_t tile_centers = 1024;
};
/// The same on tiles of samples by tiles of centers; the norms of a tile of centers are computed once, and
/// used for every tile of samples. Peak: a tile of distances, and twice labels and scores. The same labels
/// and scores as assign_gram where the device's product adds in the same order for all sizes.
Assignment assign_gram_tiled(const Array& x, const Array& centers, const GramTiledOptions& options = {});

/// Where the running minimum of one tile of centers meets that of the tiles before it: after the tile's
/// function, or in it.
enum class Merge : std::uint8_t { outside, inside };

struct RunningOptions {
  std::int64_t tile_centers = 32;
  Merge merge = Merge::outside;
};
/// Direct differences, ||x - c||^2 (the score), one center at a time with a running minimum; a tile of
/// centers is one call of a tile function. No (n, tile, d) array, nor (n, tile).
Assignment assign_running(const Array& x, const Array& centers, const RunningOptions& options = {});

// ---- the pieces, for drivers of their own; each is what one compiled call covers

/// ||c||^2 / 2, (k,). Halves and doubles of a float are exact, so halving here instead of doubling the
/// product saves a pass over the distances and changes no bit of the result.
Array half_norms(const Array& centers);

/// ||c||^2 / 2 - x.c, (n, k): half of the score.
Array gram_half_scores(const Array& x, const Array& centers, const Array& half_norms);

/// Labels within one tile of centers, and half of their scores.
Assignment gram_tile(const Array& x, const Array& centers, const Array& half_norms);

/// Labels within one tile of centers, and their squared distances.
Assignment running_tile(const Array& x, const Array& centers);

/// The same, going on from the assignment to the centers before `first` (0-d int64).
Assignment running_tile_from(const Array& x, const Array& centers, const Array& first, Assignment best);

/// The better of an assignment and that to a later tile of centers, which begins at `first`.
Assignment merge(Assignment best, Assignment later, std::int64_t first);

/// The centers cut into equally long tiles, with their norms.
struct CenterTiles {
  std::vector<Tile> tiles;
  std::vector<Array> centers;     ///< views, (tile, d)
  std::vector<Array> half_norms;  ///< (tile,)
};
CenterTiles cut_centers(const Array& centers, std::int64_t tile_centers);

/// gram_tile, or what a driver made of it.
using GramTile = std::function<Assignment(const Array& x, const Array& centers, const Array& half_norms)>;

/// One tile of samples against every tile of centers: labels, and half of their scores.
Assignment nearest(const Array& x, const CenterTiles& centers, const GramTile& tile = gram_tile);

/// The same without the scores, which one tile of centers does not need.
Array nearest_labels(const Array& x, const CenterTiles& centers);

/// running_tile and running_tile_from, or what a driver made of them.
struct RunningTiles {
  std::function<Assignment(const Array& x, const Array& centers)> alone = running_tile;
  std::function<Assignment(const Array& x, const Array& centers, const Array& first, Assignment best)> from =
      running_tile_from;
};

/// assign_gram_tiled and assign_running by tile functions of the driver's.
Assignment assign_gram_tiled_by(const GramTile& tile_function, const Array& x, const Array& centers,
                                const GramTiledOptions& options);
Assignment assign_running_by(const RunningTiles& tiles, const Array& x, const Array& centers,
                             const RunningOptions& options);

}  // namespace tessera::kmeans
