#pragma once

// What one element becomes under the operations of kernel_ops.hpp, without undefined behaviour for any
// value. All devices share these definitions: `reference` and `cuda` apply them to every element,
// a device with vector kernels to its tails and to the types that it has no vectors for.
// Call them only for dtypes that the operation accepts (`takes`).

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <tessera/dtype.hpp>
#include <tessera/kernel_ops.hpp>

namespace tessera::element {

// ---- the tables at compile time

constexpr bool takes(Accepts what, DType dtype) {
  switch (what) {
    case Accepts::any: return true;
    case Accepts::numeric: return is_numeric(dtype);
    case Accepts::signed_numeric: return is_signed_integer(dtype) || tessera::is_floating(dtype);
    case Accepts::floating: return tessera::is_floating(dtype);
    case Accepts::integer: return is_integer(dtype);
    case Accepts::integer_or_bool: return is_integer(dtype) || is_bool(dtype);
    case Accepts::boolean: break;
  }
  return is_bool(dtype);
}

#define TESSERA_TAKES(name, accepts, gives) \
  if (op == Op::name) return takes(Accepts::accepts, dtype);

#define TESSERA_GIVES(name, accepts, gives) \
  if (op == Op::name) return Gives::gives == Gives::boolean;

#define TESSERA_VISIT(name, accepts, gives) \
  if (op == Op::name) return f(std::integral_constant<Op, Op::name>{});

constexpr bool takes(UnaryOp op, DType dtype) {
  using Op = UnaryOp;
  TESSERA_UNARY_OPS(TESSERA_TAKES)
  return false;
}
constexpr bool takes(BinaryOp op, DType dtype) {
  using Op = BinaryOp;
  TESSERA_BINARY_OPS(TESSERA_TAKES)
  return false;
}
constexpr bool gives_bool(UnaryOp op) {
  using Op = UnaryOp;
  TESSERA_UNARY_OPS(TESSERA_GIVES)
  return false;
}
constexpr bool gives_bool(BinaryOp op) {
  using Op = BinaryOp;
  TESSERA_BINARY_OPS(TESSERA_GIVES)
  return false;
}

/// Calls `f(std::integral_constant<UnaryOp, op>{})`: the operation as a template argument.
template <class F>
constexpr decltype(auto) visit(UnaryOp op, F&& f) {
  using Op = UnaryOp;
  TESSERA_UNARY_OPS(TESSERA_VISIT)
  __builtin_unreachable();
}
template <class F>
constexpr decltype(auto) visit(BinaryOp op, F&& f) {
  using Op = BinaryOp;
  TESSERA_BINARY_OPS(TESSERA_VISIT)
  __builtin_unreachable();
}

#undef TESSERA_TAKES
#undef TESSERA_GIVES
#undef TESSERA_VISIT

// ---- integers that wrap

/// The unsigned type that integer arithmetic on T wraps in; at least 32 bits wide, so that nothing is
/// promoted to int.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
constexpr Wrapping<T> wrapping(T value) {
  return static_cast<Wrapping<T>>(value);
}

template <class T>
constexpr bool is_nan(T value) {
  return value != value;
}

template <class T>
constexpr T add(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return static_cast<T>(wrapping(a) + wrapping(b));
}

template <class T>
constexpr T subtract(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a - b;
  else
    return static_cast<T>(wrapping(a) - wrapping(b));
}

template <class T>
constexpr T multiply(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return static_cast<T>(wrapping(a) * wrapping(b));
}

template <class T>
constexpr T negative(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return -x;
  else
    return static_cast<T>(Wrapping<T>{0} - wrapping(x));
}

// ---- division toward minus infinity

/// As Python's x // y. x // 0 is 0 for integers, x / 0 for floats.
template <class T>
constexpr T floor_divide(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (b == T{0}) return a / b;
    const T rest = std::fmod(a, b);
    T quotient = (a - rest) / b;
    if (rest != T{0} && (b < T{0}) != (rest < T{0})) quotient -= T{1};
    if (quotient == T{0}) return std::copysign(T{0}, a / b);
    // (a - rest) / b is an integer but for its rounding.
    const T down = std::floor(quotient);
    return quotient - down > T{0.5} ? down + T{1} : down;
  } else {
    if (b == T{0}) return T{0};
    if constexpr (std::is_signed_v<T>) {
      if (b == T{-1}) return negative(a);  // the lowest value / -1 wraps
      const bool round_down = a % b != 0 && (a < 0) != (b < 0);
      return static_cast<T>(a / b - (round_down ? 1 : 0));
    } else {
      return static_cast<T>(a / b);
    }
  }
}

/// As Python's x % y: the divisor's sign. x % 0 is 0 for integers, NaN for floats.
template <class T>
constexpr T remainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(a, b);
    if (is_nan(rest)) return rest;
    if (rest == T{0}) return std::copysign(T{0}, b);
    return (b < T{0}) != (rest < T{0}) ? rest + b : rest;
  } else {
    if (b == T{0}) return T{0};
    if constexpr (std::is_signed_v<T>) {
      if (b == T{-1}) return T{0};
      const T rest = static_cast<T>(a % b);
      return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
    } else {
      return static_cast<T>(a % b);
    }
  }
}

// ---- powers and shifts

/// Integers wrap; a negative exponent gives 0, but for the bases 1 and -1.
template <class T>
constexpr T power(T base, T exponent) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(base, exponent);
  } else {
    if constexpr (std::is_signed_v<T>) {
      if (exponent < 0) {
        if (base == T{1}) return T{1};
        if (base == T{-1}) return exponent % 2 == 0 ? T{1} : T{-1};
        return T{0};
      }
    }
    Wrapping<T> result = 1;
    Wrapping<T> square = wrapping(base);
    for (auto rest = wrapping(exponent); rest != 0; rest >>= 1U) {
      if ((rest & 1U) != 0) result *= square;
      square *= square;
    }
    return static_cast<T>(result);
  }
}

template <class T>
inline constexpr int kBits = static_cast<int>(sizeof(T) * 8);

/// Whether `count` is a shift that leaves some of T's bits.
template <class T>
constexpr bool shifts_within(T count) {
  return count >= T{0} && static_cast<std::uint64_t>(count) < static_cast<std::uint64_t>(kBits<T>);
}

template <class T>
constexpr T left_shift(T x, T count) {
  return shifts_within(count) ? static_cast<T>(wrapping(x) << static_cast<unsigned>(count)) : T{0};
}

template <class T>
constexpr T right_shift(T x, T count) {
  if (shifts_within(count)) return static_cast<T>(x >> static_cast<unsigned>(count));
  return x < T{0} ? static_cast<T>(-1) : T{0};
}

// ---- order

/// The smaller; NaN if either is. Of equals the first, so minimum(-0.0, +0.0) is -0.0.
template <class T>
constexpr T minimum(T a, T b) {
  if (is_nan(a)) return a;
  return b < a || is_nan(b) ? b : a;
}

template <class T>
constexpr T maximum(T a, T b) {
  if (is_nan(a)) return a;
  return a < b || is_nan(b) ? b : a;
}

/// Whether an arg-reduction that holds `best` moves on to the later `candidate`: the first NaN wins, then the
/// lowest index.
template <class T>
constexpr bool takes_over(ArgReduceOp op, T candidate, T best) {
  if (is_nan(best)) return false;
  if (is_nan(candidate)) return true;
  return op == ArgReduceOp::argmin ? candidate < best : candidate > best;
}

/// The order of sorts and of searchsorted: NaN last in both directions.
template <class T>
constexpr bool sorts_before(bool descending, T a, T b) {
  if (is_nan(a)) return false;
  if (is_nan(b)) return true;
  return descending ? b < a : a < b;
}

// ---- one element of a unary or binary operation

template <UnaryOp op, class T>
using UnaryResult = std::conditional_t<gives_bool(op), bool, T>;
template <BinaryOp op, class T>
using BinaryResult = std::conditional_t<gives_bool(op), bool, T>;

template <UnaryOp op, class T>
constexpr UnaryResult<op, T> unary(T x) {
  constexpr bool is_float = std::is_floating_point_v<T>;
  if constexpr (op == UnaryOp::negative) {
    return negative(x);
  } else if constexpr (op == UnaryOp::abs) {
    if constexpr (is_float)
      return std::fabs(x);
    else
      return x < T{0} ? negative(x) : x;
  } else if constexpr (op == UnaryOp::square) {
    return multiply(x, x);
  } else if constexpr (op == UnaryOp::sign) {
    if (is_nan(x)) return x;
    return static_cast<T>(static_cast<int>(x > T{0}) - static_cast<int>(x < T{0}));
  } else if constexpr (op == UnaryOp::sqrt) {
    return std::sqrt(x);
  } else if constexpr (op == UnaryOp::exp) {
    return std::exp(x);
  } else if constexpr (op == UnaryOp::log) {
    return std::log(x);
  } else if constexpr (op == UnaryOp::floor) {
    if constexpr (is_float)
      return std::floor(x);
    else
      return x;
  } else if constexpr (op == UnaryOp::ceil) {
    if constexpr (is_float)
      return std::ceil(x);
    else
      return x;
  } else if constexpr (op == UnaryOp::round) {
    if constexpr (is_float)
      return std::nearbyint(x);  // half to even, the default rounding mode
    else
      return x;
  } else if constexpr (op == UnaryOp::trunc) {
    if constexpr (is_float)
      return std::trunc(x);
    else
      return x;
  } else if constexpr (op == UnaryOp::isnan) {
    return is_nan(x);
  } else if constexpr (op == UnaryOp::isinf) {
    if constexpr (is_float)
      return std::isinf(x);
    else
      return false;
  } else if constexpr (op == UnaryOp::isfinite) {
    if constexpr (is_float)
      return std::isfinite(x);
    else
      return true;
  } else if constexpr (op == UnaryOp::logical_not) {
    return !x;
  } else {
    static_assert(op == UnaryOp::bitwise_invert);
    if constexpr (std::is_same_v<T, bool>)
      return !x;
    else
      return static_cast<T>(~wrapping(x));
  }
}

template <BinaryOp op, class T>
constexpr BinaryResult<op, T> binary(T a, T b) {
  constexpr bool is_boolean = std::is_same_v<T, bool>;
  if constexpr (op == BinaryOp::add) {
    return add(a, b);
  } else if constexpr (op == BinaryOp::subtract) {
    return subtract(a, b);
  } else if constexpr (op == BinaryOp::multiply) {
    return multiply(a, b);
  } else if constexpr (op == BinaryOp::divide) {
    return a / b;
  } else if constexpr (op == BinaryOp::floor_divide) {
    return floor_divide(a, b);
  } else if constexpr (op == BinaryOp::remainder) {
    return remainder(a, b);
  } else if constexpr (op == BinaryOp::pow) {
    return power(a, b);
  } else if constexpr (op == BinaryOp::minimum) {
    return minimum(a, b);
  } else if constexpr (op == BinaryOp::maximum) {
    return maximum(a, b);
  } else if constexpr (op == BinaryOp::equal) {
    return a == b;
  } else if constexpr (op == BinaryOp::not_equal) {
    return a != b;
  } else if constexpr (op == BinaryOp::less) {
    return a < b;
  } else if constexpr (op == BinaryOp::less_equal) {
    return a <= b;
  } else if constexpr (op == BinaryOp::greater) {
    return a > b;
  } else if constexpr (op == BinaryOp::greater_equal) {
    return a >= b;
  } else if constexpr (op == BinaryOp::logical_and) {
    return a && b;
  } else if constexpr (op == BinaryOp::logical_or) {
    return a || b;
  } else if constexpr (op == BinaryOp::logical_xor) {
    return a != b;
  } else if constexpr (op == BinaryOp::bitwise_and) {
    if constexpr (is_boolean)
      return a && b;
    else
      return static_cast<T>(wrapping(a) & wrapping(b));
  } else if constexpr (op == BinaryOp::bitwise_or) {
    if constexpr (is_boolean)
      return a || b;
    else
      return static_cast<T>(wrapping(a) | wrapping(b));
  } else if constexpr (op == BinaryOp::bitwise_xor) {
    if constexpr (is_boolean)
      return a != b;
    else
      return static_cast<T>(wrapping(a) ^ wrapping(b));
  } else if constexpr (op == BinaryOp::bitwise_left_shift) {
    return left_shift(a, b);
  } else {
    static_assert(op == BinaryOp::bitwise_right_shift);
    return right_shift(a, b);
  }
}

// ---- indices

/// An index counted from the end where negative. The result is outside [0, length) where the index is.
constexpr std::int64_t from_front(std::int64_t index, std::int64_t length) {
  return index < 0 ? index + length : index;
}
constexpr bool in_bounds(std::int64_t index, std::int64_t length) {
  return index >= -length && index < length;
}

}  // namespace tessera::element
