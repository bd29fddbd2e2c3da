#pragma once

#include <cstdint>
#include <string_view>

#include <tessera/dtype.hpp>
#include <tessera/export.hpp>

// The operations that kernels take as an argument. Each list is a table: a row is
// X(name, accepted dtypes, dtype of the result). Adding an operation begins with a row here
// (docs/adding-an-operation.md).

namespace tessera {

/// The dtypes that a row accepts.
enum class Accepts : std::uint8_t {
  any,
  numeric,
  signed_numeric,
  floating,
  integer,
  integer_or_bool,
  boolean
};
/// The dtype of a row's result.
enum class Gives : std::uint8_t { same, boolean };

// abs of the lowest signed integer wraps; sign of NaN is NaN; round goes to even; sign, floor, ceil,
// trunc and round of integers are the identity (sign: -1, 0, 1); square and negative of integers wrap.
#define TESSERA_UNARY_OPS(X)       \
  X(negative, numeric, same)       \
  X(abs, numeric, same)            \
  X(square, numeric, same)         \
  X(sign, numeric, same)           \
  X(sqrt, floating, same)          \
  X(exp, floating, same)           \
  X(log, floating, same)           \
  X(floor, numeric, same)          \
  X(ceil, numeric, same)           \
  X(round, numeric, same)          \
  X(trunc, numeric, same)          \
  X(isnan, numeric, boolean)       \
  X(isinf, numeric, boolean)       \
  X(isfinite, numeric, boolean)    \
  X(logical_not, boolean, boolean) \
  X(bitwise_invert, integer_or_bool, same)

// Integer arithmetic wraps. Integer x // 0 and x % 0 give 0. floor_divide and remainder round toward
// minus infinity, as Python's (the remainder has the divisor's sign). minimum and maximum: a NaN in
// either operand gives NaN. Shifts by 0 to bits - 1; any other count gives 0 (right shift of a negative: -1).
// divide takes floats. pow of integers wraps; a negative exponent gives 0 (1 and -1 as in exact arithmetic).
#define TESSERA_BINARY_OPS(X)           \
  X(add, numeric, same)                 \
  X(subtract, numeric, same)            \
  X(multiply, numeric, same)            \
  X(divide, floating, same)             \
  X(floor_divide, numeric, same)        \
  X(remainder, numeric, same)           \
  X(pow, numeric, same)                 \
  X(minimum, numeric, same)             \
  X(maximum, numeric, same)             \
  X(equal, any, boolean)                \
  X(not_equal, any, boolean)            \
  X(less, numeric, boolean)             \
  X(less_equal, numeric, boolean)       \
  X(greater, numeric, boolean)          \
  X(greater_equal, numeric, boolean)    \
  X(logical_and, boolean, boolean)      \
  X(logical_or, boolean, boolean)       \
  X(logical_xor, boolean, boolean)      \
  X(bitwise_and, integer_or_bool, same) \
  X(bitwise_or, integer_or_bool, same)  \
  X(bitwise_xor, integer_or_bool, same) \
  X(bitwise_left_shift, integer, same)  \
  X(bitwise_right_shift, integer, same)

#define TESSERA_ENUMERATOR(name, accepts, gives) name,

enum class UnaryOp : std::uint8_t { TESSERA_UNARY_OPS(TESSERA_ENUMERATOR) };
enum class BinaryOp : std::uint8_t { TESSERA_BINARY_OPS(TESSERA_ENUMERATOR) };

#undef TESSERA_ENUMERATOR

/// sum and prod of x give: x's dtype for floats, int64 for signed integers and bool, uint64 for unsigned
/// ones; also float32 -> float64. min and max give x's dtype (numeric). any and all: bool -> bool.
enum class ReduceOp : std::uint8_t { sum, prod, min, max, any, all };
enum class ArgReduceOp : std::uint8_t { argmin, argmax };
/// Dtypes as for sum and prod.
enum class ScanOp : std::uint8_t { sum, prod };
/// min and max: a NaN in either gives NaN.
enum class ScatterOp : std::uint8_t { set, add, min, max };

/// What a product may round to. `tf32` allows a device to round float32 inputs to 10 bits of mantissa.
enum class Precision : std::uint8_t { ieee, tf32 };

inline constexpr int kUnaryOpCount = 16;
inline constexpr int kBinaryOpCount = 23;
inline constexpr int kReduceOpCount = 6;
inline constexpr int kArgReduceOpCount = 2;
inline constexpr int kScanOpCount = 2;
inline constexpr int kScatterOpCount = 4;

TESSERA_API std::string_view name(UnaryOp op);
TESSERA_API std::string_view name(BinaryOp op);
TESSERA_API std::string_view name(ReduceOp op);
TESSERA_API std::string_view name(ArgReduceOp op);
TESSERA_API std::string_view name(ScanOp op);
TESSERA_API std::string_view name(ScatterOp op);

/// What the tables say.
TESSERA_API Accepts accepts(UnaryOp op);
TESSERA_API Accepts accepts(BinaryOp op);
TESSERA_API Gives gives(UnaryOp op);
TESSERA_API Gives gives(BinaryOp op);
TESSERA_API bool accepted(Accepts accepts, DType dtype);
/// "a floating-point dtype", for messages.
TESSERA_API std::string_view describe(Accepts accepts);

/// The dtype of sum and prod where the caller names none.
constexpr DType accumulation_dtype(DType dtype) {
  if (is_floating(dtype)) return dtype;
  return is_unsigned_integer(dtype) ? DType::uint64 : DType::int64;
}

}  // namespace tessera
