#include "kmeans/labelling.hpp"

#include <utility>
#include <vector>

#include "kmeans/assign.hpp"
#include "kmeans/tiles.hpp"

namespace tessera::kmeans {
namespace {

constexpr std::int64_t kRunningTile = 32;

bool is_running(AssignMethod method) {
  return method == AssignMethod::running || method == AssignMethod::running_inside;
}

}  // namespace

Labelling plan_labelling(AssignMethod method, std::int64_t tile_samples, std::int64_t tile_centers,
                         const Array& x, std::int64_t clusters) {
  const TileSizes automatic = automatic_tiles(x.shape(1), clusters, x.dtype(), x.device().cache_bytes());
  Labelling plan{method, tile_samples, tile_centers};
  if (method == AssignMethod::gram) return {method, x.shape(0), clusters};
  if (plan.tile_samples == 0) plan.tile_samples = automatic.samples;
  if (plan.tile_centers == 0) plan.tile_centers = is_running(method) ? kRunningTile : automatic.centers;
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

  std::vector<Array> labels;
  for (const Tile& tile : split(x.shape(0), labelling.tile_samples)) {
    const Array samples = rows(x, tile) - shift;
    labels.push_back(running ? assign_running(samples, shifted, options).labels
                             : nearest_labels(samples, tiles));
  }
  return join(std::move(labels));
}

}  // namespace tessera::kmeans
