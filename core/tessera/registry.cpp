#include <tessera/registry.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <typeinfo>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tessera/device_state.hpp>
#include <tessera/error.hpp>
#include <tessera/module.hpp>

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "libtessera_device_";
constexpr std::string_view kSuffix = ".so";

// "cpu" of ".../libtessera_device_cpu.so"; empty for any other file.
std::string module_name_of(const fs::path& path) {
  const std::string file = path.filename().string();
  if (!file.starts_with(kPrefix) || !file.ends_with(kSuffix)) return "";
  return file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size());
}

struct LoadedModule {
  const DeviceModule* module;
  std::string path;
  std::map<int, DeviceState*> devices;
};

/// Finds, loads and keeps modules. Leaked: arrays and devices may outlive main.
class Registry {
 public:
  static Registry& instance() {
    static Registry* const registry = new Registry;
    return *registry;
  }

  Device device(std::string_view text) {
    const auto [name, index] = parse(text);
    const std::lock_guard lock(mutex_);
    return Device(state(loaded(name), index));
  }

  std::string load(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return open(path).module->name;
  }

  std::vector<ModuleReport> reports() {
    const std::lock_guard lock(mutex_);
    std::vector<ModuleReport> reports;
    for (const fs::path& path : candidates()) {
      const std::string name = module_name_of(path);
      const bool known = modules_.contains(name) && modules_.at(name).path != path.string();
      const bool listed = std::any_of(reports.begin(), reports.end(),
                                      [&](const ModuleReport& report) { return report.name == name; });
      if (known || listed) continue;  // another file of that name comes first
      try {
        reports.push_back(report(open(path.string())));
      } catch (const Error& error) {
        reports.push_back({name, path.string(), "", 0, error.what()});
      }
    }
    for (const auto& [name, module] : modules_) {  // those loaded by path
      const bool listed = std::any_of(reports.begin(), reports.end(),
                                      [&, &name = name](const auto& report) { return report.name == name; });
      if (!listed) reports.push_back(report(module));
    }
    return reports;
  }

  std::vector<Device> devices() {
    std::vector<Device> all;
    for (const ModuleReport& report : reports()) {
      const std::lock_guard lock(mutex_);
      for (int index = 0; index < report.device_count; ++index) {
        try {
          all.emplace_back(state(modules_.at(report.name), index));
        } catch (const std::exception&) {  // device(name) says why
        }
      }
    }
    return all;
  }

 private:
  static std::pair<std::string, int> parse(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string name(text.substr(0, colon));
    int index = 0;
    bool good = !name.empty();
    if (colon != std::string_view::npos) {
      const std::string_view digits = text.substr(colon + 1);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
      good = good && error == std::errc{} && end == digits.data() + digits.size() && index >= 0;
    }
    if (!good) {
      throw DeviceError(fmt::format(
          "[device] \"{}\" is not a device's name; expected a name like \"cpu\" or \"cuda:1\"", text));
    }
    return {name, index};
  }

  // Module files on the search path, in its order.
  static std::vector<fs::path> candidates() {
    std::vector<fs::path> files;
    for (const std::string& place : search_path()) {
      std::error_code ignored;
      if (fs::is_regular_file(place, ignored)) {
        files.emplace_back(place);
        continue;
      }
      std::vector<fs::path> found;
      for (const auto& entry : fs::directory_iterator(place, ignored)) {
        if (!module_name_of(entry.path()).empty()) found.push_back(entry.path());
      }
      std::sort(found.begin(), found.end());
      files.insert(files.end(), found.begin(), found.end());
    }
    return files;
  }

  LoadedModule& loaded(const std::string& name) {
    const auto known = modules_.find(name);
    if (known != modules_.end()) return known->second;
    std::vector<std::string> there;
    for (const fs::path& path : candidates()) {
      if (module_name_of(path) == name) return open(path.string());
      there.push_back(module_name_of(path));
    }
    throw DeviceError(fmt::format(
        "[device] there is no module for device \"{}\": looked for {}{}{} in {}, and found there {}; set "
        "TESSERA_DEVICE_PATH to the folder or file of the module",
        name, kPrefix, name, kSuffix, fmt::join(search_path(), ", "),
        there.empty() ? "none" : fmt::format("{}", fmt::join(there, ", "))));
  }

  LoadedModule& open(const std::string& given) {
    // dlopen would look for a name without a slash in the system's folders.
    const std::string path = fs::absolute(given).lexically_normal().string();
    for (auto& [name, module] : modules_) {
      if (module.path == path) return module;
    }
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed
    if (library == nullptr) throw ModuleError(fmt::format("[device] cannot load {}: {}", path, dlerror()));
    void* const symbol = dlsym(library, "tessera_device_module");
    if (symbol == nullptr) {
      throw ModuleError(
          fmt::format("[device] {} is no device module: it has no symbol tessera_device_module", path));
    }
    const DeviceModule* const module = reinterpret_cast<const DeviceModule* (*)()>(symbol)();
    if (module == nullptr || module->abi_stamp == nullptr ||
        std::strcmp(module->abi_stamp, TESSERA_ABI_STAMP) != 0) {
      throw ModuleError(
          fmt::format("[device] {} was built for another core: its stamp is \"{}\", the core's \"{}\"; "
                      "rebuild the module",
                      path, module == nullptr || module->abi_stamp == nullptr ? "missing" : module->abi_stamp,
                      TESSERA_ABI_STAMP));
    }
    const std::string file_name = module_name_of(path);
    if (!file_name.empty() && file_name != module->name) {
      throw ModuleError(
          fmt::format("[device] {} was found for device \"{}\", but calls itself \"{}\"; rename the file",
                      path, file_name, module->name));
    }
    const auto [place, fresh] = modules_.try_emplace(module->name, LoadedModule{module, path, {}});
    if (!fresh && place->second.module != module) {
      throw ModuleError(fmt::format("[device] {} is a second module of the name \"{}\"; the first is {}",
                                    path, module->name, place->second.path));
    }
    return place->second;
  }

  static ModuleReport report(const LoadedModule& loaded) {
    const int count = loaded.module->device_count();
    return {loaded.module->name, loaded.path, loaded.module->version, count,
            count > 0 ? "" : loaded.module->why_none()};
  }

  static DeviceState& state(LoadedModule& loaded, int index) {
    const auto known = loaded.devices.find(index);
    if (known != loaded.devices.end()) return *known->second;
    const DeviceModule& module = *loaded.module;
    const int count = module.device_count();
    if (count <= 0) {
      throw DeviceError(fmt::format("[device] module \"{}\" ({}) has no devices: {}", module.name,
                                    loaded.path, module.why_none()));
    }
    if (index >= count) {
      throw DeviceError(fmt::format("[device] \"{}:{}\": module \"{}\" has {} device{}, counted from 0",
                                    module.name, index, module.name, count, count == 1 ? "" : "s"));
    }
    const std::string name = index == 0 ? module.name : fmt::format("{}:{}", module.name, index);
    try {
      DeviceInterface* const made = module.create(index);
      if (made == nullptr) throw std::runtime_error("its factory gave nothing");
      return *loaded.devices.emplace(index, new DeviceState(name, index, *made)).first->second;
    } catch (const Error&) {
      throw;  // says in words what it is
    } catch (const std::exception& error) {
      throw ModuleError(fmt::format("[device] module \"{}\" ({}) could not make device {}: {}", module.name,
                                    loaded.path, index, error.what()));
    }
  }

  std::mutex mutex_;
  std::map<std::string, LoadedModule> modules_;
};

std::atomic<DeviceState*> chosen_default{nullptr};

}  // namespace

std::vector<std::string> search_path() {
  std::vector<std::string> places;
  const auto add = [&](const std::string& place) {
    if (!place.empty() && std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(place);
  };
  if (const char* const variable = std::getenv("TESSERA_DEVICE_PATH")) {
    std::string_view rest = variable;
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      add(std::string(rest.substr(0, colon)));
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&search_path), &info) != 0 && info.dli_fname != nullptr) {
    std::error_code ignored;
    const fs::path folder = fs::weakly_canonical(info.dli_fname, ignored).parent_path();
    add(folder.string());
    add((folder / "tessera").string());
  }
  add(TESSERA_INSTALL_MODULE_DIR);
  return places;
}

Device device(std::string_view name) {
  return Registry::instance().device(name);
}
std::string load_module(const std::string& path) {
  return Registry::instance().load(path);
}
std::vector<ModuleReport> modules() {
  return Registry::instance().reports();
}
std::vector<Device> devices() {
  return Registry::instance().devices();
}

Device default_device() {
  DeviceState* const chosen = chosen_default.load(std::memory_order_acquire);
  if (chosen != nullptr) return Device(*chosen);
  const Device cpu = device("cpu");
  DeviceState* none = nullptr;
  chosen_default.compare_exchange_strong(none, &cpu.state(), std::memory_order_acq_rel);
  return cpu;
}

void set_default_device(const Device& device) {
  chosen_default.store(&device.state(), std::memory_order_release);
}

Device::Device() : Device(default_device()) {}

const std::string& Device::name() const {
  return state_->name;
}
int Device::index() const {
  return state_->index;
}
DeviceProperties Device::properties() const {
  return state_->device.properties();
}
bool Device::host_memory() const {
  return state_->host_memory;
}
std::int64_t Device::cache_bytes() const {
  return state_->cache_bytes;
}
void Device::synchronize() const {
  state_->device.synchronize();
}
std::shared_ptr<Event> Device::record() const {
  return state_->device.record();
}
double Device::elapsed(const std::shared_ptr<Event>& start, const std::shared_ptr<Event>& stop) const {
  if (start == nullptr || stop == nullptr) {
    throw ValueError(fmt::format("[elapsed] {} is null; give two events that record() returned",
                                 start == nullptr ? "start" : "stop"));
  }
  try {
    return state_->device.elapsed(*start, *stop);
  } catch (const std::bad_cast&) {
    throw DeviceError(
        fmt::format("[elapsed] an event is of another device than {}; give events that its "
                    "record() returned",
                    state_->name));
  }
}
MemoryStats Device::memory() const {
  return state_->pool.stats();
}
void Device::reset_peak() const {
  state_->pool.reset_peak();
}
std::int64_t Device::trim() const {
  return state_->pool.trim();
}
void Device::set_memory_limit(std::int64_t bytes) const {
  state_->pool.set_limit(bytes);
}

}  // namespace tessera
