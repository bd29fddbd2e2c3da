#include <algorithm>
#include <optional>
#include <set>

#include <kmeans/assign.hpp>

#include "question.hpp"

// Gram assignment over tiles of samples by tiles of centers: time, and peak beside what the formula says.

namespace tessera::bench {
namespace {

std::int64_t differing(const Array& a, const Array& b) {
  return count_nonzero(a != b).item<std::int64_t>();
}

}  // namespace

void assign_grid(const Setting& setting, Report& report) {
  const Size& size = setting.size;
  const std::int64_t full_bytes = 4 * size.samples * size.clusters;
  const Problem problem = make_problem(size, setting.source, setting.device, full_bytes);
  const auto& [n, k, d] = std::tuple{problem.size.samples, problem.size.clusters, problem.size.features};
  const double flops = 2.0 * static_cast<double>(n) * static_cast<double>(k) * static_cast<double>(d);

  std::optional<Array> labels;
  const auto full_labels = [&]() -> const Array& {
    if (!labels) labels = kmeans::assign_gram(problem.x, problem.centers).labels;
    return *labels;
  };
  const auto ask = [&](const std::string& schedule, std::int64_t tile_samples, std::int64_t tile_centers,
                       const std::function<kmeans::Assignment()>& assign) {
    Row out = row("assign-grid", setting.device, mode(setting), schedule, problem.size);
    out["tile_samples"] = tile_samples;
    out["tile_centers"] = tile_centers;
    if (report.has(out)) return;
    if (setting.compiled) {
      put_unsupported(out);
      return report.add(out);
    }
    put(out, measure(setting.device, setting.repeat, [&] { assign(); }), flops);
    out["predicted_peak_bytes"] = gram_tiled_peak(problem.size, tile_samples, tile_centers);
    out["labels_differ"] = differing(assign().labels, full_labels());
    report.add(out);
  };

  ask("gram", n, k, [&] { return kmeans::assign_gram(problem.x, problem.centers); });
  std::set<std::pair<std::int64_t, std::int64_t>> asked;
  for (const std::int64_t samples :
       {std::int64_t{256}, std::int64_t{1024}, std::int64_t{4096}, std::int64_t{16384}, n}) {
    for (const std::int64_t centers : {std::int64_t{256}, std::int64_t{1024}, k}) {
      const kmeans::GramTiledOptions tiles{std::min(samples, n), std::min(centers, k)};
      if (!asked.emplace(tiles.tile_samples, tiles.tile_centers).second) continue;
      ask("gram_tiled", tiles.tile_samples, tiles.tile_centers,
          [&] { return kmeans::assign_gram_tiled(problem.x, problem.centers, tiles); });
    }
  }
}

}  // namespace tessera::bench
