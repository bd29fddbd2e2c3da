#pragma once

// Arguments and results of a compiled function, taken apart into arrays and plain values: numbers,
// enumerators, strings, optionals, sequences, tuples, structs of those, and anything that has ==.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array.hpp>

namespace tessera::trace {

namespace detail {

template <class T, template <class...> class Template>
struct IsInstance : std::false_type {};
template <class... A, template <class...> class Template>
struct IsInstance<Template<A...>, Template> : std::true_type {};

template <class T>
struct IsSpan : std::false_type {};
template <class T, std::size_t N>
struct IsSpan<std::span<T, N>> : std::true_type {};

template <class T>
concept Sequence = requires(T& x) {
  x.begin();
  x.end();
  x.size();
};
template <class T>
concept TupleLike = requires {
  std::tuple_size<T>::value;
};
template <class T>
concept HasEqual = requires(const T& a, const T& b) {
  static_cast<bool>(a == b);
};

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

template <class T, class F>
void for_each_field(T& x, F&& f) {
  constexpr std::size_t count = field_count<std::remove_const_t<T>>();
  static_assert(count > 0,
                "compile() cannot look into this struct: use at most 8 fields, and no array as a member");
  const auto each = [&](auto&... fields) { (f(fields), ...); };
  if constexpr (count == 1) {
    auto& [a] = x;
    each(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = x;
    each(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = x;
    each(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = x;
    each(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = x;
    each(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, g] = x;
    each(a, b, c, d, e, g);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, g, h] = x;
    each(a, b, c, d, e, g, h);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, g, h, i] = x;
    each(a, b, c, d, e, g, h, i);
  }
}

}  // namespace detail

/// Calls visitor.array(x) for each array, visitor.number(bits) for numbers, lengths and the like,
/// visitor.text(s) and visitor.other(x) for the rest, in order.
template <class T, class Visitor>
void visit(T& x, Visitor& visitor) {
  using U = std::remove_const_t<T>;
  if constexpr (std::is_same_v<U, Array>) {
    visitor.array(x);
  } else if constexpr (std::is_floating_point_v<U>) {
    visitor.number(std::bit_cast<std::uint64_t>(static_cast<double>(x)));
  } else if constexpr (std::is_arithmetic_v<U> || std::is_enum_v<U>) {
    visitor.number(static_cast<std::uint64_t>(x));
  } else if constexpr (std::is_same_v<U, Scalar>) {
    visitor.number(static_cast<std::uint64_t>(x.type()));
    visitor.number(x.is_floating() ? std::bit_cast<std::uint64_t>(x.template to<double>())
                                   : x.template to<std::uint64_t>());
  } else if constexpr (std::is_same_v<U, Operand>) {
    visitor.number(x.is_scalar() ? 1 : 0);
    if (x.is_scalar()) {
      visit(x.scalar(), visitor);
    } else {
      visitor.array(x.array());
    }
  } else if constexpr (std::is_same_v<U, Device>) {
    visitor.number(reinterpret_cast<std::uintptr_t>(&x.state()));
  } else if constexpr (std::is_convertible_v<const U&, std::string_view>) {
    visitor.text(std::string_view(x));
  } else if constexpr (detail::IsInstance<U, std::optional>::value) {
    visitor.number(x.has_value() ? 1 : 0);
    if (x) visit(*x, visitor);
  } else if constexpr (detail::Sequence<T>) {
    visitor.number(static_cast<std::uint64_t>(x.size()));
    for (auto&& element : x) {
      if constexpr (std::is_same_v<U, std::vector<bool>>) {
        visitor.number(element ? 1 : 0);
      } else {
        visit(element, visitor);
      }
    }
  } else if constexpr (detail::TupleLike<U>) {
    std::apply([&](auto&... elements) { (visit(elements, visitor), ...); }, x);
  } else if constexpr (std::is_empty_v<U>) {
    // Nothing to tell apart.
  } else if constexpr (std::is_aggregate_v<U>) {
    detail::for_each_field(x, [&](auto& field) { visit(field, visitor); });
  } else {
    static_assert(detail::HasEqual<U>,
                  "compile() takes arrays, plain values, and structs of them; this type has no ==");
    visitor.other(x);
  }
}

/// What an argument is kept as while the function is traced: spans of arrays become vectors.
template <class T>
struct Kept {
  using type = std::decay_t<T>;
};
template <class T, std::size_t N>
struct Kept<std::span<T, N>> {
  using type = std::vector<std::remove_const_t<T>>;
};

/// An argument's plain value, with its type's own ==.
class Option {
 public:
  template <class T>
  static Option of(const T& value) {
    Option option;
    option.value_ = std::make_shared<const T>(value);
    option.equal_ = [](const void* a, const void* b) {
      return static_cast<bool>(*static_cast<const T*>(a) == *static_cast<const T*>(b));
    };
    return option;
  }
  friend bool operator==(const Option& a, const Option& b) {
    return a.equal_ == b.equal_ && a.equal_(a.value_.get(), b.value_.get());
  }

 private:
  std::shared_ptr<const void> value_;
  bool (*equal_)(const void*, const void*) = nullptr;
};

/// Arguments taken apart.
struct Arguments {
  std::vector<Array> arrays;
  std::vector<std::uint64_t> numbers;
  std::string texts;
  std::vector<Option> options;
  const void* types = nullptr;  ///< stands for the types of the arguments

  void array(const Array& x) { arrays.push_back(x); }
  void number(std::uint64_t bits) { numbers.push_back(bits); }
  void text(std::string_view value) {
    texts.append(value);
    texts.push_back('\0');
  }
  template <class T>
  void other(const T& value) {
    options.push_back(Option::of(value));
  }
};

/// Replaces each array by the next of a list.
struct Replace {
  std::span<const Array> arrays;
  std::size_t next = 0;

  void array(Array& x) { x = arrays[next++]; }
  void array(const Array& /*x*/) { ++next; }
  void number(std::uint64_t /*bits*/) {}
  void text(std::string_view /*value*/) {}
  template <class T>
  void other(const T& /*value*/) {}
};

/// Takes each array out.
struct Collect {
  std::vector<Array> arrays;

  void array(Array& x) { arrays.push_back(std::move(x)); }
  void number(std::uint64_t /*bits*/) {}
  void text(std::string_view /*value*/) {}
  template <class T>
  void other(const T& /*value*/) {}
};

}  // namespace tessera::trace
