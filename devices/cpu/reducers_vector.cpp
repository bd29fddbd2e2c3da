// The reductions that big arrays need, for each instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/reducers_vector.cpp"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle): compiled once a target

#include <hwy/highway.h>

#include <limits>
#include <type_traits>

#include "devices/common/element_ops.hpp"
#include "devices/cpu/reducers.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu {
namespace HWY_NAMESPACE {
namespace {

#include "devices/cpu/reducers-inl.hpp"

template <class T>
void add_reducers(ReducerTable& table) {
  set_reducer<ReduceOp::sum, T>(table);
  set_reducer<ReduceOp::min, T>(table);
  set_reducer<ReduceOp::max, T>(table);
}

void add_all(ReducerTable& table) {
  add_reducers<float>(table);
  add_reducers<double>(table);
  add_reducers<std::int32_t>(table);
  add_reducers<std::int64_t>(table);
  set_reducer<ReduceOp::prod, float>(table);
  set_reducer<ReduceOp::prod, double>(table);
  set_reducer<ReduceOp::sum, bool>(table);
  set_reducer<ReduceOp::any, bool>(table);
  set_reducer<ReduceOp::all, bool>(table);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tessera::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

HWY_EXPORT(add_all);

void add_vector_reducers(ReducerTable& table) {
  HWY_DYNAMIC_DISPATCH(add_all)(table);
}

}  // namespace tessera::cpu
#endif
