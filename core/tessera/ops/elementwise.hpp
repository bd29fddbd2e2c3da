#pragma once

#include <optional>
#include <utility>

#include <tessera/array.hpp>
#include <tessera/kernel_ops.hpp>

namespace tessera {

// One function for each row of the tables in kernel_ops.hpp: `Array negative(Array x)`, ...,
// `Array add(Operand a, Operand b)`, ... Operands broadcast and promote by the Array API's rules; a number
// takes the other operand's dtype. Throws ShapeError, DTypeError, DeviceError.
#define TESSERA_DECLARE(name, accepts, gives) TESSERA_API Array name(Array x);
TESSERA_UNARY_OPS(TESSERA_DECLARE)
#undef TESSERA_DECLARE

#define TESSERA_DECLARE(name, accepts, gives) TESSERA_API Array name(Operand a, Operand b);
TESSERA_BINARY_OPS(TESSERA_DECLARE)
#undef TESSERA_DECLARE

/// `a` where condition (bool) holds, else `b`.
TESSERA_API Array where(Array condition, Operand a, Operand b);

/// x limited to [min, max]; NaN stays NaN. A bound left out does not limit.
struct ClipOptions {
  std::optional<Operand> min = {};
  std::optional<Operand> max = {};
};
TESSERA_API Array clip(Array x, const ClipOptions& options);

/// x in another dtype: float to integer truncates and saturates, NaN gives 0; integers wrap. The array itself
/// if it has it.
TESSERA_API Array astype(Array x, DType dtype);
/// A fresh contiguous array of the same values.
TESSERA_API Array copy(const Array& x);
/// The array itself where it is contiguous (row-major), else a copy that is.
TESSERA_API Array ascontiguousarray(Array x);

#define TESSERA_OPERATOR(symbol, function)          \
  inline Array operator symbol(Array a, Array b) {  \
    return function(std::move(a), std::move(b));    \
  }                                                 \
  inline Array operator symbol(Array a, Scalar b) { \
    return function(std::move(a), b);               \
  }                                                 \
  inline Array operator symbol(Scalar a, Array b) { \
    return function(a, std::move(b));               \
  }
TESSERA_OPERATOR(+, add)
TESSERA_OPERATOR(-, subtract)
TESSERA_OPERATOR(*, multiply)
TESSERA_OPERATOR(/, divide)
TESSERA_OPERATOR(%, remainder)
TESSERA_OPERATOR(==, equal)
TESSERA_OPERATOR(!=, not_equal)
TESSERA_OPERATOR(<, less)
TESSERA_OPERATOR(<=, less_equal)
TESSERA_OPERATOR(>, greater)
TESSERA_OPERATOR(>=, greater_equal)
TESSERA_OPERATOR(&, bitwise_and)
TESSERA_OPERATOR(|, bitwise_or)
TESSERA_OPERATOR(^, bitwise_xor)
#undef TESSERA_OPERATOR
inline Array operator-(Array x) {
  return negative(std::move(x));
}
inline Array operator~(Array x) {
  return bitwise_invert(std::move(x));
}

}  // namespace tessera
