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
  int repeat = 3;
  std::string json;
  std::string only;
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

void ask(const Arguments& arguments,
         const std::function<void(const bench::Setting&, bench::Report&)>& question) {
  if (arguments.threads > 0) tessera::set_num_threads(arguments.threads);
  bench::Report report(arguments.json, arguments.only,
                       {{"samples", arguments.source.samples},
                        {"centers", arguments.source.centers},
                        {"seed", arguments.source.seed}});
  std::stringstream names(arguments.devices);
  for (std::string name; std::getline(names, name, ',');) {
    question({tessera::device(name), size_of(arguments), arguments.source, arguments.mode == "compiled",
              arguments.repeat},
             report);
  }
}

void add_options(CLI::App& command, Arguments& arguments) {
  std::string sizes;
  for (const bench::Size& size : bench::named_sizes()) {
    sizes += fmt::format("{}{} ({} x {} x {})", sizes.empty() ? "" : ", ", size.name, size.samples,
                         size.clusters, size.features);
  }
  command.add_option("--size", arguments.size, "Samples x clusters x features by name: " + sizes)
      ->capture_default_str();
  command.add_option("--samples", arguments.samples, "n, instead of the size's")->check(CLI::PositiveNumber);
  command.add_option("--clusters", arguments.clusters, "k, instead of the size's")
      ->check(CLI::PositiveNumber);
  command.add_option("--features", arguments.features, "d, instead of the size's")
      ->check(CLI::PositiveNumber);
  command.add_option("--device", arguments.devices, "Devices, separated by commas")->capture_default_str();
  command.add_option("--mode", arguments.mode, "How the functions run")
      ->check(CLI::IsMember({"eager", "compiled"}))
      ->capture_default_str();
  command.add_option("--threads", arguments.threads, "Threads of the devices on the host")
      ->check(CLI::PositiveNumber);
  command.add_option("--repeat", arguments.repeat, "Timed calls, after one to warm up")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--json", arguments.json,
                     "Write the rows to this file; rows that it has are not measured again");
  command.add_option("--only", arguments.only, "The one schedule, or operation, to measure");
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
