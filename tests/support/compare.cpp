#include "support/compare.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace tessera::test {

namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

/// "(2, 0, 7)" for a row-major position.
std::string index_text(const Shape& shape, std::int64_t position) {
  Dims index = Dims::filled(shape.size(), 0);
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    index[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return to_string(index);
}

double as_double(const HostArray& x, std::int64_t i) {
  return x.dtype == float32 ? static_cast<double>(x.at<float>(i)) : x.at<double>(i);
}

bool same_element(const HostArray& a, const HostArray& b, std::int64_t i) {
  return std::memcmp(a.element(i), b.element(i), itemsize(a.dtype)) == 0;
}

bool close_floats(double actual, double expected, double bound) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  if (std::isinf(expected) || std::isinf(actual)) return expected == actual;
  return std::abs(actual - expected) <= bound;
}

template <class Match>
AssertionResult compare(const HostArray& actual, const HostArray& expected, Match&& match) {
  if (actual.dtype != expected.dtype || !(actual.shape == expected.shape)) {
    return AssertionFailure() << fmt::format("got {} {}, expected {} {}", name(actual.dtype),
                                             to_string(actual.shape), name(expected.dtype),
                                             to_string(expected.shape));
  }
  // The same bits are equal whatever the tolerance, and are the usual case.
  if (actual.bytes == expected.bytes) return AssertionSuccess();
  std::int64_t first = -1;
  std::int64_t wrong = 0;
  const std::int64_t size = actual.size();
  for (std::int64_t i = 0; i < size; ++i) {
    if (match(i)) continue;
    if (first < 0) first = i;
    ++wrong;
  }
  if (wrong == 0) return AssertionSuccess();
  return AssertionFailure() << fmt::format(
             "{} of {} elements differ ({} {}); the first at {}: got {}, expected {}", wrong, size,
             name(actual.dtype), to_string(actual.shape), index_text(actual.shape, first),
             element_text(actual, first), element_text(expected, first));
}

}  // namespace

std::string element_text(const HostArray& x, std::int64_t i) {
  return visit_dtype(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>) {
      return fmt::format("{}", static_cast<int>(x.at<std::uint8_t>(i)));
    } else if constexpr (std::is_floating_point_v<T>) {
      return fmt::format("{} ({:a})", x.at<T>(i), x.at<T>(i));
    } else {
      return fmt::format("{}", x.at<T>(i));
    }
  });
}

AssertionResult close(const HostArray& actual, const HostArray& expected, Tolerance tolerance,
                      const HostArray* magnitude) {
  if (!is_floating(expected.dtype)) return same_bits(actual, expected);
  return compare(actual, expected, [&](std::int64_t i) {
    const double wanted = as_double(expected, i);
    double size = std::abs(wanted);
    if (magnitude != nullptr) size = std::abs(as_double(*magnitude, i));
    const double bound = tolerance.relative == 0 ? 0 : tolerance.relative * size;
    return close_floats(as_double(actual, i), wanted, bound + tolerance.absolute);
  });
}

AssertionResult close(const Array& actual, const Array& expected, Tolerance tolerance) {
  return close(to_host_array(actual), to_host_array(expected), tolerance);
}

AssertionResult close(const Array& actual, const HostArray& expected, Tolerance tolerance) {
  return close(to_host_array(actual), expected, tolerance);
}

AssertionResult equal(const HostArray& actual, const HostArray& expected) {
  return close(actual, expected, kExact);
}

AssertionResult equal(const Array& actual, const Array& expected) {
  return close(actual, expected, kExact);
}

AssertionResult equal(const Array& actual, const HostArray& expected) {
  return close(actual, expected, kExact);
}

AssertionResult same_bits(const HostArray& actual, const HostArray& expected) {
  return compare(actual, expected, [&](std::int64_t i) { return same_element(actual, expected, i); });
}

AssertionResult same_bits(const Array& actual, const Array& expected) {
  return same_bits(to_host_array(actual), to_host_array(expected));
}

}  // namespace tessera::test
