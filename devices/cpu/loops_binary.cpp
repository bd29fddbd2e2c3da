// Portable binary loops, for every operation and dtype.

#include "devices/common/element_ops.hpp"
#include "devices/cpu/loops.hpp"

namespace tessera::cpu {
namespace {

template <BinaryOp op, class T>
void binary(const void* a, const void* b, void* out, std::int64_t n) {
  const T* left = static_cast<const T*>(a);
  const T* right = static_cast<const T*>(b);
  auto* to = static_cast<element::BinaryResult<op, T>*>(out);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) to[i] = element::binary<op>(left[i], right[i]);
}

}  // namespace

void add_portable_binary_loops(LoopTables& tables) {
  for (int row = 0; row < kBinaryOpCount; ++row) {
    for (int column = 0; column < kDTypeCount; ++column) {
      element::visit(static_cast<BinaryOp>(row), [&](auto op) {
        visit_dtype(static_cast<DType>(column), [&](auto zero) {
          using T = decltype(zero);
          constexpr BinaryOp kOp = decltype(op)::value;
          if constexpr (element::takes(kOp, dtype_of<T>())) tables.binary[row][column].both = binary<kOp, T>;
        });
      });
    }
  }
}

}  // namespace tessera::cpu
