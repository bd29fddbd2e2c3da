#pragma once

#include <stdexcept>
#include <string>

#include <tessera/export.hpp>

namespace tessera {

/// Base of everything that Tessera throws. `what()` reads
/// "[operation] what was wrong, with the shapes and dtypes seen; what to do".
/// The key functions live in the core library, so an exception thrown by a
/// device module is caught by type in a program that links only the core.
class TESSERA_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  ~Error() override;
};

/// Shapes that do not fit each other or the operation.
class TESSERA_API ShapeError : public Error {
 public:
  using Error::Error;
  ~ShapeError() override;
};

/// A dtype that the operation does not take, or a mix that does not promote.
class TESSERA_API DTypeError : public Error {
 public:
  using Error::Error;
  ~DTypeError() override;
};

/// Arrays on two devices, an unknown device, or a device that was lost.
class TESSERA_API DeviceError : public Error {
 public:
  using Error::Error;
  ~DeviceError() override;
};

/// An index, or the value of an index array, outside the axis.
class TESSERA_API IndexError : public Error {
 public:
  using Error::Error;
  ~IndexError() override;
};

/// An argument whose value is not allowed.
class TESSERA_API ValueError : public Error {
 public:
  using Error::Error;
  ~ValueError() override;
};

/// Something that a device does not implement.
class TESSERA_API NotSupportedError : public Error {
 public:
  using Error::Error;
  ~NotSupportedError() override;
};

/// An allocation that the device, or the limit set for it, refused.
class TESSERA_API OutOfMemoryError : public Error {
 public:
  using Error::Error;
  ~OutOfMemoryError() override;
};

/// A device module that is missing, broken, or built for another core.
class TESSERA_API ModuleError : public Error {
 public:
  using Error::Error;
  ~ModuleError() override;
};

/// A value that was read while a function was being traced.
class TESSERA_API TraceError : public Error {
 public:
  using Error::Error;
  ~TraceError() override;
};

/// A file that cannot be read or written, or that is malformed.
class TESSERA_API IOError : public Error {
 public:
  using Error::Error;
  ~IOError() override;
};

}  // namespace tessera
