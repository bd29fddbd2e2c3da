#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kmeans/kmeans.hpp>

#include "command.hpp"

namespace tessera::cli {

/// What `kmeans fit` and `kmeans predict` both take.
struct KMeansCommandOptions {
  std::string input;
  std::string output;
  std::string device = "cpu";
  std::string assign = "gram_tiled";
  std::int64_t tile_samples = 0;
  std::int64_t tile_centers = 0;
  std::optional<int> threads;
  bool quiet = false;
};

void add_shared_options(CLI::App& command, KMeansCommandOptions& options);
/// After parsing: the number of threads.
void apply(const KMeansCommandOptions& options);

void add_fit_command(CLI::App& kmeans, Action& action);
void add_predict_command(CLI::App& kmeans, Action& action);

/// The fit as summary.json tells it; docs/cli.md lists the fields.
struct FitDescription {
  std::string init;
  double load_seconds = 0;
  std::int64_t n_samples = 0;
  std::uint64_t seed = 0;
};
std::string summary_json(const kmeans::KMeans& model, const FitDescription& description);

/// How one device's result differs from the first one's.
struct Difference {
  std::string device;
  std::int64_t labels_differ = 0;
  double inertia_relative = 0;
};
std::string comparison_json(const std::string& first, const std::vector<Difference>& others);

}  // namespace tessera::cli
