#pragma once

// The libraries that the module opens by name, answered by the emulation.

#include <string>

namespace cuda_emulation {

void* open_library(const char* name, std::string& reason);
void* find_symbol(void* library, const char* name);

/// For tests: no library is there.
void hide_libraries(bool hidden);
bool libraries_are_hidden();

}  // namespace cuda_emulation
