#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "kmeans.hpp"

namespace tessera::cli {

namespace {

struct PredictCommandOptions : KMeansCommandOptions {
  std::string centers;
};

void predict_on(const Device& device, const PredictCommandOptions& options, const std::string& output) {
  require_writable(output);
  const Array x = load_file("--input", options.input, device, true);
  const Array centers = load_file("--centers", options.centers, device);
  const Array labels = kmeans::predict(x, centers,
                                       {.assign = kmeans::assign_method(options.assign),
                                        .tile_samples = options.tile_samples,
                                        .tile_centers = options.tile_centers});
  write_array(output, labels);
  if (options.quiet) return;
  fmt::print("{}: {} samples by {} centers -> {}\n", device.name(), x.shape(0), centers.shape(0), output);
}

ExitCode predict(const PredictCommandOptions& options) {
  apply(options);
  const std::filesystem::path output(options.output);
  for (const Device& device : devices_named(options.device)) {
    if (options.device != "all") {
      predict_on(device, options, options.output);
      continue;
    }
    const std::filesystem::path folder = output.parent_path() / device.name();
    require_writable_folder(folder.string());
    predict_on(device, options, (folder / output.filename()).string());
  }
  return ExitCode::success;
}

}  // namespace

void add_predict_command(CLI::App& kmeans, Action& action) {
  const auto options = std::make_shared<PredictCommandOptions>();
  CLI::App* command = kmeans.add_subcommand("predict", "Label the rows of a .npy file by the nearest center");
  add_shared_options(*command, *options);
  command->add_option("--centers,-c", options->centers, "A .npy file with a center a row")->required();
  command->add_option("--output,-o", options->output, "The .npy file for the labels (int64)")->required();
  command->footer(
      "The samples are converted to the dtype of the centers. For the centers of a fit, the data of the fit "
      "and\n"
      "its options, the labels are those of the fit. With --device all, a folder for each device is made "
      "beside\n"
      "the output.\n\n"
      "Example:\n"
      "  tessera kmeans predict --input x.npy --centers fitted/centers.npy --output labels.npy");
  command->callback([options, &action] { action = [options] { return predict(*options); }; });
}

}  // namespace tessera::cli
