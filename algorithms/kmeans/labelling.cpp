#include "kmeans/labelling.hpp"

#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "kmeans/assign.hpp"
#include "kmeans/tiles.hpp"

namespace tessera::kmeans {
namespace {

constexpr std::int64_t kRunningTile = 32;
/// Multiplications from which on compiling, once for each kind of tile, is nothing beside them. Several tiles
/// of centers make programs, which some devices compile at length.
constexpr double kFewestProducts = 1e6;
constexpr double kFewestTiledProducts = 1e9;
/// Direct differences: on the host there is nothing to compile at length, and a tile is a thousand calls.
constexpr double kFewestDifferences = 1e7;

bool is_running(AssignMethod method) {
  return method == AssignMethod::running || method == AssignMethod::running_inside;
}

/// What one tile of samples takes. Compiled, no distances are written to memory.
Array tile_labels(const Array& x, const Array& shift, const CenterTiles& centers) {
  return nearest_labels(x - shift, centers);
}

/// One for all fits: samples of a new size are no reason for a warning.
const auto& compiled_tile_labels() {
  static const auto compiled =
      compile(tile_labels, {.name = "nearest_center", .cache_size = 64, .warn = false});
  return compiled;
}

/// One for all tiles of as many samples and centers.
const RunningTiles& compiled_running_tiles() {
  static const CompileOptions kept{.name = "running_tile", .cache_size = 64, .warn = false};
  static const RunningTiles tiles{compile(running_tile, kept), compile(running_tile_from, kept)};
  return tiles;
}

/// TESSERA_COMPILE=always or never, for comparisons.
std::string_view asked_for() {
  static const char* const variable = std::getenv("TESSERA_COMPILE");
  return variable == nullptr ? "" : variable;
}

/// A product with few centers of many features is as fast by itself.
bool few_long_centers(const Array& x, std::int64_t clusters) {
  return clusters < 24 && x.shape(1) > 32;
}

bool worth_compiling(const Array& x, std::int64_t clusters, bool tiled) {
  if (asked_for() == "always") return true;
  if (asked_for() == "never") return false;
  const double products = static_cast<double>(x.size()) * static_cast<double>(clusters);
  return !few_long_centers(x, clusters) && products >= (tiled ? kFewestTiledProducts : kFewestProducts);
}

bool worth_compiling_differences(const Array& x, std::int64_t clusters) {
  if (asked_for() == "always") return true;
  if (asked_for() == "never") return false;
  const double differences = static_cast<double>(x.size()) * static_cast<double>(clusters);
  return differences >= (x.device().host_memory() ? kFewestDifferences : kFewestTiledProducts);
}

}  // namespace

Labelling plan_labelling(AssignMethod method, std::int64_t tile_samples, std::int64_t tile_centers,
                         const Array& x, std::int64_t clusters, std::optional<bool> compiled) {
  if (method == AssignMethod::gram) {
    return {method, x.shape(0), clusters, compiled.value_or(worth_compiling(x, clusters, false))};
  }
  const auto automatic = [&](bool writes_distances) {
    return automatic_tiles(x.shape(1), clusters, x.dtype(), x.device().cache_bytes(), writes_distances);
  };
  Labelling plan{method, tile_samples, tile_centers, false};
  if (plan.tile_centers == 0) plan.tile_centers = is_running(method) ? kRunningTile : automatic(true).centers;
  plan.compiled =
      compiled.value_or(is_running(method) ? worth_compiling_differences(x, clusters)
                                           : worth_compiling(x, clusters, plan.tile_centers < clusters));
  if (plan.tile_samples == 0) plan.tile_samples = automatic(!plan.compiled).samples;
  return plan;
}

Array nearest_center(const Array& x, const Array& centers, const Labelling& labelling) {
  const Array centers64 = astype(centers, float64);
  const Array shift = astype(mean(centers64, {.axis = 0}), x.dtype());
  const Array shifted = astype(centers64 - astype(shift, float64), x.dtype());
  const bool running = is_running(labelling.method);
  const CenterTiles tiles = running ? CenterTiles{} : cut_centers(shifted, labelling.tile_centers);
  const RunningOptions options{
      .tile_centers = labelling.tile_centers,
      .merge = labelling.method == AssignMethod::running ? Merge::outside : Merge::inside};

  const RunningTiles running_tiles =
      running && labelling.compiled ? compiled_running_tiles() : RunningTiles{};

  std::vector<Array> labels;
  for (const Tile& tile : split(x.shape(0), labelling.tile_samples)) {
    const Array samples = rows(x, tile);
    if (running) {
      labels.push_back(assign_running_by(running_tiles, samples - shift, shifted, options).labels);
    } else {
      labels.push_back(labelling.compiled ? compiled_tile_labels()(samples, shift, tiles)
                                          : tile_labels(samples, shift, tiles));
    }
  }
  return join(std::move(labels));
}

}  // namespace tessera::kmeans
