#pragma once

// The types that compiled functions take and give: a closed list, since a value that a trace depends on
// without being told apart by it would give an old trace's results.
//
//   arrays                                   replaced while the function is traced
//   Operand                                  an array or a number
//   bool, integers, floats, enumerators,     by value, to the bit (no long double)
//     std::complex, Scalar
//   Device                                   by identity
//   std::string                              by content
//   std::string_view, const char*            by content; not in results
//   std::optional, variant, vector, array,   of those
//     map, pair, tuple
//   Shape, Strides                           by value
//   structs (up to 8 fields)                 of those; neither const arrays nor references in them
//   std::span                                of those, as an argument of its own; arrives as a vector
//   types with kPlainOption (Axes, Index,    by their own ==
//     random::Key, the program's own)
//
// Everything else does not compile: pointers and what holds them, views, classes with private members.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/array.hpp>

namespace tessera {

class Axes;
class Index;
namespace random {
class Key;
}

/// Says that values of T are told apart by ==, in all that a function can see of them, and hold neither
/// arrays nor anything that changes without them. Specialise it to pass a class of your own to a compiled
/// function as a plain option.
template <class T>
inline constexpr bool kPlainOption = false;
template <>
inline constexpr bool kPlainOption<Axes> = true;
template <>
inline constexpr bool kPlainOption<Index> = true;
template <>
inline constexpr bool kPlainOption<random::Key> = true;

namespace trace {

namespace detail {

template <class T, template <class...> class Template>
inline constexpr bool kIsInstance = false;
template <class... A, template <class...> class Template>
inline constexpr bool kIsInstance<Template<A...>, Template> = true;

template <class T>
inline constexpr bool kIsSpan = false;
template <class T, std::size_t N>
inline constexpr bool kIsSpan<std::span<T, N>> = true;

template <class T>
inline constexpr bool kIsStdArray = false;
template <class T, std::size_t N>
inline constexpr bool kIsStdArray<std::array<T, N>> = true;

template <class T>
inline constexpr bool kHoldsReference = false;
template <class A, class B>
inline constexpr bool kHoldsReference<std::pair<A, B>> = std::is_reference_v<A> || std::is_reference_v<B>;
template <class... A>
inline constexpr bool kHoldsReference<std::tuple<A...>> = (std::is_reference_v<A> || ...);

/// std::complex without its header: exactly two floats, by size.
template <class T>
concept Complex = std::is_trivially_copyable_v<T> && !std::is_aggregate_v<T> && requires(const T& x) {
  typename T::value_type;
  requires std::is_floating_point_v<typename T::value_type>;
  requires sizeof(T) == 2 * sizeof(typename T::value_type);
  { x.real() } -> std::same_as<typename T::value_type>;
  { x.imag() } -> std::same_as<typename T::value_type>;
};

template <class T>
inline constexpr bool kIsText =
    std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view> ||
    std::is_same_v<std::decay_t<T>, const char*> || std::is_same_v<std::decay_t<T>, char*>;

}  // namespace detail

enum class Accepted : std::uint8_t {
  array,
  operand,
  number,
  complex,
  scalar,
  device,
  text,
  dims,
  optional,
  variant,
  list,
  tuple,
  empty,
  option,
  fields,
  no_long_double,
  no_span,
  no_pointer,
  no_list,
  no_class,
};

/// How a type, without const, is taken apart.
template <class T>
constexpr Accepted accepted_as() {
  using detail::kIsInstance;
  if (std::is_same_v<T, Array>) return Accepted::array;
  if (kPlainOption<T>) return Accepted::option;
  if (std::is_same_v<T, Operand>) return Accepted::operand;
  if (std::is_same_v<T, Scalar>) return Accepted::scalar;
  if (std::is_same_v<T, Device>) return Accepted::device;
  if (std::is_same_v<T, Dims>) return Accepted::dims;
  if (std::is_same_v<T, long double>) return Accepted::no_long_double;
  if (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return sizeof(T) <= sizeof(std::uint64_t) ? Accepted::number : Accepted::no_class;
  }
  if (detail::kIsText<T>) return Accepted::text;
  if (std::is_pointer_v<T> || std::is_array_v<T> || std::is_null_pointer_v<T>) return Accepted::no_pointer;
  if (kIsInstance<T, std::optional>) return Accepted::optional;
  if (kIsInstance<T, std::variant>) return Accepted::variant;
  if (kIsInstance<T, std::vector> || kIsInstance<T, std::map> || detail::kIsStdArray<T>) {
    return Accepted::list;
  }
  if (kIsInstance<T, std::pair> || kIsInstance<T, std::tuple>) return Accepted::tuple;
  if (detail::kIsSpan<T>) return Accepted::no_span;
  if (kIsInstance<T, std::initializer_list>) return Accepted::no_list;
  return Accepted::no_class;
}

/// The same; apart because the questions below are none for the types above.
template <class T>
constexpr Accepted accepted_as_any() {
  constexpr Accepted known = accepted_as<T>();
  if constexpr (known != Accepted::no_class || !std::is_class_v<T>) {
    return known;
  } else if constexpr (detail::Complex<T>) {
    return std::is_same_v<typename T::value_type, long double> ? Accepted::no_long_double : Accepted::complex;
  } else if constexpr (std::is_empty_v<T>) {
    return Accepted::empty;
  } else {
    return std::is_aggregate_v<T> ? Accepted::fields : Accepted::no_class;
  }
}

}  // namespace trace
}  // namespace tessera
