#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/kernel_ops.hpp>

namespace tessera {

/// Python's start:stop:step. What is left out is as in Python.
struct Slice {
  std::optional<std::int64_t> start = {};
  std::optional<std::int64_t> stop = {};
  std::int64_t step = 1;
  friend bool operator==(const Slice&, const Slice&) = default;
};
inline Slice slice(std::optional<std::int64_t> start = {}, std::optional<std::int64_t> stop = {},
                   std::int64_t step = 1) {
  return {start, stop, step};
}
struct NewAxis {};
struct Ellipsis {};
inline constexpr NewAxis newaxis{};
inline constexpr Ellipsis ellipsis{};

/// One item of what Python's brackets take.
class Index {
 public:
  enum class Type : std::uint8_t { integer, slice, new_axis, dots };
  /// Any integer type; one past int64 is outside of any axis all the same. No bool: x[True] is no index.
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
      Index(T i)  // NOLINT(google-explicit-constructor)
      : type_(Type::integer),
        integer_(std::in_range<std::int64_t>(i) ? static_cast<std::int64_t>(i)
                                                : std::numeric_limits<std::int64_t>::max()) {}
  Index(Slice s) : type_(Type::slice), slice_(s) {}  // NOLINT(google-explicit-constructor)
  Index(NewAxis) : type_(Type::new_axis) {}          // NOLINT(google-explicit-constructor)
  Index(Ellipsis) : type_(Type::dots) {}             // NOLINT(google-explicit-constructor)
  Type type() const { return type_; }
  std::int64_t integer() const { return integer_; }
  const Slice& slice() const { return slice_; }
  friend bool operator==(const Index&, const Index&) = default;

 private:
  Type type_;
  std::int64_t integer_ = 0;
  Slice slice_;
};

/// What x[...] gives in Python: a view. `index(x, {slice(0, 10, 2), 3, newaxis, ellipsis})`.
/// Integers out of bounds are an IndexError; slices are clipped.
TESSERA_API Array index(const Array& x, std::initializer_list<Index> items);
TESSERA_API Array index(const Array& x, std::span<const Index> items);

struct TakeOptions {
  std::optional<int> axis = {};  ///< may be left out for a 1-d array
};
/// x's elements at `indices` (1-d, any integer dtype; negative ones count from the end) along an axis.
/// Out of bounds is an IndexError, on an asynchronous device at the next wait.
TESSERA_API Array take(const Array& x, const Array& indices, const TakeOptions& options = {});
struct TakeAlongOptions {
  int axis = -1;
};
/// out[..., c, ...] = x[..., indices[..., c, ...], ...]; indices broadcast against x but for the axis.
TESSERA_API Array take_along_axis(const Array& x, const Array& indices, const TakeAlongOptions& options = {});

struct ScatterOptions {
  int axis = 0;
};
// target with updates (indices.shape(0) of them along the axis) put in at `indices`: 1-d, any integer
// dtype, negative ones count from the end; out of bounds is an IndexError. Written in place where `target` is
// the sole owner. Updates broadcast to target's shape with indices' length along the axis. Results are the
// same bits each run.
/// Duplicates accumulate. target may be float64 for float32 updates; a float32 target accumulates in float64
/// and rounds once.
TESSERA_API Array scatter_add(Array target, const Array& indices, Operand updates,
                              const ScatterOptions& options = {});
/// Of duplicates the highest position wins.
TESSERA_API Array scatter_set(Array target, const Array& indices, Operand updates,
                              const ScatterOptions& options = {});
TESSERA_API Array scatter_min(Array target, const Array& indices, Operand updates,
                              const ScatterOptions& options = {});
TESSERA_API Array scatter_max(Array target, const Array& indices, Operand updates,
                              const ScatterOptions& options = {});

/// The positions of nonzero elements, an int64 array a dimension, in row-major order. Waits for the device.
TESSERA_API std::vector<Array> nonzero(const Array& x);

struct OneHotOptions {
  DType dtype = DType::float32;
};
/// indices.shape + (n_classes,): 1 at the index, 0 elsewhere (everywhere where the index is outside).
TESSERA_API Array one_hot(const Array& indices, std::int64_t n_classes, const OneHotOptions& options = {});

}  // namespace tessera
