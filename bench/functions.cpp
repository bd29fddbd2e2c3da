#include "functions.hpp"

#include <cstdio>
#include <vector>

#include <kmeans/tiles.hpp>

namespace tessera::bench {
namespace {

Array expression(const Array& x) {
  return sqrt(x * x + 1) * 0.5 + x - 0.25 * x * x + 3;
}

}  // namespace

Functions functions(const Setting& setting) {
  Functions f;
  f.expression = expression;
  if (!setting.compiled) return f;
  const auto gram = compile(kmeans::assign_gram, {.name = "gram"});
  const auto gram_tile = compile(kmeans::gram_tile, {.name = "gram_tile"});
  const auto running_tile = compile(kmeans::running_tile, {.name = "running_tile"});
  const auto running_tile_from = compile(kmeans::running_tile_from, {.name = "running_tile_from"});
  const auto element_wise = compile(expression, {.name = "expression"});
  f.gram = gram;
  f.gram_tile = gram_tile;
  f.running_tile = running_tile;
  f.running_tile_from = running_tile_from;
  f.expression = element_wise;
  f.compile_seconds = [=] {
    return gram.stats().seconds + gram_tile.stats().seconds + running_tile.stats().seconds +
           running_tile_from.stats().seconds + element_wise.stats().seconds;
  };
  f.explain = [=] {
    std::string text;
    const auto add = [&](const auto& function) {
      if (function.stats().cached > 0) text += function.explain();
    };
    add(gram);
    add(gram_tile);
    add(running_tile);
    add(running_tile_from);
    add(element_wise);
    return text;
  };
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
  const double compiling = f.compile_seconds ? f.compile_seconds() - before : 0;
  if (compiling > 0) row["compile_seconds"] = compiling;
  if (setting.explain && f.explain) std::puts(f.explain().c_str());
}

}  // namespace tessera::bench
