#include "kmeans/assign.hpp"

#include <string>
#include <utility>

namespace tessera::kmeans {
namespace {

// What argmin found, without a second pass over the rows.
Array at(const Array& scores, const Array& labels) {
  return squeeze(take_along_axis(scores, expand_dims(labels, 1), {.axis = 1}), 1);
}

Array squared_distance(const Array& x, const Array& center) {
  return sum(square(x - center), {.axis = 1});
}

void require_centers(const std::string& operation, const Array& centers) {
  if (centers.ndim() == 2 && centers.shape(0) > 0) return;
  throw ShapeError("[" + operation + "] centers has shape " + to_string(centers.shape()) +
                   "; expected (k, d) with k > 0");
}

// A strict comparison: the lower index stays on ties.
Assignment keep_closer(Assignment best, const Operand& index, Array score) {
  const Array closer = score < best.score;
  return {where(closer, index, std::move(best.labels)),
          where(closer, std::move(score), std::move(best.score))};
}

}  // namespace

Assignment assign_gram(const Array& x, const Array& centers) {
  require_centers("assign_gram", centers);
  const Array norms = vecdot(centers, centers);
  const Array scores = norms - 2 * matmul(x, matrix_transpose(centers));
  const Array labels = argmin(scores, {.axis = 1});
  return {labels, at(scores, labels)};
}

Assignment assign_gram_tiled(const Array& x, const Array& centers, const GramTiledOptions& options) {
  return assign_gram_tiled_by(gram_tile, x, centers, options);
}

Assignment assign_gram_tiled_by(const GramTile& tile_function, const Array& x, const Array& centers,
                                const GramTiledOptions& options) {
  require_centers("assign_gram_tiled", centers);
  const CenterTiles tiles = cut_centers(centers, options.tile_centers);
  std::vector<Array> labels;
  std::vector<Array> scores;
  for (const Tile& tile : split(x.shape(0), options.tile_samples)) {
    Assignment best = nearest(rows(x, tile), tiles, tile_function);
    labels.push_back(std::move(best.labels));
    scores.push_back(2 * std::move(best.score));
  }
  if (labels.empty()) return assign_gram(x, centers);
  Array all_labels = join(std::move(labels));
  return {std::move(all_labels), join(std::move(scores))};
}

Assignment assign_running(const Array& x, const Array& centers, const RunningOptions& options) {
  return assign_running_by({}, x, centers, options);
}

Assignment assign_running_by(const RunningTiles& tiles, const Array& x, const Array& centers,
                             const RunningOptions& options) {
  require_centers("assign_running", centers);
  Assignment best;
  for (const Tile& tile : split(centers.shape(0), options.tile_centers)) {
    const Array some = rows(centers, tile);
    if (tile.start == 0) {
      best = tiles.alone(x, some);
    } else if (options.merge == Merge::outside) {
      best = merge(std::move(best), tiles.alone(x, some), tile.start);
    } else {
      const Array first = asarray(tile.start, {.device = x.device()});
      best = tiles.from(x, some, first, std::move(best));
    }
  }
  return best;
}

Array half_norms(const Array& centers) {
  return 0.5 * vecdot(centers, centers);
}

Array gram_half_scores(const Array& x, const Array& centers, const Array& half_norms) {
  return half_norms - matmul(x, matrix_transpose(centers));
}

Assignment gram_tile(const Array& x, const Array& centers, const Array& half_norms) {
  const Array scores = gram_half_scores(x, centers, half_norms);
  const Array labels = argmin(scores, {.axis = 1});
  return {labels, at(scores, labels)};
}

Assignment running_tile(const Array& x, const Array& centers) {
  Array score = squared_distance(x, index(centers, {0}));
  Assignment best{zeros({x.shape(0)}, {.dtype = int64, .device = x.device()}), std::move(score)};
  for (std::int64_t j = 1; j < centers.shape(0); ++j) {
    best = keep_closer(std::move(best), j, squared_distance(x, index(centers, {j})));
  }
  return best;
}

Assignment running_tile_from(const Array& x, const Array& centers, const Array& first, Assignment best) {
  for (std::int64_t j = 0; j < centers.shape(0); ++j) {
    best = keep_closer(std::move(best), first + j, squared_distance(x, index(centers, {j})));
  }
  return best;
}

Assignment merge(Assignment best, Assignment later, std::int64_t first) {
  return keep_closer(std::move(best), std::move(later.labels) + first, std::move(later.score));
}

CenterTiles cut_centers(const Array& centers, std::int64_t tile_centers) {
  CenterTiles cut{split_equally(centers.shape(0), tile_centers), {}, {}};
  for (const Tile& tile : cut.tiles) {
    cut.centers.push_back(rows(centers, tile));
    cut.half_norms.push_back(half_norms(cut.centers.back()));
  }
  return cut;
}

Assignment nearest(const Array& x, const CenterTiles& centers, const GramTile& tile) {
  Assignment best = tile(x, centers.centers[0], centers.half_norms[0]);
  for (std::size_t j = 1; j < centers.tiles.size(); ++j) {
    best = merge(std::move(best), tile(x, centers.centers[j], centers.half_norms[j]), centers.tiles[j].start);
  }
  return best;
}

Array nearest_labels(const Array& x, const CenterTiles& centers) {
  if (centers.tiles.size() > 1) return nearest(x, centers).labels;
  return argmin(gram_half_scores(x, centers.centers[0], centers.half_norms[0]), {.axis = 1});
}

}  // namespace tessera::kmeans
