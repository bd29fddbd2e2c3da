#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <tessera/export.hpp>

namespace tessera {

/// Element types of arrays, by the Array API's names. The order is the order
/// of the promotion tables. New storage types (float16, bfloat16) go at the end.
enum class DType : std::uint8_t {
  bool_,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
};

inline constexpr int kDTypeCount = 11;

using enum DType;

/// Groups of dtypes, as the Array API names them.
enum class Kind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating };

constexpr Kind kind(DType dtype) {
  if (dtype == DType::bool_) return Kind::boolean;
  if (dtype <= DType::int64) return Kind::signed_integer;
  if (dtype <= DType::uint64) return Kind::unsigned_integer;
  return Kind::floating;
}

constexpr bool is_bool(DType dtype) {
  return kind(dtype) == Kind::boolean;
}
constexpr bool is_signed_integer(DType dtype) {
  return kind(dtype) == Kind::signed_integer;
}
constexpr bool is_unsigned_integer(DType dtype) {
  return kind(dtype) == Kind::unsigned_integer;
}
constexpr bool is_integer(DType dtype) {
  return is_signed_integer(dtype) || is_unsigned_integer(dtype);
}
constexpr bool is_floating(DType dtype) {
  return kind(dtype) == Kind::floating;
}
constexpr bool is_numeric(DType dtype) {
  return !is_bool(dtype);
}

/// Bytes of one element.
constexpr std::size_t itemsize(DType dtype) {
  constexpr std::size_t sizes[kDTypeCount] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
  return sizes[static_cast<int>(dtype)];
}

/// "float32", "bool", ...
TESSERA_API std::string_view name(DType dtype);

/// The dtype that a name stands for. Throws DTypeError for an unknown name.
TESSERA_API DType dtype_from_name(std::string_view name);

/// The dtype of an operation on two arrays, by the Array API's tables.
/// Throws DTypeError where the standard leaves the mix undefined: an integer
/// with a float, a bool with a number, uint64 with a signed integer.
TESSERA_API DType result_type(DType a, DType b);

/// Whether the pair promotes at all (result_type would not throw).
TESSERA_API bool can_promote(DType a, DType b);

/// The DType of a C++ type; a compile-time error for any other type.
template <class T>
constexpr DType dtype_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>) {
    return DType::bool_;
  } else if constexpr (std::is_same_v<U, float>) {
    return DType::float32;
  } else if constexpr (std::is_same_v<U, double>) {
    return DType::float64;
  } else {
    static_assert(std::is_integral_v<U> && sizeof(U) <= 8, "no Tessera dtype for this type");
    constexpr bool is_signed = std::is_signed_v<U>;
    if constexpr (sizeof(U) == 1) return is_signed ? DType::int8 : DType::uint8;
    if constexpr (sizeof(U) == 2) return is_signed ? DType::int16 : DType::uint16;
    if constexpr (sizeof(U) == 4) return is_signed ? DType::int32 : DType::uint32;
    return is_signed ? DType::int64 : DType::uint64;
  }
}

/// Calls `f(T{})` with the C++ type of `dtype` (bool for DType::bool_).
template <class F>
decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::bool_: return f(bool{});
    case DType::int8: return f(std::int8_t{});
    case DType::int16: return f(std::int16_t{});
    case DType::int32: return f(std::int32_t{});
    case DType::int64: return f(std::int64_t{});
    case DType::uint8: return f(std::uint8_t{});
    case DType::uint16: return f(std::uint16_t{});
    case DType::uint32: return f(std::uint32_t{});
    case DType::uint64: return f(std::uint64_t{});
    case DType::float32: return f(float{});
    case DType::float64: break;
  }
  return f(double{});
}

}  // namespace tessera
