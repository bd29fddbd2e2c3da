#include "kmeans/methods.hpp"

#include <span>
#include <string>

#include <tessera/tessera.hpp>

namespace tessera::kmeans {
namespace {

// In the order of the enumerators.
constexpr std::string_view kAssign[] = {"gram_tiled", "gram", "running", "running_inside"};
constexpr std::string_view kUpdate[] = {"scatter", "one_hot", "tiled_mean"};
constexpr std::string_view kInit[] = {"kmeans++", "random"};
constexpr std::string_view kStopped[] = {"labels", "tol", "max_iter", "interrupted"};

template <class Method>
Method find(std::span<const std::string_view> names, std::string_view name, const char* argument) {
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Method>(i);
    known += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw ValueError("[kmeans] " + std::string(argument) + " is '" + std::string(name) + "'; it can be " +
                   known);
}

}  // namespace

std::string_view name(AssignMethod method) {
  return kAssign[static_cast<int>(method)];
}
std::string_view name(UpdateMethod method) {
  return kUpdate[static_cast<int>(method)];
}
std::string_view name(InitMethod method) {
  return kInit[static_cast<int>(method)];
}
std::string_view name(Stopped stopped) {
  return kStopped[static_cast<int>(stopped)];
}

AssignMethod assign_method(std::string_view name) {
  return find<AssignMethod>(kAssign, name, "assign");
}
UpdateMethod update_method(std::string_view name) {
  return find<UpdateMethod>(kUpdate, name, "update");
}
InitMethod init_method(std::string_view name) {
  return find<InitMethod>(kInit, name, "init");
}

}  // namespace tessera::kmeans
