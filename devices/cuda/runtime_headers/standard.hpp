#pragma once

// What the shared headers need of the standard library, for NVRTC, which has none. It stands for <cmath>,
// <cstdint>, <limits>, <type_traits> and the others that they include.

namespace std {

using size_t = decltype(sizeof(0));
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;

// Only named, in declarations of functions that kernels do not call.
class string;
class string_view;

// ---- types

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
};
template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;

template <class T>
struct remove_cv {
  using type = T;
};
template <class T>
struct remove_cv<const T> {
  using type = T;
};
template <class T>
struct remove_cv<volatile T> {
  using type = T;
};
template <class T>
struct remove_cv<const volatile T> {
  using type = T;
};
template <class T>
using remove_cv_t = typename remove_cv<T>::type;

template <bool condition, class A, class B>
struct conditional {
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool condition, class A, class B>
using conditional_t = typename conditional<condition, A, B>::type;

template <class T>
inline constexpr bool is_floating_point_v = is_same_v<T, float> || is_same_v<T, double>;
template <class T>
inline constexpr bool is_integral_v =
    is_same_v<T, bool> || is_same_v<T, char> || is_same_v<T, signed char> || is_same_v<T, unsigned char> ||
    is_same_v<T, short> || is_same_v<T, unsigned short> || is_same_v<T, int> || is_same_v<T, unsigned> ||
    is_same_v<T, long> || is_same_v<T, unsigned long> || is_same_v<T, long long> ||
    is_same_v<T, unsigned long long>;
template <class T>
inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T>
inline constexpr bool is_signed_v = is_arithmetic_v<T>&& T(-1) < T(0);
template <class T>
concept integral = is_integral_v<T>;
template <class T>
concept floating_point = is_floating_point_v<T>;

// ---- limits

template <class T>
struct numeric_limits {
  static constexpr bool has_infinity = is_floating_point_v<T>;
  static constexpr T infinity() { return static_cast<T>(1e308 * 1e308); }
  static constexpr T max() {
    if constexpr (is_same_v<T, bool>) {
      return true;
    } else if constexpr (is_signed_v<T>) {
      return static_cast<T>(~(T(1) << (sizeof(T) * 8 - 1)));
    } else {
      return static_cast<T>(~T(0));
    }
  }
  static constexpr T lowest() {
    if constexpr (is_signed_v<T>) {
      return static_cast<T>(T(1) << (sizeof(T) * 8 - 1));
    } else {
      return T(0);
    }
  }
};

// ---- functions

using ::ceil;
using ::copysign;
using ::exp;
using ::fabs;
using ::floor;
using ::fmod;
using ::isfinite;
using ::isinf;
using ::log;
using ::nearbyint;
using ::pow;
using ::sqrt;
using ::trunc;

}  // namespace std
