#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/dtype.hpp>
#include <tessera/kernel_ops.hpp>

namespace tessera::cpu {

/// n elements side by side, or one.
struct Operand {
  const std::byte* data;
  std::int64_t step;  ///< bytes from one call of a loop to the next
  bool scalar;
};

/// out = the comparison holds ? yes : no, of elements of 8 bytes, or 4 where float32 is compared.
struct Choice {
  std::size_t item;
  Operand yes;
  Operand no;
  std::byte* out;
};
/// So many at most with one comparison.
inline constexpr int kMostChoices = 2;

/// Which comparisons `select` knows.
constexpr bool selects(BinaryOp comparison, DType dtype) {
  return (comparison == BinaryOp::less || comparison == BinaryOp::less_equal ||
          comparison == BinaryOp::greater || comparison == BinaryOp::greater_equal) &&
         (dtype == DType::float32 || dtype == DType::float64);
}

/// One pass for a comparison of floats and what is chosen by it. An `out` may be exactly an operand of its
/// own size, be it of another choice.
void select(BinaryOp comparison, DType dtype, const Operand& a, const Operand& b, const Choice* choices,
            int count, std::int64_t n);

}  // namespace tessera::cpu
