#pragma once

// How far each operation's float results may be from the reference device's; whatever is not named here is
// exact. Integers, bools, indices and data movement are exact everywhere.

#include <tessera/dtype.hpp>
#include <tessera/kernel_ops.hpp>
#include "support/compare.hpp"

namespace tessera::test {

/// A unit in the last place, relative to the value.
constexpr double unit(DType dtype) {
  return dtype == float32 ? 0x1p-23 : 0x1p-52;
}

/// exp, log and pow may be approximations, and subnormal results may be flushed to 0. The rest is rounded
/// correctly.
constexpr Tolerance tolerance(UnaryOp op, DType dtype) {
  if (!is_floating(dtype)) return kExact;
  if (op == UnaryOp::exp) return {4 * unit(dtype), dtype == float32 ? 0x1p-126 : 0x1p-1022};
  if (op == UnaryOp::log) return {4 * unit(dtype), unit(dtype)};
  return kExact;
}

constexpr Tolerance tolerance(BinaryOp op, DType dtype) {
  if (is_floating(dtype) && op == BinaryOp::pow)
    return {4 * unit(dtype), dtype == float32 ? 0x1p-126 : 0x1p-1022};
  return kExact;
}

/// Relative to the sum of absolute values. `result` is the dtype that is accumulated into.
constexpr Tolerance sum_tolerance(DType result) {
  return is_floating(result) ? Tolerance{result == float32 ? 8 * unit(float32) : 256 * unit(float64)}
                             : kExact;
}

/// Relative to the product. `count` factors, rounded at each step.
constexpr Tolerance product_tolerance(DType result, double count) {
  return is_floating(result) ? Tolerance{(4 + count) * unit(result)} : kExact;
}

/// Relative to |x| @ |y|.
constexpr Tolerance matmul_tolerance(DType dtype) {
  return is_floating(dtype) ? Tolerance{16 * unit(dtype)} : kExact;
}

/// float32 targets accumulate in float64 and round once: one unit apart where the order of float64 sums
/// tips the rounding. Relative to the sum of absolute values for float64, of which a sum in order loses about
/// sqrt(n) units, and n is up to 70001.
constexpr Tolerance scatter_add_tolerance(DType target) {
  return is_floating(target) ? Tolerance{target == float32 ? unit(float32) : 1024 * unit(float64)} : kExact;
}

}  // namespace tessera::test
