#include "devices/cpu/arg_loops.hpp"

#include "devices/common/element_ops.hpp"

namespace tessera::cpu {
namespace {

#include "devices/cpu/arg_loops-inl.hpp"

template <ArgReduceOp op, class T>
void set(ArgLoopTable& table) {
  table.rows[static_cast<int>(op)][static_cast<int>(dtype_of<T>())] = {
      arg_row_by_elements<op, T>, arg_columns<op, T>, arg_gives_way<op, T>};
}

ArgLoopTable* make_table() {
  auto* table = new ArgLoopTable{};
  add_portable_arg_loops(*table);
  add_vector_arg_loops(*table);
  return table;
}

}  // namespace

const ArgLoops& arg_loops(ArgReduceOp op, DType dtype) {
  static const ArgLoopTable& table = *make_table();
  return table.rows[static_cast<int>(op)][static_cast<int>(dtype)];
}

void add_portable_arg_loops(ArgLoopTable& table) {
  for (int column = 0; column < kDTypeCount; ++column) {
    visit_dtype(static_cast<DType>(column), [&](auto zero) {
      using T = decltype(zero);
      set<ArgReduceOp::argmin, T>(table);
      set<ArgReduceOp::argmax, T>(table);
    });
  }
}

}  // namespace tessera::cpu
