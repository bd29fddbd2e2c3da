#pragma once

// Arguments and results of a compiled function, taken apart into arrays and plain values.

#include <bit>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

#include <tessera/trace/accepted.hpp>
#include <tessera/trace/fields.hpp>

namespace tessera::trace {

namespace detail {

template <Accepted as>
constexpr void refuse() {
  static_assert(as != Accepted::no_long_double, "compile() takes no long double: pass a double");
  static_assert(as != Accepted::no_span,
                "compile() takes a std::span as an argument of its own, not within another type and not as a "
                "result: use a std::vector");
  static_assert(as != Accepted::no_list, "compile() takes no std::initializer_list: use a std::vector");
  static_assert(as != Accepted::no_pointer,
                "compile() takes no pointers and no built-in arrays, since what is behind them may change "
                "without them: pass the value, or a std::array or std::vector");
  static_assert(as != Accepted::no_class,
                "compile() takes arrays, plain values, std containers of them and structs of them (see "
                "tessera/trace/accepted.hpp); a class that == tells apart in all that the function sees of "
                "it can be passed by specialising tessera::kPlainOption");
}

template <class Float, class Visitor>
void visit_float(Float x, Visitor& visitor) {
  visitor.number(std::bit_cast<std::uint64_t>(static_cast<double>(x)));
}

inline std::string_view text_of(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text);
}
inline std::string_view text_of(std::string_view text) {
  return text;
}

}  // namespace detail

/// Calls visitor.array(x) for each array, visitor.number(bits) for numbers, lengths and the like,
/// visitor.text(s) and visitor.other(x) for the rest, in order. A visitor says with kReplaces that it writes
/// arrays, with kResult that it looks at a result.
template <class T, class Visitor>
void visit(T& x, Visitor& visitor) {
  using U = std::remove_const_t<T>;
  constexpr Accepted as = accepted_as_any<U>();
  if constexpr (as == Accepted::array) {
    static_assert(!Visitor::kReplaces || !std::is_const_v<T>,
                  "compile() replaces arrays while it traces: this one is const where it is held (a const "
                  "field, a std::pair<const Array, ...>, ...); take the const away");
    if constexpr (!Visitor::kReplaces || !std::is_const_v<T>) visitor.array(x);
  } else if constexpr (as == Accepted::operand) {
    visitor.number(x.is_scalar() ? 1 : 0);
    if (x.is_scalar()) {
      visit(x.scalar(), visitor);
    } else {
      visit(x.array(), visitor);
    }
  } else if constexpr (as == Accepted::number && std::is_floating_point_v<U>) {
    detail::visit_float(x, visitor);
  } else if constexpr (as == Accepted::number) {
    visitor.number(static_cast<std::uint64_t>(x));
  } else if constexpr (as == Accepted::complex) {
    detail::visit_float(x.real(), visitor);
    detail::visit_float(x.imag(), visitor);
  } else if constexpr (as == Accepted::scalar) {
    visitor.number(static_cast<std::uint64_t>(x.type()));
    visitor.number(x.is_floating() ? std::bit_cast<std::uint64_t>(x.template to<double>())
                                   : x.template to<std::uint64_t>());
  } else if constexpr (as == Accepted::device) {
    visitor.number(reinterpret_cast<std::uintptr_t>(&x.state()));
  } else if constexpr (as == Accepted::text) {
    static_assert(!Visitor::kResult || std::is_same_v<U, std::string>,
                  "a compiled function's result outlives the call that made it: give a std::string, not a "
                  "view or a pointer");
    visitor.text(detail::text_of(x));
  } else if constexpr (as == Accepted::optional) {
    visitor.number(x.has_value() ? 1 : 0);
    if (x) visit(*x, visitor);
  } else if constexpr (as == Accepted::variant) {
    visitor.number(static_cast<std::uint64_t>(x.index()));
    if (!x.valueless_by_exception()) std::visit([&](auto& value) { visit(value, visitor); }, x);
  } else if constexpr (as == Accepted::dims) {
    visitor.number(static_cast<std::uint64_t>(x.size()));
    for (const std::int64_t extent : x) visitor.number(static_cast<std::uint64_t>(extent));
  } else if constexpr (as == Accepted::list) {
    visitor.number(static_cast<std::uint64_t>(x.size()));
    for (auto&& element : x) {
      if constexpr (std::is_same_v<U, std::vector<bool>>) {
        visitor.number(element ? 1 : 0);
      } else {
        visit(element, visitor);
      }
    }
  } else if constexpr (as == Accepted::tuple) {
    static_assert(!detail::kHoldsReference<U>,
                  "compile() takes no pair or tuple that holds a reference: hold the value");
    std::apply([&](auto&... elements) { (visit(elements, visitor), ...); }, x);
  } else if constexpr (as == Accepted::empty) {
    // Nothing to tell apart.
  } else if constexpr (as == Accepted::fields) {
    detail::for_each_field(x, [&](auto& field) { visit(field, visitor); });
  } else if constexpr (as == Accepted::option) {
    visitor.other(x);
  } else {
    detail::refuse<as>();
  }
}

}  // namespace tessera::trace
