#pragma once

// Takes the place of devices/cuda/platform/library.hpp: libraries of the emulation's own.

#include <span>
#include <string>

#include "emulation/libraries.hpp"

namespace tessera::cuda {

inline void* open_library(std::span<const char* const> names, std::string& reason) {
  return cuda_emulation::open_library(names.front(), reason);
}

inline void* find_symbol(void* library, const char* name) {
  return cuda_emulation::find_symbol(library, name);
}

}  // namespace tessera::cuda
