#include <charconv>
#include <cstdio>
#include <functional>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tessera/threads.hpp>

#include "question.hpp"

namespace {

namespace bench = tessera::bench;

struct Arguments {
  std::string size = "smoke";
  std::int64_t samples = 0;
  std::int64_t clusters = 0;
  std::int64_t features = 0;
  std::string devices = "cpu";
  std::string mode = "eager";
  int threads = 0;
  int repeat = 0;
  bool paced = false;
  bool explain = false;
  std::string json;
  std::string labels;
  bench::Wanted wanted;
  bench::Source source;
};

bench::Size size_of(const Arguments& arguments) {
  bench::Size size = bench::size_named(arguments.size);
  const bench::Size named = size;
  if (arguments.samples > 0) size.samples = arguments.samples;
  if (arguments.clusters > 0) size.clusters = arguments.clusters;
  if (arguments.features > 0) size.features = arguments.features;
  if (size != named) size.name = "custom";
  return size;
}

// The devices by their names, all of them before anything is measured.
std::vector<tessera::Device> devices_of(const std::string& names) {
  std::vector<tessera::Device> found;
  if (names == "all") {
    found = tessera::devices();
  } else {
    std::stringstream list(names);
    for (std::string name; std::getline(list, name, ',');) found.push_back(tessera::device(name));
  }
  if (found.empty()) {
    throw tessera::ValueError(fmt::format(
        "[bench] --device \"{}\" names no device; expected names separated by commas, or all", names));
  }
  return found;
}

// Numbers of things. CLI11's own check speaks of ranges of floating-point numbers.
CLI::Validator whole_number() {
  return {[](std::string& text) -> std::string {
            std::int64_t value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool whole = error == std::errc() && end == text.data() + text.size() && value >= 1;
            return whole ? "" : fmt::format("{}: expected a whole number >= 1", text);
          },
          "INT >= 1"};
}

void ask(const Arguments& arguments,
         const std::function<void(const bench::Setting&, bench::Report&)>& question) {
  if (arguments.threads > 0) tessera::set_num_threads(arguments.threads);
  bench::Report report(arguments.json, arguments.wanted,
                       {{"samples", arguments.source.samples},
                        {"centers", arguments.source.centers},
                        {"seed", arguments.source.seed}});
  bench::require_writable(arguments.labels);
  for (const tessera::Device& device : devices_of(arguments.devices)) {
    bench::Source source = arguments.source;
    source.rows = arguments.samples;
    source.columns = arguments.features;
    bench::Setting setting{.device = device,
                           .size = size_of(arguments),
                           .source = source,
                           .compiled = arguments.mode == "compiled",
                           .timing = {.repeat = arguments.repeat, .paced = arguments.paced},
                           .explain = arguments.explain,
                           .labels = arguments.labels};
    if (arguments.repeat == 0) setting.timing.repeat = bench::is_large(setting.size) ? 1 : 3;
    // Whoever sets the pace of calls that take tens of seconds wants no other.
    setting.timing.warm = arguments.paced && bench::is_large(setting.size);
    question(setting, report);
  }
  report.require_found();
}

void add_options(CLI::App& command, Arguments& arguments) {
  std::string sizes;
  for (const bench::Size& size : bench::named_sizes()) {
    sizes += fmt::format("{}{} ({} x {} x {})", sizes.empty() ? "" : ", ", size.name, size.samples,
                         size.clusters, size.features);
  }
  command.add_option("--size", arguments.size, "Samples x clusters x features by name: " + sizes)
      ->capture_default_str();
  command.add_option("--samples", arguments.samples, "n, instead of the size's")->check(whole_number());
  command.add_option("--clusters", arguments.clusters, "k, instead of the size's")->check(whole_number());
  command.add_option("--features", arguments.features, "d, instead of the size's")->check(whole_number());
  command.add_option("--device", arguments.devices, "Devices, separated by commas; or all")
      ->capture_default_str();
  command.add_option("--mode", arguments.mode, "How the functions run")
      ->check(CLI::IsMember({"eager", "compiled"}))
      ->capture_default_str();
  command.add_flag("--explain", arguments.explain,
                   "Print what compiled functions were made into: their graph, kernels and planned peak");
  command.add_option("--threads", arguments.threads, "Threads of the devices on the host")
      ->check(whole_number());
  command
      .add_option("--repeat", arguments.repeat,
                  "Timed calls, after one to warm up; else 3, and 1 where a call takes tens of seconds")
      ->check(whole_number());
  command.add_option("--json", arguments.json,
                     "Write the rows to this file; rows that it has are not measured again");
  command.add_option("--only", arguments.wanted.schedule, "The one schedule, or operation, to measure");
  command.add_option("--tile-samples", arguments.wanted.tile_samples, "Rows with this tile of samples only")
      ->check(whole_number());
  command.add_option("--tile-centers", arguments.wanted.tile_centers, "Rows with this tile of centers only")
      ->check(whole_number());
  command.add_flag(
      "--paced", arguments.paced,
      "With --only: after the warm-up, each line of standard input is a number of calls, answered with "
      "the seconds of each, so that another program can be timed in between");
  command.add_option("--labels", arguments.labels, "Write the labels of the last row to this .npy file");
  command.add_option("--data", arguments.source.samples, "normal, blobs, or a .npy file of samples")
      ->capture_default_str();
  command.add_option("--centers", arguments.source.centers,
                     "A .npy file of initial centers; else the first samples");
  command.add_option("--seed", arguments.source.seed, "Seed of the samples and of k-means++")
      ->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures Tessera's k-means and its operations, one question at a time.");
  app.require_subcommand(1);
  Arguments arguments;
  const auto add = [&](const char* name, const char* text,
                       void (*question)(const bench::Setting&, bench::Report&)) {
    CLI::App* const command = app.add_subcommand(name, text);
    add_options(*command, arguments);
    command->callback([&arguments, question] { ask(arguments, question); });
  };
  add("assign-grid", "Gram assignment over tiles of samples by tiles of centers", bench::assign_grid);
  add("running", "Running minima over tiles of centers", bench::running);
  add("lloyd", "One Lloyd iteration: assignment, update, the whole step", bench::lloyd);
  add("init", "k-means++ in both versions", bench::init);
  add("fit", "Whole fits", bench::fit);
  add("kernels", "Where the time of an assignment and of a step goes", bench::kernels);
  add("ops", "Operations beside a copy and a product; the cost of a call on 4 elements", bench::ops);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera-bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
