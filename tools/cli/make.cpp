#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "command.hpp"
#include "interrupt.hpp"
#include "numbers.hpp"

namespace tessera::cli {

namespace {

/// Random numbers are drawn, and rows written, in blocks of about this many elements, each block from a key
/// of its own. So any number of rows takes little memory, and the first rows of a larger file of the same
/// seed are a smaller one.
constexpr std::int64_t kBlockElements = std::int64_t{1} << 20;

struct MakeOptions {
  std::int64_t samples = 0;
  std::int64_t features = 0;
  std::int64_t clusters = 8;
  double box = 10;
  double spread = 1;
  double low = 0;
  double high = 1;
  double mean = 0;
  double stddev = 1;
  std::uint64_t seed = 0;
  std::string dtype = "float32";
  std::string device = "cpu";
  std::string output;
  std::string labels;
};

/// A block of rows, and for blobs the cluster of each.
struct Block {
  Array rows;
  Array labels;
};

/// Throws unless the file system has room for the file: before the first row, not hours after it.
void require_room(const MakeOptions& options) {
  const auto item = static_cast<std::int64_t>(itemsize(dtype_from_name(options.dtype)));
  std::int64_t bytes = 0;
  const bool countable = !__builtin_mul_overflow(options.samples, options.features, &bytes) &&
                         !__builtin_mul_overflow(bytes, item, &bytes);
  std::error_code error;
  const auto folder = std::filesystem::absolute(options.output).parent_path();
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (countable && (error || static_cast<std::uintmax_t>(bytes) <= space.available)) return;
  throw CommandError(
      ExitCode::output,
      fmt::format("{} would have {} x {} x {} bytes{}", options.output, options.samples, options.features,
                  item, error ? "" : fmt::format(", and {} are free", space.available)),
      "ask for fewer samples, or choose another disk");
}

using MakeBlock = std::function<Block(const random::Key& key, std::int64_t rows)>;

ExitCode write_blocks(const MakeOptions& options, const MakeBlock& make_block) {
  if (options.samples < 1 || options.features < 1) {
    throw CommandError(ExitCode::input,
                       fmt::format("--samples and --features must be at least 1, not {} and {}",
                                   options.samples, options.features),
                       "say how large the data shall be");
  }
  require_writable(options.output);
  require_room(options);
  if (!options.labels.empty()) require_writable(options.labels);
  if (!options.labels.empty() && std::filesystem::weakly_canonical(options.labels) ==
                                     std::filesystem::weakly_canonical(options.output)) {
    throw CommandError(ExitCode::input, "--labels and --output are both " + options.output, "give two files");
  }
  try {
    NpyWriter writer(options.output, dtype_from_name(options.dtype), {options.samples, options.features});
    std::optional<NpyWriter> labels;
    if (!options.labels.empty()) labels.emplace(options.labels, int64, Shape{options.samples});
    const random::Key key = random::Key(options.seed).fold_in(1);
    const std::int64_t block = std::max<std::int64_t>(1, kBlockElements / options.features);
    const InterruptScope interrupt;  // so that no part of a file is left behind
    for (std::int64_t first = 0; first < options.samples; first += block) {
      // A whole block is drawn even where fewer rows are left, so that they do not depend on how many.
      const Block made = make_block(key.fold_in(static_cast<std::uint64_t>(first / block)), block);
      const Slice rows = slice(0, std::min(block, options.samples - first));
      writer.append(index(made.rows, {rows}));
      if (labels) labels->append(index(made.labels, {rows}));
      if (interrupt.requested()) {
        throw CommandError(ExitCode::interrupted, "interrupted; " + options.output + " was not written",
                           "the same command makes the same file");
      }
    }
    writer.close();
    if (labels) labels->close();
  } catch (const IOError& error) {
    throw CommandError(ExitCode::output, error.what(), "choose another --output, or free some space");
  }
  fmt::print("{}: {} x {} {}, seed {}\n", options.output, options.samples, options.features, options.dtype,
             options.seed);
  return ExitCode::success;
}

DType float_dtype(const MakeOptions& options) {
  const DType dtype = dtype_from_name(options.dtype);
  if (is_floating(dtype)) return dtype;
  throw CommandError(ExitCode::input, "--dtype must be float32 or float64, not " + options.dtype,
                     "draw floats; convert them afterwards");
}

/// What a distribution cannot take is told as it was typed.
template <class Make>
ExitCode as_typed(const std::string& typed, const Make& make) {
  try {
    return make();
  } catch (const ValueError& error) {
    const std::string text = error.what();
    const std::size_t hint = text.rfind("; ");
    throw CommandError(ExitCode::input, typed + ": nothing can be drawn so",
                       hint == std::string::npos ? text : text.substr(hint + 2));
  }
}

ExitCode make_blobs(const MakeOptions& options) {
  const DType dtype = float_dtype(options);
  const Device where = device(options.device);
  if (options.clusters < 1) {
    throw CommandError(ExitCode::input,
                       fmt::format("--clusters must be at least 1, not {}", options.clusters),
                       "ask for one or more");
  }
  const Array centers =
      random::uniform(random::Key(options.seed).fold_in(0), {options.clusters, options.features},
                      {.low = -options.box, .high = options.box, .dtype = dtype, .device = where});
  return write_blocks(options, [&](const random::Key& key, std::int64_t rows) {
    const auto keys = random::split(key);
    const Array labels = random::randint(keys[0], 0, options.clusters, {rows}, {.device = where});
    const Array noise = random::normal(keys[1], {rows, options.features},
                                       {.stddev = options.spread, .dtype = dtype, .device = where});
    return Block{take(centers, labels, {.axis = 0}) + noise, labels};
  });
}

ExitCode make_uniform(const MakeOptions& options) {
  const random::UniformOptions draw{options.low, options.high, float_dtype(options), device(options.device)};
  return write_blocks(options, [&](const random::Key& key, std::int64_t rows) {
    return Block{random::uniform(key, {rows, options.features}, draw), {}};
  });
}

ExitCode make_normal(const MakeOptions& options) {
  const random::NormalOptions draw{options.mean, options.stddev, float_dtype(options),
                                   device(options.device)};
  return write_blocks(options, [&](const random::Key& key, std::int64_t rows) {
    return Block{random::normal(key, {rows, options.features}, draw), {}};
  });
}

CLI::App* add_kind(CLI::App& make, const char* name, const char* description, MakeOptions& options) {
  CLI::App* command = make.add_subcommand(name, description);
  command->add_option("--samples,-n", options.samples, "Rows")->required()->transform(whole_number());
  command->add_option("--features,-d", options.features, "Columns")->required()->transform(whole_number());
  command->add_option("--seed", options.seed, "The same seed gives the same file")
      ->transform(seed_number())
      ->capture_default_str();
  command->add_option("--dtype", options.dtype, "float32 or float64")->capture_default_str();
  command->add_option("--device", options.device, "Where it is drawn")->capture_default_str();
  command->add_option("--output,-o", options.output, "The .npy file to write")->required();
  return command;
}

}  // namespace

void add_make_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<MakeOptions>();
  CLI::App* make = app.add_subcommand("make", "Write random data to a .npy file, a piece at a time");
  make->require_subcommand(1);
  make->footer(
      "The first rows of a file are those of any longer one of the same seed and number of features.\n\n"
      "Examples:\n"
      "  tessera make blobs --samples 100000 --features 32 --clusters 20 --output blobs.npy\n"
      "  tessera make uniform --samples 1000 --features 2 --low -1 --high 1 --seed 7 --output square.npy\n"
      "  tessera make normal --samples 1000 --features 2 --dtype float64 --output cloud.npy");

  CLI::App* blobs =
      add_kind(*make, "blobs", "Normal clouds around centers drawn uniformly from a box", *options);
  blobs->add_option("--clusters,--centers,-k", options->clusters, "How many clouds")
      ->transform(whole_number())
      ->capture_default_str();
  blobs->add_option("--spread", options->spread, "Standard deviation of a cloud")
      ->transform(real_number())
      ->capture_default_str();
  blobs->add_option("--box", options->box, "Centers lie in [-box, box) in each feature")
      ->transform(real_number())
      ->capture_default_str();
  blobs->add_option("--labels", options->labels, "Write which cloud each row is of to this .npy file");
  blobs->callback([options, &action] {
    action = [options] {
      return as_typed(fmt::format("--box is {}, --spread is {}", options->box, options->spread),
                      [&] { return make_blobs(*options); });
    };
  });

  CLI::App* uniform = add_kind(*make, "uniform", "Uniform in [low, high)", *options);
  uniform->add_option("--low", options->low, "Lower end")->transform(real_number())->capture_default_str();
  uniform->add_option("--high", options->high, "Upper end, left out")
      ->transform(real_number())
      ->capture_default_str();
  uniform->callback([options, &action] {
    action = [options] {
      return as_typed(fmt::format("--low is {}, --high is {}", options->low, options->high),
                      [&] { return make_uniform(*options); });
    };
  });

  CLI::App* normal = add_kind(*make, "normal", "Normal", *options);
  normal->add_option("--mean", options->mean, "Mean")->transform(real_number())->capture_default_str();
  normal->add_option("--stddev", options->stddev, "Standard deviation")
      ->transform(real_number())
      ->capture_default_str();
  normal->callback([options, &action] {
    action = [options] {
      return as_typed(fmt::format("--mean is {}, --stddev is {}", options->mean, options->stddev),
                      [&] { return make_normal(*options); });
    };
  });
}

}  // namespace tessera::cli
