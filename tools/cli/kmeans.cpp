#include "kmeans.hpp"

#include "numbers.hpp"

#include <CLI/CLI.hpp>
#include <tessera/threads.hpp>

namespace tessera::cli {

void add_shared_options(CLI::App& command, KMeansCommandOptions& options) {
  command.add_option("--input,-i", options.input, "The samples: a .npy file, 2-d, one sample a row")
      ->required();
  command.add_option("--device", options.device, "A device of `tessera devices`, or all")
      ->capture_default_str();
  command
      .add_option("--assign", options.assign,
                  "How the nearest centers are found: products in tiles, one product, or direct differences")
      ->check(CLI::IsMember({"gram_tiled", "gram", "running", "running_inside"}))
      ->capture_default_str();
  command.add_option("--tile-samples", options.tile_samples, "Samples a tile; 0: by the device's cache")
      ->transform(whole_number())
      ->capture_default_str();
  command.add_option("--tile-centers", options.tile_centers, "Centers a tile; 0: by the device's cache")
      ->transform(whole_number())
      ->capture_default_str();
  command.add_option("--threads", options.threads, "Threads of devices on the host's processor")
      ->transform(whole_int());
  command.add_flag("--quiet,-q", options.quiet, "No report on standard output");
}

void apply(const KMeansCommandOptions& options) {
  if (options.threads) set_num_threads(*options.threads);
}

void add_kmeans_command(CLI::App& app, Action& action) {
  CLI::App* kmeans = app.add_subcommand("kmeans", "Exact k-means: fit clusters, or label by given centers");
  kmeans->require_subcommand(1);
  add_fit_command(*kmeans, action);
  add_predict_command(*kmeans, action);
}

}  // namespace tessera::cli
