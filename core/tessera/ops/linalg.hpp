#pragma once

#include <tessera/array.hpp>
#include <tessera/kernel_ops.hpp>

namespace tessera {

struct MatmulOptions {
  /// `ieee` unless the caller asks for less by name.
  Precision precision = Precision::ieee;
};

/// a @ b: (..., m, k) by (..., k, n); 1-d operands as in the standard. Batch dimensions broadcast.
/// A row of the result does not depend on how many rows are beside it.
TESSERA_API Array matmul(const Array& a, const Array& b, const MatmulOptions& options = {});
/// The last two axes swapped: a view.
TESSERA_API Array matrix_transpose(const Array& x);
struct VecdotOptions {
  int axis = -1;
};
/// Sums of products along an axis, without a temporary of the operands' size. Floats accumulate in blocks or
/// in float64.
TESSERA_API Array vecdot(const Array& a, const Array& b, const VecdotOptions& options = {});

}  // namespace tessera
