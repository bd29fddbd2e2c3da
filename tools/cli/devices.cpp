#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <tessera/device.hpp>

#include "command.hpp"

namespace tessera::cli {

namespace {

std::string mebibytes(std::int64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

void print_device(const Device& device) {
  const DeviceProperties properties = device.properties();
  fmt::print("  {}: {}\n", device.name(), properties.description);
  const auto line = [](std::string_view name, const std::string& value) {
    fmt::print("      {:<18} {}\n", name, value);
  };
  if (properties.memory_bytes > 0) line("memory", mebibytes(properties.memory_bytes));
  line("cache for a tile", mebibytes(properties.cache_bytes));
  if (properties.library_bytes > 0) line("held by libraries", mebibytes(properties.library_bytes));
  line("memory is", properties.host_memory ? "the host's" : "its own");
  line("kernels", properties.asynchronous ? "return before they have run" : "run when they are called");
  for (const auto& [name, value] : properties.details) line(name, value);
}

std::string name_of(const ModuleReport& report, int index) {
  return index == 0 ? report.name : fmt::format("{}:{}", report.name, index);
}

/// Prints a module's devices, or why one of them cannot be used; the number that can.
int print_devices_of(const ModuleReport& report) {
  int usable = 0;
  for (int index = 0; index < report.device_count; ++index) {
    const std::string name = name_of(report, index);
    try {
      print_device(device(name));
      ++usable;
    } catch (const Error& error) {
      fmt::print("  {}: cannot be used: {}\n", name, error.what());
    }
  }
  return usable;
}

[[noreturn]] void throw_no_device() {
  std::string looked;
  for (const std::string& folder : search_path()) looked += (looked.empty() ? "" : ", ") + folder;
  throw CommandError(ExitCode::device, "no usable device was found in " + looked,
                     "build the modules, or name their folder in TESSERA_DEVICE_PATH");
}

ExitCode print_devices() {
  int usable = 0;
  for (const ModuleReport& report : modules()) {
    fmt::print("{} {} ({})\n", report.name.empty() ? "unknown module" : report.name, report.version,
               report.path);
    if (!report.reason.empty()) fmt::print("  no devices: {}\n", report.reason);
    usable += print_devices_of(report);
  }
  if (usable == 0) throw_no_device();
  return ExitCode::success;
}

}  // namespace

std::vector<Device> devices_named(const std::string& name) {
  if (name != "all") return {device(name)};
  std::vector<Device> all;
  for (const ModuleReport& report : modules()) {
    // A module that loads and finds no device has said all; one that fails is not left out in silence.
    if (report.version.empty()) print_error(fmt::format("tessera: left out: {}\n", report.reason));
    for (int index = 0; index < report.device_count; ++index) {
      try {
        all.push_back(device(name_of(report, index)));
      } catch (const Error& error) {
        print_error(fmt::format("tessera: left out: {}\n", error.what()));
      }
    }
  }
  if (all.empty()) throw_no_device();
  // What the first one finds (initial centers), the others are given.
  std::stable_partition(all.begin(), all.end(), [](const Device& d) { return d.name() == "cpu"; });
  return all;
}

void add_devices_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("devices", "Show every device module, its devices, or why it has none");
  command->footer(
      "Modules are looked for in TESSERA_DEVICE_PATH (folders or files, separated by ':'), then beside the "
      "core\n"
      "library, then where Tessera is installed.\n\n"
      "Example:\n"
      "  tessera devices");
  command->callback([&action] { action = print_devices; });
}

}  // namespace tessera::cli
