#pragma once

// Comparisons whose failure says where two arrays differ first, and in how many elements.

#include <gtest/gtest.h>

#include "support/arrays.hpp"

namespace tessera::test {

/// How far floats may be from what is expected: |a - e| <= relative * magnitude + absolute, where the
/// magnitude is |e| unless the caller knows a better one (a sum's is the sum of absolute values). NaN equals
/// NaN, -0 equals +0, infinities equal themselves. Other dtypes are exact always.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};
inline constexpr Tolerance kExact{};

::testing::AssertionResult close(const HostArray& actual, const HostArray& expected, Tolerance tolerance,
                                 const HostArray* magnitude = nullptr);
::testing::AssertionResult close(const Array& actual, const Array& expected, Tolerance tolerance);
::testing::AssertionResult close(const Array& actual, const HostArray& expected, Tolerance tolerance);

/// Shape, dtype and values; NaN equals NaN and -0 equals +0.
::testing::AssertionResult equal(const HostArray& actual, const HostArray& expected);
::testing::AssertionResult equal(const Array& actual, const Array& expected);
::testing::AssertionResult equal(const Array& actual, const HostArray& expected);
template <class T>
::testing::AssertionResult equal(const Array& actual, const std::vector<T>& expected, const Shape& shape) {
  return equal(actual, HostArray(expected, shape));
}

/// The same bits: two runs of one thing.
::testing::AssertionResult same_bits(const HostArray& actual, const HostArray& expected);
::testing::AssertionResult same_bits(const Array& actual, const Array& expected);

/// One element as text, with all digits.
std::string element_text(const HostArray& x, std::int64_t i);

}  // namespace tessera::test
