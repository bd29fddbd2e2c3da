#pragma once

// What is done with the parts of arguments and results.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/trace/structure.hpp>

namespace tessera::trace {

/// What an argument is kept as while the function is traced: spans become vectors.
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
  static constexpr bool kReplaces = false;
  static constexpr bool kResult = false;

  std::vector<Array> arrays;
  std::vector<std::uint64_t> numbers;
  std::string texts;  ///< one after the other; their lengths are among the numbers
  std::vector<Option> options;
  const void* types = nullptr;  ///< stands for the types of the arguments

  /// Visits an argument as what it is kept as.
  template <class T>
  void add(const T& argument) {
    if constexpr (detail::kIsSpan<T>) {
      number(static_cast<std::uint64_t>(argument.size()));
      for (const auto& element : argument) visit(element, *this);
    } else {
      visit(argument, *this);
    }
  }

  void array(const Array& x) { arrays.push_back(x); }
  void number(std::uint64_t bits) { numbers.push_back(bits); }
  void text(std::string_view value) {
    number(value.size());
    texts.append(value);
  }
  template <class T>
  void other(const T& value) {
    options.push_back(Option::of(value));
  }
};

/// Replaces each array by the next of a list.
struct Replace {
  static constexpr bool kReplaces = true;
  static constexpr bool kResult = false;

  std::span<const Array> arrays;
  std::size_t next = 0;

  void array(Array& x) { x = arrays[next++]; }
  void number(std::uint64_t /*bits*/) {}
  void text(std::string_view /*value*/) {}
  template <class T>
  void other(const T& /*value*/) {}
};

/// Takes each array out of a result.
struct Collect {
  static constexpr bool kReplaces = true;
  static constexpr bool kResult = true;

  std::vector<Array> arrays;

  void array(Array& x) { arrays.push_back(std::move(x)); }
  void number(std::uint64_t /*bits*/) {}
  void text(std::string_view /*value*/) {}
  template <class T>
  void other(const T& /*value*/) {}
};

}  // namespace tessera::trace
