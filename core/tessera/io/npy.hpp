#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tessera/array.hpp>

namespace tessera {

struct LoadOptions {
  Device device = default_device();
  /// Maps the file instead of reading it, on a device whose memory is the host's: pages come in as they are
  /// read. A file that must be changed to be understood (big-endian, bool) is read all the same. Do not
  /// shorten the file while the array lives.
  bool memory_map = false;
};

/// A .npy file, version 1 to 3, any of the dtypes, C or Fortran order (which gives a transposed view), either
/// byte order. Throws IOError naming the file and what is wrong with it; bytes after the array are wrong,
/// too.
TESSERA_API Array load_npy(const std::string& path, const LoadOptions& options = {});

/// Writes x as .npy version 1.0, C order, little-endian: to a temporary beside it first, then renamed, so
/// that no half-written file is left behind. Throws IOError naming the file and the reason.
TESSERA_API void save_npy(const std::string& path, const Array& x);

/// A .npy file written a piece at a time: rows are appended along axis 0.
class TESSERA_API NpyWriter {
 public:
  /// `shape[0]` rows in all must be appended before close; without it the file does not appear.
  NpyWriter(const std::string& path, DType dtype, const Shape& shape);
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;
  ~NpyWriter();
  /// Throws IOError if they could not be written; nothing can be appended to such a file any more.
  void append(const Array& rows);
  /// Throws ValueError if rows are missing, IOError if the file could not be written.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
