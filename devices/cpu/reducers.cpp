#include "devices/cpu/reducers.hpp"

#include <limits>
#include <type_traits>

#include "devices/common/element_ops.hpp"
#include "devices/cpu/prefetch.hpp"

namespace tessera::cpu {
namespace {

#include "devices/cpu/reducers-inl.hpp"

ReducerTable* make_table() {
  auto* table = new ReducerTable{};
  add_portable_reducers(*table);
  add_vector_reducers(*table);
  return table;
}

}  // namespace

const Reducer& reducer(ReduceOp op, DType dtype) {
  static const ReducerTable& table = *make_table();
  return table.rows[static_cast<int>(op)][static_cast<int>(dtype)];
}

void add_portable_reducers(ReducerTable& table) {
  for (int column = 0; column < kDTypeCount; ++column) {
    visit_dtype(static_cast<DType>(column), [&](auto zero) {
      using T = decltype(zero);
      set_reducer<ReduceOp::sum, T>(table);
      set_reducer<ReduceOp::prod, T>(table);
      if constexpr (std::is_same_v<T, bool>) {
        set_reducer<ReduceOp::any, T>(table);
        set_reducer<ReduceOp::all, T>(table);
      } else {
        set_reducer<ReduceOp::min, T>(table);
        set_reducer<ReduceOp::max, T>(table);
      }
    });
  }
}

}  // namespace tessera::cpu
