#pragma once

// Arrays that tests run on: values on the host, made from a number, and ways to lay them out on a device.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <tessera/array.hpp>

namespace tessera::test {

/// Values in row-major order, on the host, without a device's help.
struct HostArray {
  DType dtype{};
  Shape shape;
  std::vector<std::byte> bytes;

  HostArray() = default;
  /// Zeros.
  HostArray(DType type, const Shape& extents);
  template <class T>
  HostArray(const std::vector<T>& values, const Shape& extents) : HostArray(dtype_of<T>(), extents) {
    require_bytes(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  }

  std::int64_t size() const { return element_count(shape); }
  template <class T>
  T at(std::int64_t i) const {
    T value;
    std::memcpy(&value, bytes.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  void set(std::int64_t i, T value) {
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
  }
  const std::byte* element(std::int64_t i) const {
    return bytes.data() + static_cast<std::size_t>(i) * itemsize(dtype);
  }

 private:
  void require_bytes(std::size_t count) const;
};

/// Downloads. The array may have any layout.
HostArray to_host_array(const Array& x);
/// Uploads, row-major.
Array upload(const HostArray& x, const Device& device);

inline constexpr std::array<DType, kDTypeCount> kAllDTypes = {bool_,  int8,   int16,  int32,   int64,  uint8,
                                                              uint16, uint32, uint64, float32, float64};

// ---- values

enum class Values : std::uint8_t {
  plain,     ///< moderate numbers of both signs: sums and products stay far from overflow
  special,   ///< NaN, infinities, both zeros, subnormals, the ends of the type's range, ties of rounding
  few,       ///< 0, 1, 2 (and -1 where signed): many ties
  positive,  ///< 0.5 to 2, or 1 to 3 for integers
  near_one,  ///< 0.99 to 1.01, or -1 and 1 (1 where unsigned): products of many stay finite
};
const char* name(Values values);

/// The same values for the same arguments, everywhere.
HostArray make_values(DType dtype, const Shape& shape, Values values, std::uint64_t seed = 1);
/// int64 positions in [-length, length), all in bounds.
HostArray make_indices(const Shape& shape, std::int64_t length, std::uint64_t seed = 1);

/// A generator of 64-bit numbers (splitmix64), for values of a test's own.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  /// In [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high);

 private:
  std::uint64_t state_;
};

// ---- layouts

enum class LayoutKind : std::uint8_t {
  contiguous,
  offset,      ///< contiguous, one element into its buffer: not aligned to a vector
  transposed,  ///< column-major
  swapped,     ///< the last two axes lie in memory in the other order
  sliced,      ///< the middle of a larger array
  stepped,     ///< every second element of a larger array
  negative,    ///< backwards along every axis
  broadcast,   ///< stride 0 along the first axis
};
inline constexpr std::array<LayoutKind, 8> kAllLayouts = {
    LayoutKind::contiguous, LayoutKind::offset,  LayoutKind::transposed, LayoutKind::swapped,
    LayoutKind::sliced,     LayoutKind::stepped, LayoutKind::negative,   LayoutKind::broadcast};
const char* name(LayoutKind kind);

/// Values that the layout can hold: for `broadcast` the first row again and again, else as they are.
HostArray suited(HostArray values, LayoutKind kind);

/// The values on a device, laid out so, by the public API. Elements around them hold values that would show
/// in a result. For `broadcast`, pass suited values.
Array place(const HostArray& values, LayoutKind kind, const Device& device);

/// The same for a kernel's caller: a layout over a buffer of `elements` elements.
struct Placement {
  Layout layout;
  std::int64_t elements = 0;
};
Placement placement(const Shape& shape, LayoutKind kind);

/// Calls f(row-major position, position in the buffer) for each element of a layout.
template <class F>
void for_each_element(const Layout& layout, F&& f) {
  const std::int64_t count = layout.size();
  Dims at = Dims::filled(layout.rank(), 0);
  std::int64_t position = layout.offset;
  for (std::int64_t i = 0; i < count; ++i) {
    f(i, position);
    for (int axis = layout.rank() - 1; axis >= 0; --axis) {
      position += layout.strides[axis];
      if (++at[axis] < layout.shape[axis]) break;
      position -= at[axis] * layout.strides[axis];
      at[axis] = 0;
    }
  }
}

}  // namespace tessera::test
