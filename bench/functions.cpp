#include "functions.hpp"

#include <vector>

#include <kmeans/tiles.hpp>

namespace tessera::bench {
namespace {

Array expression(const Array& x) {
  return sqrt(x * x + 1) * 0.5 + x - 0.25 * x * x + 3;
}

}  // namespace

// The two functions that know of compile().

std::string missing_mode(const Setting& setting) {
  return setting.compiled ? "there is no compile() in this version" : "";
}

Functions functions(const Setting& /*setting*/) {
  Functions f;
  f.expression = expression;
  return f;
}

Assignment gram_tiled(const Functions& f, const Array& x, const Array& centers,
                      const kmeans::GramTiledOptions& options) {
  const kmeans::CenterTiles cut = kmeans::cut_centers(centers, options.tile_centers);
  std::vector<Array> labels;
  std::vector<Array> scores;
  for (const kmeans::Tile& tile : kmeans::split(x.shape(0), options.tile_samples)) {
    const Array some = kmeans::rows(x, tile);
    Assignment best = f.gram_tile(some, cut.centers[0], cut.half_norms[0]);
    for (std::size_t j = 1; j < cut.tiles.size(); ++j) {
      best = kmeans::merge(std::move(best), f.gram_tile(some, cut.centers[j], cut.half_norms[j]),
                           cut.tiles[j].start);
    }
    labels.push_back(std::move(best.labels));
    scores.push_back(2 * std::move(best.score));
  }
  return {kmeans::join(std::move(labels)), kmeans::join(std::move(scores))};
}

Assignment running_tiled(const Functions& f, const Array& x, const Array& centers,
                         const kmeans::RunningOptions& options) {
  Assignment best;
  for (const kmeans::Tile& tile : kmeans::split(centers.shape(0), options.tile_centers)) {
    const Array some = kmeans::rows(centers, tile);
    if (tile.start == 0) {
      best = f.running_tile(x, some);
    } else if (options.merge == kmeans::Merge::outside) {
      best = kmeans::merge(std::move(best), f.running_tile(x, some), tile.start);
    } else {
      best = f.running_tile_from(x, some, asarray(tile.start, {.device = x.device()}), std::move(best));
    }
  }
  return best;
}

void measure_into(Row& row, const Setting& setting, const Timing& timing, const Functions& f, double flops,
                  const std::function<void()>& call) {
  const double before = f.compile_seconds ? f.compile_seconds() : 0;
  put(row, measure(setting.device, timing, call), flops);
  if (f.compile_seconds) row["compile_seconds"] = f.compile_seconds() - before;
}

}  // namespace tessera::bench
