#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <kmeans/validation.hpp>

#include "interrupt.hpp"
#include "kmeans.hpp"
#include "numbers.hpp"
#include "progress.hpp"

namespace tessera::cli {

namespace {

using kmeans::KMeans;
using kmeans::Stopped;

struct FitOptions : KMeansCommandOptions {
  std::int64_t clusters = 0;
  std::string init = "kmeans++";
  std::string weights;
  int n_init = 1;
  int max_iter = 300;
  double tol = 1e-4;
  std::uint64_t seed = 0;
  std::string update = "scatter";
  std::string dtype;
};

/// What the comparison of devices needs of one of them.
struct Outcome {
  std::vector<std::int64_t> labels;
  double inertia = 0;
  Array initial_centers;
};

std::variant<kmeans::InitMethod, Array> initial(const FitOptions& options, const Device& device) {
  if (options.init == "kmeans++" || options.init == "random") return kmeans::init_method(options.init);
  if (!std::filesystem::exists(options.init)) {
    throw CommandError(ExitCode::input,
                       fmt::format("--init is {}, which is no file and no method", options.init),
                       "give kmeans++, random, or a .npy file with a center a row");
  }
  return load_file("--init", options.init, device);
}

kmeans::KMeansOptions model_options(const FitOptions& options, const Device& device,
                                    const Outcome* first_outcome) {
  kmeans::KMeansOptions model{.n_clusters = options.clusters,
                              .n_init = options.n_init,
                              .max_iter = options.max_iter,
                              .tol = options.tol,
                              .random_state = random::Key(options.seed),
                              .assign = kmeans::assign_method(options.assign),
                              .update = kmeans::update_method(options.update),
                              .tile_samples = options.tile_samples,
                              .tile_centers = options.tile_centers,
                              .record = true};
  if (first_outcome != nullptr) {
    model.init = to_device(first_outcome->initial_centers, device);
  } else {
    model.init = initial(options, device);
  }
  return model;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void report(const FitOptions& options, const KMeans& model, const std::string& folder) {
  if (options.quiet) return;
  const double seconds = model.seconds().total;
  fmt::print("{}: {} clusters, inertia {:.8g}, {} iterations (stopped by {}), {:.3g} s -> {}\n",
             model.labels().device().name(), options.clusters, model.inertia(), model.n_iter(),
             name(model.stopped()), seconds, folder);
  for (const std::string& warning : model.warnings()) fmt::print("  warning: {}\n", warning);
}

/// Fits on one device and writes the folder. `first_outcome`: of the device whose initial centers are taken.
Outcome fit_on(const Device& device, const FitOptions& options, const std::string& folder,
               const Outcome* first_outcome, const InterruptScope& interrupt) {
  const auto start = std::chrono::steady_clock::now();
  Array x = load_file("--input", options.input, device, true);
  // Here and not in the fit, so that the peak does not count the converted samples.
  if (!options.dtype.empty()) {
    x = astype(x, dtype_from_name(options.dtype));
  } else if (is_numeric(x.dtype())) {
    x = astype(x, kmeans::working_dtype(x.dtype()));
  }
  std::optional<Array> weights;
  if (!options.weights.empty()) weights = load_file("--weights", options.weights, device);
  kmeans::KMeansOptions model_with = model_options(options, device, first_outcome);
  device.synchronize();
  const double load_seconds = seconds_since(start);

  ProgressLine progress(device.name());
  model_with.callback = [&](const kmeans::Iteration& iteration) {
    progress.show(iteration);
    return true;
  };
  model_with.stop = [&interrupt] { return interrupt.requested(); };
  KMeans model(std::move(model_with));
  model.fit(x, weights);
  progress.finish();
  if (model.stopped() == Stopped::interrupted) {
    print_error(
        fmt::format("tessera: interrupted after iteration {}; writing the results so far\n", model.n_iter()));
  }

  write_array(folder + "/labels.npy", model.labels());
  write_array(folder + "/centers.npy", model.cluster_centers());
  write_text(folder + "/summary.json", summary_json(model, {.init = options.init,
                                                            .load_seconds = load_seconds,
                                                            .n_samples = x.shape(0),
                                                            .seed = options.seed}));
  report(options, model, folder);
  return {model.labels().to_host<std::int64_t>(), model.inertia(), model.initial_centers()};
}

Difference difference(const std::string& device, const Outcome& first, const Outcome& other) {
  Difference result{.device = device};
  for (std::size_t i = 0; i < first.labels.size(); ++i) {
    if (first.labels[i] != other.labels[i]) ++result.labels_differ;
  }
  const double scale = std::max(std::abs(first.inertia), std::abs(other.inertia));
  if (scale > 0) result.inertia_relative = (other.inertia - first.inertia) / scale;
  return result;
}

ExitCode fit_on_all(const FitOptions& options, const std::vector<Device>& devices,
                    const InterruptScope& interrupt) {
  std::optional<Outcome> first;
  std::vector<Difference> others;
  for (const Device& device : devices) {
    const std::string folder = options.output + "/" + device.name();
    Outcome outcome = fit_on(device, options, folder, first ? &*first : nullptr, interrupt);
    if (interrupt.requested()) return ExitCode::interrupted;
    if (!first) {
      first = std::move(outcome);
    } else {
      others.push_back(difference(device.name(), *first, outcome));
    }
  }
  const std::string& name = devices.front().name();
  write_text(options.output + "/comparison.json", comparison_json(name, others));
  if (options.quiet) return ExitCode::success;
  for (const Difference& row : others) {
    fmt::print("{} beside {}: {} of {} labels differ, inertia differs by {:.2g} (relative)\n", row.device,
               name, row.labels_differ, first->labels.size(), row.inertia_relative);
  }
  return ExitCode::success;
}

ExitCode fit(const FitOptions& options) {
  apply(options);
  const std::vector<Device> devices = devices_named(options.device);
  require_writable_folder(options.output);
  if (options.device == "all") {
    for (const Device& device : devices) require_writable_folder(options.output + "/" + device.name());
  }
  const InterruptScope interrupt;
  if (options.device == "all") return fit_on_all(options, devices, interrupt);
  fit_on(devices.front(), options, options.output, nullptr, interrupt);
  return interrupt.requested() ? ExitCode::interrupted : ExitCode::success;
}

}  // namespace

void add_fit_command(CLI::App& kmeans, Action& action) {
  const auto options = std::make_shared<FitOptions>();
  CLI::App* command = kmeans.add_subcommand("fit", "Cluster the rows of a .npy file");
  add_shared_options(*command, *options);
  command->add_option("--clusters,-k", options->clusters, "How many")->required()->transform(whole_number());
  command->add_option("--output,-o", options->output, "The folder for the results")->required();
  command->add_option("--init", options->init, "kmeans++, random, or a .npy file with a center a row")
      ->capture_default_str();
  command->add_option("--weights", options->weights, "A .npy file with a weight >= 0 for each sample");
  command->add_option("--n-init", options->n_init, "Starts; the lowest inertia wins")
      ->transform(whole_int())
      ->capture_default_str();
  command->add_option("--max-iter", options->max_iter, "The most iterations")
      ->transform(whole_int())
      ->capture_default_str();
  command
      ->add_option(
          "--tol", options->tol,
          "Stop when the squared shift of the centers is at most this times the mean variance of the\n"
          "features; 0: only when labels repeat")
      ->transform(real_number())
      ->capture_default_str();
  command->add_option("--seed", options->seed, "The same seed gives the same result")
      ->transform(seed_number())
      ->capture_default_str();
  command->add_option("--update", options->update, "How the centers are computed")
      ->check(CLI::IsMember({"scatter", "one_hot", "tiled_mean"}))
      ->capture_default_str();
  command
      ->add_option("--dtype", options->dtype,
                   "float32 or float64 for the computation; else the data's, integers of 8 and 16 bits in\n"
                   "float32, wider ones in float64")
      ->check(CLI::IsMember({"float32", "float64"}));
  command->footer(
      "Writes labels.npy, centers.npy and summary.json; with --device all to a folder for each device, from "
      "the\n"
      "same initial centers, and compares them. Ctrl-C ends the fit after the running iteration and still "
      "writes\n"
      "the results (exit code 130). `tessera --help` lists the exit codes.\n\n"
      "Examples:\n"
      "  tessera kmeans fit --input x.npy --clusters 10 --output fitted\n"
      "  tessera kmeans fit --input x.npy --clusters 10 --n-init 5 --tol 0 --seed 7 --output fitted\n"
      "  tessera kmeans fit --input x.npy --clusters 10 --init centers.npy --device all --output fitted");
  command->callback([options, &action] { action = [options] { return fit(*options); }; });
}

}  // namespace tessera::cli
