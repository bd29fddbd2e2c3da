#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <tessera/export.hpp>

namespace tessera {

/// The most dimensions that an array can have.
inline constexpr int kMaxRank = 16;

/// A short list of 64-bit integers, one for each dimension, held in place.
class Dims {
 public:
  using value_type = std::int64_t;

  Dims() = default;
  Dims(std::initializer_list<std::int64_t> values)
      : Dims(std::span<const std::int64_t>(values.begin(), values.size())) {}
  Dims(const std::vector<std::int64_t>& values)  // NOLINT(google-explicit-constructor)
      : Dims(std::span<const std::int64_t>(values)) {}
  explicit Dims(std::span<const std::int64_t> values) {
    check_rank(values.size());
    size_ = static_cast<int>(values.size());
    std::copy_n(values.begin(), size_, values_);
  }
  Dims(const Dims& other) : size_(other.size_) { std::copy_n(other.values_, size_, values_); }
  Dims& operator=(const Dims& other) {
    size_ = other.size_;
    std::copy_n(other.values_, size_, values_);
    return *this;
  }
  ~Dims() = default;

  /// `count` times `value`.
  static Dims filled(int count, std::int64_t value) {
    Dims dims;
    check_rank(static_cast<std::size_t>(count));
    dims.size_ = count;
    std::fill_n(dims.values_, count, value);
    return dims;
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Not checked: i must be in 0 .. size() - 1, and `back` needs a dimension. Array::shape(axis) checks.
  std::int64_t operator[](int i) const { return values_[i]; }
  std::int64_t& operator[](int i) { return values_[i]; }
  std::int64_t back() const { return values_[size_ - 1]; }
  const std::int64_t* begin() const { return values_; }
  const std::int64_t* end() const { return values_ + size_; }
  std::int64_t* begin() { return values_; }
  std::int64_t* end() { return values_ + size_; }

  void push_back(std::int64_t value) {
    check_rank(static_cast<std::size_t>(size_) + 1);
    values_[size_++] = value;
  }
  void insert(int at, std::int64_t value) {
    push_back(0);
    std::copy_backward(values_ + at, values_ + size_ - 1, values_ + size_);
    values_[at] = value;
  }
  void erase(int at) {
    std::copy(values_ + at + 1, values_ + size_, values_ + at);
    --size_;
  }
  void clear() { size_ = 0; }
  /// Keeps the first `count`.
  void truncate(int count) { size_ = count; }

  friend bool operator==(const Dims& a, const Dims& b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  static void check_rank(std::size_t rank) {
    if (rank > static_cast<std::size_t>(kMaxRank)) fail_rank(rank);
  }
  [[noreturn]] TESSERA_API static void fail_rank(std::size_t rank);

  std::int64_t values_[kMaxRank];
  int size_ = 0;
};

using Shape = Dims;    ///< extents, each >= 0
using Strides = Dims;  ///< steps between neighbours, in elements; may be 0 or negative

/// The number of elements. Throws ShapeError past 2^63 - 1.
TESSERA_API std::int64_t element_count(const Shape& shape);

/// The strides of a row-major (C order) array of that shape.
TESSERA_API Strides row_major_strides(const Shape& shape);

/// The shape that two shapes broadcast to. Throws ShapeError naming `operation`.
TESSERA_API Shape broadcast_shapes(const char* operation, const Shape& a, const Shape& b);

/// An axis counted from the end where negative. Throws IndexError naming `operation`.
TESSERA_API int normalize_axis(const char* operation, int axis, int rank);

/// "(3, 4)", "(3,)", "()".
TESSERA_API std::string to_string(const Dims& dims);

}  // namespace tessera
