#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/tessera.hpp>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class App;
}

/// What the commands of `tessera` share. Each command is one file with one function that adds it.
namespace tessera::cli {

/// docs/cli.md and --help list them.
enum class ExitCode : int {
  success = 0,
  unexpected = 1,    ///< a fault of the program itself
  usage = 2,         ///< the command line is not understood
  input = 3,         ///< a file, a shape or a value that cannot be worked with
  device = 4,        ///< a device that is unknown, missing or lost
  output = 5,        ///< a result that cannot be written
  memory = 6,        ///< not enough memory
  interrupted = 130  ///< ended by Ctrl-C; what there was is written
};

/// An error whose exit code is known where it is thrown. `what()` is one line.
class CommandError : public std::runtime_error {
 public:
  CommandError(ExitCode code, const std::string& message, std::string hint)
      : std::runtime_error(message), code_(code), hint_(std::move(hint)) {}
  ExitCode code() const { return code_; }
  const std::string& hint() const { return hint_; }

 private:
  ExitCode code_;
  std::string hint_;
};

/// What the command line asked for: set by the chosen command, run after parsing.
using Action = std::function<ExitCode()>;

void add_devices_command(CLI::App& app, Action& action);
void add_make_command(CLI::App& app, Action& action);
void add_kmeans_command(CLI::App& app, Action& action);
void add_picture_command(CLI::App& app, Action& action);

/// To standard error; where that takes nothing, the text is lost and the work goes on.
void print_error(std::string_view text);

/// The devices that --device names: one, or every one there is for "all".
std::vector<Device> devices_named(const std::string& name);

/// The .npy file that an option names, on the device; mapped where that is asked for and the device can read
/// it from there. An IOError names the option.
Array load_file(const std::string& option, const std::string& path, const Device& device, bool map = false);

/// Throws CommandError (output) unless a file can be written at the path; for before the work begins.
void require_writable(const std::string& path);
/// Makes the folder; throws CommandError (output) where files cannot be written in it.
void require_writable_folder(const std::string& folder);

/// save_npy, whose failure is one of output.
void write_array(const std::string& path, const Array& x);
/// A whole text file, by a temporary beside it.
void write_text(const std::string& path, const std::string& text);

}  // namespace tessera::cli
