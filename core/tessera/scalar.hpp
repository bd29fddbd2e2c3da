#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include <tessera/dtype.hpp>
#include <tessera/export.hpp>

namespace tessera {

/// A number without an array's dtype: the C++ face of Python's bool, int and
/// float. In an operation with an array it is weak: it takes the array's dtype.
class Scalar {
 public:
  enum class Type : std::uint8_t { boolean, integer, unsigned_integer, floating };

  constexpr Scalar() : Scalar(0) {}

  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr Scalar(T value) {  // NOLINT(google-explicit-constructor): numbers are scalars
    if constexpr (std::is_same_v<T, bool>) {
      type_ = Type::boolean;
      int_ = value ? 1 : 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      type_ = Type::floating;
      float_ = static_cast<double>(value);
    } else if constexpr (std::is_signed_v<T>) {
      type_ = Type::integer;
      int_ = static_cast<std::int64_t>(value);
    } else {
      type_ = Type::unsigned_integer;
      int_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
    }
  }

  constexpr Type type() const { return type_; }
  constexpr bool is_floating() const { return type_ == Type::floating; }
  constexpr bool is_bool() const { return type_ == Type::boolean; }

  /// The value as T by C++'s conversions, except that floats go to integers by
  /// the library's rule (truncate, saturate, NaN gives 0).
  template <class T>
  constexpr T to() const;

  /// The dtype that the scalar has alone: bool, int64, uint64 (only for values
  /// past int64) or float64.
  TESSERA_API DType default_dtype() const;

  /// "3", "0.5", "true".
  TESSERA_API std::string to_string() const;

 private:
  Type type_{Type::integer};
  union {
    std::int64_t int_;
    double float_;
  };
};

/// Converts a float to an integer type: truncates, saturates, NaN gives 0.
/// The one rule for casts on every device.
template <std::integral To, std::floating_point From>
constexpr To saturate_cast(From value) {
  if (value != value) return To{0};
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else {
    // Both bounds are powers of two, hence exact in From.
    constexpr int bits = static_cast<int>(sizeof(To) * 8) - (std::is_signed_v<To> ? 1 : 0);
    constexpr From upper = static_cast<From>(std::uint64_t{1} << (bits - 1)) * static_cast<From>(2);
    if (value >= upper) return static_cast<To>(~To{0} & static_cast<To>(~std::uint64_t{0} >> (64 - bits)));
    if constexpr (std::is_signed_v<To>) {
      if (value < -upper) return static_cast<To>(std::uint64_t{1} << bits);
    } else {
      if (value <= From{-1}) return To{0};
    }
    return static_cast<To>(value);
  }
}

/// Any element to any other: the conversion of `astype`.
template <class To, class From>
constexpr To convert(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};  // NaN is true, as in Python
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return saturate_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class T>
constexpr T Scalar::to() const {
  if (type_ == Type::floating) return convert<T>(float_);
  if (type_ == Type::unsigned_integer) return convert<T>(static_cast<std::uint64_t>(int_));
  return convert<T>(int_);
}

}  // namespace tessera
