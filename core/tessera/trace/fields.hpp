#pragma once

// The fields of an aggregate, counted and taken apart.

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tessera::trace::detail {

/// Stands for the initialiser of any field.
template <class Struct>
struct AnyField {
  template <class T>
  requires(!std::is_same_v<T, Struct>) operator T() const;  // NOLINT(google-explicit-constructor)
};

template <class T, std::size_t... I>
constexpr bool takes_fields(std::index_sequence<I...>) {
  return requires {
    T{(static_cast<void>(I), AnyField<T>{})...};
  };
}
template <class T, std::size_t N>
constexpr bool takes_fields() {
  return takes_fields<T>(std::make_index_sequence<N>{});
}

inline constexpr std::size_t kMostFields = 8;

/// By initialisers that turn into anything, which some types (std::optional) find ambiguous.
template <class T, std::size_t N = kMostFields>
constexpr std::size_t count_by_any() {
  if constexpr (N == 0 || takes_fields<T, N + 1>()) {
    return 0;
  } else if constexpr (takes_fields<T, N>()) {
    return N;
  } else {
    return count_by_any<T, N - 1>();
  }
}

/// By empty initialisers, which a type without a default constructor does not take.
template <class T>
constexpr std::size_t count_by_braces() {
  if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 0;
  if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}}; }) return 8;
  if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}}; }) return 7;
  if constexpr (requires { T{{}, {}, {}, {}, {}, {}}; }) return 6;
  if constexpr (requires { T{{}, {}, {}, {}, {}}; }) return 5;
  if constexpr (requires { T{{}, {}, {}, {}}; }) return 4;
  if constexpr (requires { T{{}, {}, {}}; }) return 3;
  if constexpr (requires { T{{}, {}}; }) return 2;
  if constexpr (requires { T{{}}; }) return 1;
  return 0;
}

/// The number of fields of an aggregate; 0 where it has more than kMostFields, or none.
template <class T>
constexpr std::size_t field_count() {
  constexpr std::size_t by_braces = count_by_braces<T>();
  constexpr std::size_t by_any = count_by_any<T>();
  return by_braces > by_any ? by_braces : by_any;
}

template <class... Declared>
constexpr void refuse_references() {
  static_assert((!std::is_reference_v<Declared> && ...),
                "compile() takes no struct that holds a reference: hold the value");
}

template <class T, class F>
void for_each_field(T& x, F&& f) {
  constexpr std::size_t count = field_count<std::remove_const_t<T>>();
  static_assert(count > 0,
                "compile() cannot look into this struct: use at most 8 fields, and no array as a member");
  const auto each = [&](auto&... members) { (f(members), ...); };
  if constexpr (count == 1) {
    auto& [a] = x;
    refuse_references<decltype(a)>();
    each(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = x;
    refuse_references<decltype(a), decltype(b)>();
    each(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = x;
    refuse_references<decltype(a), decltype(b), decltype(c)>();
    each(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = x;
    refuse_references<decltype(a), decltype(b), decltype(c), decltype(d)>();
    each(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = x;
    refuse_references<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e)>();
    each(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, g] = x;
    refuse_references<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(g)>();
    each(a, b, c, d, e, g);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, g, h] = x;
    refuse_references<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(g),
                      decltype(h)>();
    each(a, b, c, d, e, g, h);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, g, h, i] = x;
    refuse_references<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(g),
                      decltype(h), decltype(i)>();
    each(a, b, c, d, e, g, h, i);
  }
}

}  // namespace tessera::trace::detail
