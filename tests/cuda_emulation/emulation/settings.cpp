#include "settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace cuda_emulation {
namespace {

void apply(Settings& target, std::string_view name, const std::string& value) {
  if (name == "order") {
    target.order = value == "reversed"   ? Order::reversed
                   : value == "shuffled" ? Order::shuffled
                                         : Order::forward;
  } else if (name == "fill") {
    target.fill = static_cast<unsigned char>(std::strtoul(value.c_str(), nullptr, 16));
  } else if (name == "devices") {
    target.devices = std::atoi(value.c_str());
  } else if (name == "compile") {
    target.fewest_compiled_elements = std::strtoll(value.c_str(), nullptr, 10);
  } else if (name == "memory") {
    target.memory_bytes = std::strtoull(value.c_str(), nullptr, 10);
  } else {
    std::fprintf(stderr, "TESSERA_CUDA_EMULATION: unknown setting %s\n", std::string(name).c_str());
    std::abort();
  }
}

Settings from_environment() {
  Settings result;
  const char* const variable = std::getenv("TESSERA_CUDA_EMULATION");
  std::string_view rest = variable == nullptr ? "" : variable;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::size_t equals = std::min(item.find('='), item.size());
    apply(result, item.substr(0, equals), std::string(item.substr(std::min(equals + 1, item.size()))));
  }
  return result;
}

std::function<void(const std::string&)>& listener() {
  static std::function<void(const std::string&)> instance;
  return instance;
}

}  // namespace

Settings& settings() {
  static Settings instance = from_environment();
  return instance;
}

void violation(const std::string& text) {
  if (listener()) {
    listener()(text);
    return;
  }
  std::fprintf(stderr, "CUDA emulation: %s\n", text.c_str());
  std::abort();
}

void set_violation_listener(std::function<void(const std::string&)> next) {
  listener() = std::move(next);
}

}  // namespace cuda_emulation
