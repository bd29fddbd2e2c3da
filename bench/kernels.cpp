#include <algorithm>

#include <kmeans/init.hpp>
#include <kmeans/labelling.hpp>
#include <kmeans/lloyd.hpp>
#include <kmeans/update.hpp>

#include "functions.hpp"
#include "peaks.hpp"

// The profiler's table for an assignment, a step and k-means++: where the time goes, and what share of the
// machine's peak each kernel reaches, by whichever of bandwidth and arithmetic it comes nearer to.

namespace tessera::bench {
namespace {

constexpr std::int64_t kSeeds = 64;  // of k-means++: each center is the same work

void profile(const Setting& setting, const Size& size, const Peaks& peaks, const std::string& schedule,
             Report& report, const std::function<void()>& call) {
  Row whole = row("kernels", setting.device, mode(setting), schedule, size);
  whole["operation"] = "all";
  if (report.has(whole)) return;
  call();
  setting.device.synchronize();
  const Profiler profiler;
  call();
  const std::vector<ProfileRow> lines = profiler.rows();
  double total = 0;
  for (const ProfileRow& line : lines) total += line.seconds;
  for (const ProfileRow& line : lines) {
    Row out = row("kernels", setting.device, mode(setting), schedule, size);
    out["operation"] = line.operation + "/" + line.kernel;
    if (report.has(out)) continue;
    const double bandwidth = ratio(line.bytes, line.seconds);
    const double rate = ratio(line.flops, line.seconds);
    out["calls"] = line.calls;
    out["seconds"] = {{"median", line.seconds}};
    out["share"] = ratio(line.seconds, total);
    out["bytes"] = line.bytes;
    out["gigabytes_per_second"] = bandwidth / 1e9;
    if (line.flops > 0) out["gflops"] = rate / 1e9;
    const double of_bandwidth = ratio(bandwidth, peaks.bandwidth());
    const double of_flops = ratio(rate, peaks.flops);
    out["share_of_peak"] = std::max(of_bandwidth, of_flops);
    out["bound"] = of_bandwidth > of_flops ? "bandwidth" : "arithmetic";
    if (peaks.read > 0) out["share_of_read"] = bandwidth / peaks.read;
    report.add(out);
  }
  whole["seconds"] = {{"median", total}};
  report.add(whole);
}

// One compiled tile: a Gram tile of 4096 samples by 1024 centers, and running ones of 32 centers.
void profile_tiles(const Setting& setting, const Problem& problem, const Functions& f, const Peaks& peaks,
                   Report& report) {
  const Size& size = problem.size;
  const Array samples = index(problem.x, {slice(0, std::min<std::int64_t>(4096, size.samples))});
  const Array centers = index(problem.centers, {slice(0, std::min<std::int64_t>(1024, size.clusters))});
  const Array norms = kmeans::half_norms(centers);
  profile(setting, size, peaks, "gram tile", report, [&] { f.gram_tile(samples, centers, norms); });
  const Array some = index(problem.centers, {slice(0, std::min<std::int64_t>(32, size.clusters))});
  profile(setting, size, peaks, "running tile", report, [&] { f.running_tiles.alone(problem.x, some); });
  const Assignment before = kmeans::assign_gram(problem.x, some);
  const Array first = asarray(std::int64_t{0}, {.device = setting.device});
  profile(setting, size, peaks, "running tile, merge inside", report,
          [&] { f.running_tiles.from(problem.x, some, first, before); });
}

}  // namespace

void kernels(const Setting& setting, Report& report) {
  const Problem problem = make_problem(setting.size, setting.source, setting.device, 0);
  const Size& size = problem.size;
  const auto plan = kmeans::plan_labelling(kmeans::AssignMethod::gram_tiled, 0, 0, problem.x, size.clusters,
                                           setting.compiled);
  const Array centers = astype(problem.centers, float64);
  const Peaks peaks = measure_peaks(
      setting.device, std::clamp<std::int64_t>(size.samples * size.features, 1000, 100'000'000));
  const Functions f = functions(setting);
  // A call of the whole takes tens of seconds there, and its kernels are those of the tiles.
  if (setting.compiled && is_large(size)) return profile_tiles(setting, problem, f, peaks, report);
  profile(setting, size, peaks, "assign", report, [&] { kmeans::nearest_center(problem.x, centers, plan); });
  profile(setting, size, peaks, "step", report, [&] {
    const Array labels = kmeans::nearest_center(problem.x, centers, plan);
    kmeans::cluster_means(kmeans::update_scatter(problem.x, labels, size.clusters), centers);
  });
  if (setting.compiled) {
    profile(setting, size, peaks, "gram", report, [&] { f.gram(problem.x, problem.centers); });
    return profile_tiles(setting, problem, f, peaks, report);
  }
  const random::Key key(setting.source.seed);
  profile(setting, size, peaks, "kmeans++", report,
          [&] { kmeans::kmeans_plusplus(problem.x, std::min(kSeeds, size.clusters), key); });
}

}  // namespace tessera::bench
