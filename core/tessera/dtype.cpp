#include <tessera/dtype.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <tessera/error.hpp>

namespace tessera {
namespace {

constexpr std::array<std::string_view, kDTypeCount> kNames = {
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"};

DType integer_of(bool is_signed, std::size_t bytes) {
  switch (bytes) {
    case 1: return is_signed ? DType::int8 : DType::uint8;
    case 2: return is_signed ? DType::int16 : DType::uint16;
    case 4: return is_signed ? DType::int32 : DType::uint32;
    default: return is_signed ? DType::int64 : DType::uint64;
  }
}

std::string_view promotion_hint(DType a, DType b) {
  if (is_floating(a) != is_floating(b)) return "cast one with astype, as in astype(x, float64)";
  if (is_bool(a) != is_bool(b)) return "cast the bool array with astype";
  return "no integer dtype holds both; cast one with astype";
}

}  // namespace

std::string_view name(DType dtype) {
  return kNames[static_cast<std::size_t>(dtype)];
}

DType dtype_from_name(std::string_view wanted) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), wanted);
  if (found == kNames.end()) {
    throw DTypeError(
        fmt::format("[dtype] unknown dtype \"{}\"; expected one of {}", wanted, fmt::join(kNames, ", ")));
  }
  return static_cast<DType>(found - kNames.begin());
}

bool can_promote(DType a, DType b) {
  if (a == b) return true;
  if (is_bool(a) || is_bool(b) || is_floating(a) != is_floating(b)) return false;
  if (is_floating(a) || is_signed_integer(a) == is_signed_integer(b)) return true;
  return (is_unsigned_integer(a) ? a : b) != DType::uint64;
}

DType result_type(DType a, DType b) {
  if (a == b) return a;
  if (!can_promote(a, b)) {
    throw DTypeError(fmt::format("[result_type] {} and {} do not promote to a common dtype; {}", name(a),
                                 name(b), promotion_hint(a, b)));
  }
  if (is_floating(a)) return DType::float64;  // the two differ, so one is float64
  if (is_signed_integer(a) == is_signed_integer(b)) return itemsize(a) > itemsize(b) ? a : b;
  const DType signed_one = is_signed_integer(a) ? a : b;
  const DType unsigned_one = is_signed_integer(a) ? b : a;
  return integer_of(true, std::max(itemsize(signed_one), 2 * itemsize(unsigned_one)));
}

}  // namespace tessera
