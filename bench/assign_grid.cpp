#include <algorithm>
#include <set>

#include "functions.hpp"

// Gram assignment over tiles of samples by tiles of centers: time, and peak beside what the formula says. And
// the product alone, which no schedule of this kind can beat.

namespace tessera::bench {
namespace {

class Grid {
 public:
  Grid(const Setting& setting, const Problem& problem, Report& report)
      : setting_(setting),
        problem_(problem),
        report_(report),
        functions_(functions(setting)),
        timing_(setting.timing),
        flops_(2 * work(problem.size)) {}

  void product() {
    Row out = row("assign-grid", setting_.device, mode(setting_), "product", problem_.size);
    if (report_.has(out)) return;
    const Size& size = problem_.size;
    if (setting_.compiled) {
      put_unsupported(out, "a product alone is one kernel: the eager row is it");
    } else {
      put(out,
          measure(setting_.device, timing_, [&] { matmul(problem_.x, matrix_transpose(problem_.centers)); }),
          flops_);
      timing_ = next_timing(setting_);
      out["predicted_peak_bytes"] = 4 * size.samples * size.clusters + kMebibyte;
    }
    report_.add(out);
  }

  void gram() {
    ask("gram", {problem_.size.samples, problem_.size.clusters},
        [&] { return functions_.gram(problem_.x, problem_.centers); });
  }

  void gram_tiled(const kmeans::GramTiledOptions& tiles) {
    ask("gram_tiled", tiles, [&] {
      return kmeans::assign_gram_tiled_by(functions_.gram_tile, problem_.x, problem_.centers, tiles);
    });
  }

 private:
  void ask(const std::string& schedule, const kmeans::GramTiledOptions& tiles,
           const std::function<Assignment()>& assign) {
    Row out = row("assign-grid", setting_.device, mode(setting_), schedule, problem_.size);
    out["tile_samples"] = tiles.tile_samples;
    out["tile_centers"] = tiles.tile_centers;
    if (report_.has(out)) return;
    functions_ = functions(setting_);  // what compiling takes counts for each row
    Array labels;
    measure_into(out, setting_, timing_, functions_, flops_, [&] { labels = assign().labels; });
    timing_ = next_timing(setting_);
    out["predicted_peak_bytes"] =
        setting_.compiled ? kCompiledTile + 24 * problem_.size.samples
                          : gram_tiled_peak(problem_.size, tiles.tile_samples, tiles.tile_centers);
    if (schedule == "gram" && !setting_.compiled) full_labels_ = labels;
    if (!setting_.timing.paced) out["labels_differ"] = differing(labels);
    keep_labels(setting_, labels);
    report_.add(out);
  }

  std::int64_t differing(const Array& labels) {
    if (!full_labels_.valid()) full_labels_ = kmeans::assign_gram(problem_.x, problem_.centers).labels;
    return count_nonzero(labels != full_labels_).item<std::int64_t>();
  }

  const Setting& setting_;
  const Problem& problem_;
  Report& report_;
  Functions functions_;
  Timing timing_;
  double flops_;
  Array full_labels_;  ///< of the eager full Gram
};

}  // namespace

void assign_grid(const Setting& setting, Report& report) {
  const Size& size = setting.size;
  const Problem problem = make_problem(size, setting.source, setting.device,
                                       4 * size.samples * size.clusters + 24 * size.samples);
  const std::int64_t n = problem.size.samples;
  const std::int64_t k = problem.size.clusters;
  Grid grid(setting, problem, report);
  grid.gram();
  grid.product();
  std::set<std::pair<std::int64_t, std::int64_t>> asked;
  const auto ask = [&](std::int64_t samples, std::int64_t centers) {
    const kmeans::GramTiledOptions tiles{std::min(samples, n), std::min(centers, k)};
    if (asked.emplace(tiles.tile_samples, tiles.tile_centers).second) grid.gram_tiled(tiles);
  };
  // Those to have, if there is no time for the others.
  ask(4096, 1024);
  ask(4096, k);
  ask(256, k);
  for (const std::int64_t samples :
       {std::int64_t{256}, std::int64_t{1024}, std::int64_t{4096}, std::int64_t{16384}, n}) {
    for (const std::int64_t centers : {std::int64_t{256}, std::int64_t{1024}, k}) ask(samples, centers);
  }
}

}  // namespace tessera::bench
