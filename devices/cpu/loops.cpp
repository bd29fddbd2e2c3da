#include "devices/cpu/loops.hpp"

#include <tessera/scalar.hpp>

#include "devices/common/element_ops.hpp"

namespace tessera::cpu {
namespace {

LoopTables* make_tables() {
  auto* tables = new LoopTables{};
  add_portable_unary_loops(*tables);
  add_portable_binary_loops(*tables);
  add_portable_cast_loops(*tables);
  add_vector_unary_loops(*tables);
  add_vector_binary_loops(*tables);
  add_vector_cast_loops(*tables);
  return tables;
}

template <UnaryOp op, class T>
void unary(const void* x, void* out, std::int64_t n) {
  const T* from = static_cast<const T*>(x);
  auto* to = static_cast<element::UnaryResult<op, T>*>(out);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) to[i] = element::unary<op>(from[i]);
}

template <class From, class To>
void cast(const void* x, void* out, std::int64_t n) {
  const From* from = static_cast<const From*>(x);
  To* to = static_cast<To*>(out);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) to[i] = convert<To>(from[i]);
}

}  // namespace

const LoopTables& loops() {
  static const LoopTables& tables = *make_tables();
  return tables;
}

void add_portable_unary_loops(LoopTables& tables) {
  for (int row = 0; row < kUnaryOpCount; ++row) {
    for (int column = 0; column < kDTypeCount; ++column) {
      element::visit(static_cast<UnaryOp>(row), [&](auto op) {
        visit_dtype(static_cast<DType>(column), [&](auto zero) {
          using T = decltype(zero);
          constexpr UnaryOp kOp = decltype(op)::value;
          if constexpr (element::takes(kOp, dtype_of<T>())) tables.unary[row][column] = unary<kOp, T>;
        });
      });
    }
  }
}

void add_portable_cast_loops(LoopTables& tables) {
  for (int row = 0; row < kDTypeCount; ++row) {
    for (int column = 0; column < kDTypeCount; ++column) {
      visit_dtype(static_cast<DType>(row), [&](auto from) {
        visit_dtype(static_cast<DType>(column),
                    [&](auto to) { tables.cast[row][column] = cast<decltype(from), decltype(to)>; });
      });
    }
  }
}

}  // namespace tessera::cpu
