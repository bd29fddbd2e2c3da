#pragma once

// Libraries that a machine may lack, opened at the first need. The emulation has its own.

#include <dlfcn.h>

#include <span>
#include <string>

namespace tessera::cuda {

/// A handle, or nullptr and `reason` in words. The first of `names` that opens is taken; it is never closed.
inline void* open_library(std::span<const char* const> names, std::string& reason) {
  for (const char* const name : names) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    reason += (reason.empty() ? "" : "; ") + std::string(dlerror());
  }
  return nullptr;
}

inline void* find_symbol(void* library, const char* name) {
  return dlsym(library, name);
}

}  // namespace tessera::cuda
