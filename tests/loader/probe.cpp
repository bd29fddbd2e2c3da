// Does what its arguments say, in order, and prints what came of it:
//   path             the search path, a folder a line
//   device NAME      opens a device and adds two numbers on it
//   load FILE        load_module
//   modules          a line for each module: name|path|version|devices|reason
//   devices          a line for each device
//   default          where arrays are made
//   set-default NAME
//   loaded           the files of the modules that are mapped into the process
// An error prints "error TYPE: message", and the next argument is done.

#include <cstdio>
#include <fstream>
#include <set>
#include <string>

#include <tessera/tessera.hpp>

namespace {

void print(const std::string& line) {
  std::printf("%s\n", line.c_str());
}

void print_loaded() {
  std::ifstream maps("/proc/self/maps");
  std::set<std::string> files;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t name = line.rfind("/libtessera_device_");
    if (name != std::string::npos) files.insert(line.substr(name + 1));
  }
  for (const std::string& file : files) print(file);
}

void open_device(const std::string& name) {
  const tessera::Device device = tessera::device(name);
  const tessera::Array sum = tessera::asarray({1.0, 2.0}, {.device = device}) + 1;
  print(device.name() + " index " + std::to_string(device.index()) + " sum " + tessera::to_string(sum));
}

void print_modules() {
  for (const tessera::ModuleReport& report : tessera::modules()) {
    print(report.name + "|" + report.path + "|" + report.version + "|" + std::to_string(report.device_count) +
          "|" + report.reason);
  }
}

void run(const std::string& command, const char* argument) {
  if (command == "path") {
    for (const std::string& folder : tessera::search_path()) print(folder);
  } else if (command == "device") {
    open_device(argument);
  } else if (command == "load") {
    print(tessera::load_module(argument));
  } else if (command == "modules") {
    print_modules();
  } else if (command == "devices") {
    for (const tessera::Device& device : tessera::devices()) print(device.name());
  } else if (command == "default") {
    print(tessera::zeros({2}).device().name());
  } else if (command == "set-default") {
    tessera::set_default_device(tessera::device(argument));
  } else if (command == "loaded") {
    print_loaded();
  }
}

bool takes_an_argument(const std::string& command) {
  return command == "device" || command == "load" || command == "set-default";
}

}  // namespace

int main(int /*argc*/, char** argv) {
  for (char** argument = argv + 1; *argument != nullptr;) {
    const bool with_argument = takes_an_argument(*argument);
    try {
      run(argument[0], argument[1]);
    } catch (const tessera::ModuleError& error) {
      print(std::string("error ModuleError: ") + error.what());
    } catch (const tessera::DeviceError& error) {
      print(std::string("error DeviceError: ") + error.what());
    } catch (const std::exception& error) {
      print(std::string("error: ") + error.what());
    }
    argument += with_argument ? 2 : 1;
  }
  return 0;
}
