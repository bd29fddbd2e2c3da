#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/dtype.hpp>
#include <tessera/export.hpp>
#include <tessera/layout.hpp>
#include <tessera/registry.hpp>
#include <tessera/scalar.hpp>

namespace tessera {

class Buffer;
struct ArrayNode;

/// Read-only host access to an array's own memory, where the device's memory is the host's. The array
/// and its bytes live as long as the view does, and are not written in place meanwhile.
template <class T>
class HostView;

/// An n-dimensional array: a cheap handle (copying it copies no data) on an immutable value.
/// Operations return new arrays; views share memory with what they were taken from.
class TESSERA_API Array {
 public:
  /// No array: everything but assignment and `valid` throws ValueError.
  Array() = default;
  Array(const Array& other) noexcept;
  Array(Array&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Array& operator=(Array other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Array();

  bool valid() const { return node_ != nullptr; }

  const Shape& shape() const;
  /// The extent of a dimension; negative ones count from the end.
  std::int64_t shape(int axis) const;
  int ndim() const;
  std::int64_t size() const;
  DType dtype() const;
  Device device() const;
  /// size() * itemsize(dtype()), whatever the layout.
  std::int64_t nbytes() const;
  /// In elements; 0 where broadcast, negative where flipped.
  const Strides& strides() const;
  const Layout& layout() const;
  bool is_contiguous() const;

  /// The one element of an array of size 1. Waits for the device. T may be any number type; the value
  /// must survive the conversion in kind: bool, integers and floats each to their own or to a float.
  template <class T>
  T item() const;
  Scalar item() const;

  /// The elements in row-major order. Waits for the device. T must be the array's dtype.
  template <class T>
  std::vector<T> to_host() const;
  /// The same into memory of the caller's, exactly size() elements.
  template <class T>
  void to_host(std::span<T> target) const;
  void to_host(void* target, DType dtype, std::int64_t count) const;

  /// Throws NotSupportedError where the device's memory is not the host's.
  template <class T>
  HostView<T> host_view() const;

  /// For core, devices' tests and adapters.
  const ArrayNode& node() const;
  explicit Array(ArrayNode* owned) noexcept : node_(owned) {}
  /// Whether this handle is the only one on its node and its buffer.
  bool sole_owner() const;

 private:
  friend class HostAccess;
  const void* host_data(DType dtype) const;

  ArrayNode* node_ = nullptr;
};

/// An operand of an operation: an array, or a number that takes the array's dtype.
class Operand {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor)
  Operand(Array array) : array_(std::move(array)), is_scalar_(false) {}
  template <class T>
  requires std::is_arithmetic_v<T> Operand(T value)  // NOLINT(google-explicit-constructor)
      : scalar_(value) {}
  Operand(Scalar value) : scalar_(value) {}  // NOLINT(google-explicit-constructor)

  /// A handle on no array is no number, either: what reads it throws.
  bool is_scalar() const { return is_scalar_; }
  Array& array() { return array_; }
  const Array& array() const { return array_; }
  const Scalar& scalar() const { return scalar_; }

 private:
  Array array_;
  Scalar scalar_;
  bool is_scalar_ = true;
};

template <class T>
class HostView {
 public:
  HostView(Array array, const T* data) : array_(std::move(array)), data_(data) {}
  /// The first element; the others follow `strides()`.
  const T* data() const { return data_; }
  const Shape& shape() const { return array_.shape(); }
  const Strides& strides() const { return array_.strides(); }
  std::int64_t size() const { return array_.size(); }
  /// All elements, for a contiguous array (throws ValueError for any other).
  std::span<const T> span() const;

 private:
  Array array_;
  const T* data_;
};

struct ArrayOptions {
  Device device = default_device();
};

/// A copy of host values, `shape` in row-major order. Of bool any byte but 0 is true.
TESSERA_API Array from_host(const void* data, DType dtype, const Shape& shape, const Device& device);
template <class T>
Array from_host(std::span<const T> values, const Shape& shape, const ArrayOptions& options = {});
template <class T>
Array from_host(const std::vector<T>& values, const Shape& shape, const ArrayOptions& options = {});

/// Host memory as it is, without a copy, on a device whose memory is the host's (a copy elsewhere). Never
/// written; `owner` is let go when the last array on it is. Throws ShapeError where the layout reaches
/// outside of `bytes`. The bytes of bool must be 0 and 1: they are not looked at.
TESSERA_API Array borrow_host(const void* data, DType dtype, const Layout& layout, std::size_t bytes,
                              std::shared_ptr<const void> owner, const Device& device);

/// A 0-d, 1-d or 2-d array of the values.
template <class T>
requires std::is_arithmetic_v<T> Array asarray(T value, const ArrayOptions& options = {});
template <class T>
requires std::is_arithmetic_v<T> Array asarray(std::initializer_list<T> values,
                                               const ArrayOptions& options = {});
template <class T>
requires std::is_arithmetic_v<T> Array asarray(std::initializer_list<std::initializer_list<T>> rows,
                                               const ArrayOptions& options = {});

/// The same values on another device: waits for the source's queue, then enters the target's. The array
/// itself if it is there.
TESSERA_API Array to_device(const Array& x, const Device& device);

/// NumPy's rendering: `str(x)`, and `repr`-like with dtype and device.
TESSERA_API std::string to_string(const Array& x);
TESSERA_API std::ostream& operator<<(std::ostream& stream, const Array& x);

[[noreturn]] TESSERA_API void throw_item(const Scalar& value, DType wanted);

// ---- templates

template <class T>
T Array::item() const {
  const Scalar value = item();
  if constexpr (std::is_same_v<T, Scalar>) {
    return value;
  } else {
    bool fits = true;
    if constexpr (std::is_same_v<T, bool>) {
      fits = value.is_bool();
    } else if constexpr (std::is_integral_v<T>) {
      fits = value.type() == Scalar::Type::unsigned_integer ? std::in_range<T>(value.to<std::uint64_t>())
             : value.type() == Scalar::Type::integer        ? std::in_range<T>(value.to<std::int64_t>())
                                                            : false;
    }
    if (!fits) throw_item(value, dtype_of<T>());
    return value.to<T>();
  }
}

template <class T>
std::vector<T> Array::to_host() const {
  static_assert(!std::is_same_v<T, bool>, "use to_host<std::uint8_t>() for a bool array");
  std::vector<T> values(static_cast<std::size_t>(size()));
  to_host(values.data(), dtype_of<T>(), static_cast<std::int64_t>(values.size()));
  return values;
}

template <class T>
void Array::to_host(std::span<T> target) const {
  to_host(target.data(), dtype_of<T>(), static_cast<std::int64_t>(target.size()));
}

template <class T>
HostView<T> Array::host_view() const {
  return HostView<T>(*this, static_cast<const T*>(host_data(dtype_of<T>())));
}

TESSERA_API void require_contiguous(const Array& x, const char* operation);

template <class T>
std::span<const T> HostView<T>::span() const {
  require_contiguous(array_, "host_view");
  return {data_, static_cast<std::size_t>(array_.size())};
}

TESSERA_API void require_count(std::size_t have, const Shape& shape, const char* operation);

template <class T>
Array from_host(std::span<const T> values, const Shape& shape, const ArrayOptions& options) {
  require_count(values.size(), shape, "from_host");
  return from_host(values.data(), dtype_of<T>(), shape, options.device);
}
template <class T>
Array from_host(const std::vector<T>& values, const Shape& shape, const ArrayOptions& options) {
  return from_host(std::span<const T>(values), shape, options);
}

template <class T>
requires std::is_arithmetic_v<T> Array asarray(T value, const ArrayOptions& options) {
  return from_host(&value, dtype_of<T>(), {}, options.device);
}
template <class T>
requires std::is_arithmetic_v<T> Array asarray(std::initializer_list<T> values, const ArrayOptions& options) {
  return from_host(values.begin(), dtype_of<T>(), {static_cast<std::int64_t>(values.size())}, options.device);
}
template <class T>
requires std::is_arithmetic_v<T> Array asarray(std::initializer_list<std::initializer_list<T>> rows,
                                               const ArrayOptions& options) {
  const std::size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  std::unique_ptr<T[]> values(new T[rows.size() * columns + 1]);
  T* next = values.get();
  for (const auto& row : rows) {
    require_count(row.size(), {static_cast<std::int64_t>(columns)}, "asarray");
    next = std::copy(row.begin(), row.end(), next);
  }
  return from_host(values.get(), dtype_of<T>(),
                   {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns)},
                   options.device);
}

}  // namespace tessera
