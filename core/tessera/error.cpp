#include <tessera/error.hpp>

namespace tessera {

// Key functions: they keep each type's vtable and typeinfo in the core library.
Error::~Error() = default;
ShapeError::~ShapeError() = default;
DTypeError::~DTypeError() = default;
DeviceError::~DeviceError() = default;
IndexError::~IndexError() = default;
ValueError::~ValueError() = default;
NotSupportedError::~NotSupportedError() = default;
OutOfMemoryError::~OutOfMemoryError() = default;
ModuleError::~ModuleError() = default;
TraceError::~TraceError() = default;
IOError::~IOError() = default;

}  // namespace tessera
