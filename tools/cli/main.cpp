#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <tessera/abi.hpp>

#include "command.hpp"
#include "typed.hpp"

namespace tessera::cli {

void print_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

namespace {

constexpr const char* kDescription =
    "Tessera: arrays on run-time devices, and k-means on them.\n"
    "Every command takes --help, which shows examples.";

constexpr const char* kFooter =
    "Exit codes:\n"
    "  0  done                                    4  the device is unknown, missing or lost\n"
    "  1  a fault of the program itself           5  a result cannot be written\n"
    "  2  the command line is not understood      6  not enough memory\n"
    "  3  a file, shape or value of the input   130  ended by Ctrl-C, results so far written\n"
    "     cannot be worked with\n"
    "Errors go to standard error: one line, and a hint on the next.";

int report(ExitCode code, std::string_view message, std::string_view hint) {
  std::string line(message);
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  print_error(fmt::format("tessera: {}\n", line));
  if (!hint.empty()) print_error(fmt::format("  hint: {}\n", hint));
  return static_cast<int>(code);
}

/// The library's messages end with what to do: "[operation] what was wrong; what to do".
int report(ExitCode code, const Error& error, std::string_view otherwise) {
  const std::string text = as_typed(error.what());
  const std::size_t cut = text.rfind("; ");
  if (cut == std::string::npos) return report(code, text, otherwise);
  return report(code, text.substr(0, cut), text.substr(cut + 2));
}

int run(const Action& action) {
  try {
    return static_cast<int>(action());
  } catch (const CommandError& error) {
    return report(error.code(), error.what(), error.hint());
  } catch (const OutOfMemoryError& error) {
    return report(ExitCode::memory, error, "use a machine with more memory, smaller tiles or fewer samples");
  } catch (const DeviceError& error) {
    return report(ExitCode::device, error, "`tessera devices` shows what there is");
  } catch (const ModuleError& error) {
    return report(ExitCode::device, error, "`tessera devices` shows what there is and where it looked");
  } catch (const NotSupportedError& error) {
    return report(ExitCode::device, error, "try another --device");
  } catch (const Error& error) {
    return report(ExitCode::input, error, "see --help for what the command takes");
  } catch (const std::bad_alloc&) {
    return report(ExitCode::memory, "not enough memory on the host", "use smaller tiles or fewer samples");
  } catch (const std::exception& error) {
    return report(ExitCode::unexpected, error.what(), "please report this, with the command line");
  }
}

/// The first word that is no subcommand where one is expected; empty where there is none.
std::string unknown_subcommand(const CLI::App& command, int argc, char** argv) {
  const CLI::App* at = &command;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto known = at->get_subcommands([](const CLI::App* /*any*/) { return true; });
    if (word.empty() || word[0] == '-' || known.empty()) return "";
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const CLI::App* c) { return c->get_name() == word; });
    if (found == known.end()) return word;
    at = *found;
  }
  return "";
}

/// What standard output could not take is an error, not a success.
int flushed(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  if (status != 0) return status;
  return report(ExitCode::output, "standard output could not be written", "free some space, or use --quiet");
}

int main(int argc, char** argv) {
  CLI::App app(kDescription, "tessera");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("tessera ") + TESSERA_VERSION);
  app.require_subcommand(1);
  Action action;
  add_devices_command(app, action);
  add_make_command(app, action);
  add_kmeans_command(app, action);
  add_picture_command(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    std::string path = "tessera";
    const std::string unknown = unknown_subcommand(app, argc, argv);
    const CLI::App* command = &app;
    while (!command->get_subcommands().empty()) {
      command = command->get_subcommands().front();
      path += " " + command->get_name();
    }
    const std::string what =
        unknown.empty() ? error.what() : fmt::format("there is no command \"{}\"", unknown);
    return report(ExitCode::usage, what, fmt::format("see {} --help", path));
  }
  return flushed(run(action));
}

}  // namespace

}  // namespace tessera::cli

int main(int argc, char** argv) {
  return tessera::cli::main(argc, argv);
}
