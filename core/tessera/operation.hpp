#pragma once

#include <tessera/export.hpp>

namespace tessera {

/// What current_operation() says on this thread from now on: for core, and for devices that run a kernel on
/// threads of their own.
TESSERA_API void set_current_operation(const char* operation);

}  // namespace tessera
