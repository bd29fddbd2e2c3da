#pragma once

namespace tessera {

/// Internal to core: what current_operation() says on this thread from now on.
void set_current_operation(const char* operation);

}  // namespace tessera
