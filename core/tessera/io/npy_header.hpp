#pragma once

// Internal to core: what stands before the data of a .npy file (NEP 1 of NumPy).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tessera/dtype.hpp>
#include <tessera/shape.hpp>

namespace tessera::npy {

/// Magic string and version; a length of 2 bytes (version 1) or 4 (versions 2 and 3) follows.
inline constexpr std::size_t kPreambleBytes = 8;
inline constexpr std::string_view kMagic("\x93NUMPY", 6);

struct Header {
  DType dtype = DType::float32;
  bool swapped = false;  ///< the file has the other byte order
  bool fortran_order = false;
  Shape shape;
};

/// Bytes of the length field for a preamble. Throws IOError naming `path` for anything but version 1 to 3.
std::size_t length_field_bytes(const std::string& path, std::string_view preamble);

/// The length field's value (little-endian).
std::size_t decode_length(std::string_view field);

/// The dictionary after the length. Throws IOError naming `path` and what is wrong.
Header parse_header(const std::string& path, std::string_view text);

/// Everything before the data, padded to a multiple of 64 bytes: version 1.0, C order, little-endian.
std::string make_header(DType dtype, const Shape& shape);

}  // namespace tessera::npy
