// Casts to floats, and choices, for each instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/loops_vector_cast.cpp"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle): compiled once a target

#include <hwy/highway.h>

#include <tessera/scalar.hpp>

#include "devices/cpu/loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu {
namespace HWY_NAMESPACE {
namespace {

template <class From, class To>
void cast(const void* x, void* out, std::int64_t n) {
  const From* from = static_cast<const From*>(x);
  To* to = static_cast<To*>(out);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
}

/// T only says how many bytes move.
template <class T, bool left_scalar, bool right_scalar>
void where(const void* condition, const void* a, const void* b, void* out, std::int64_t n) {
  const auto* chosen = static_cast<const std::uint8_t*>(condition);
  const T* left = static_cast<const T*>(a);
  const T* right = static_cast<const T*>(b);
  const T left_value = *left;
  const T right_value = *right;
  T* to = static_cast<T*>(out);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    const T yes = left_scalar ? left_value : left[i];
    const T no = right_scalar ? right_value : right[i];
    to[i] = chosen[i] != 0 ? yes : no;
  }
}

template <class From, class To>
void add_cast(LoopTables& tables) {
  tables.cast[static_cast<int>(dtype_of<From>())][static_cast<int>(dtype_of<To>())] = cast<From, To>;
}

template <class T>
void add_where(WhereLoops& loops) {
  loops = {where<T, false, false>, where<T, true, false>, where<T, false, true>, where<T, true, true>};
}

void add_all(LoopTables& tables) {
  add_cast<float, double>(tables);
  add_cast<double, float>(tables);
  add_cast<std::int32_t, float>(tables);
  add_cast<std::int32_t, double>(tables);
  add_cast<std::int64_t, float>(tables);
  add_cast<std::int64_t, double>(tables);
  add_cast<std::int32_t, std::int64_t>(tables);
  add_cast<std::uint8_t, float>(tables);
  add_cast<std::uint8_t, double>(tables);
  // A bool is a byte of 0 or 1.
  const auto as_bool = static_cast<int>(DType::bool_);
  tables.cast[as_bool][static_cast<int>(DType::float32)] = cast<std::uint8_t, float>;
  tables.cast[as_bool][static_cast<int>(DType::float64)] = cast<std::uint8_t, double>;
  tables.cast[as_bool][static_cast<int>(DType::int64)] = cast<std::uint8_t, std::int64_t>;
  add_where<std::uint8_t>(tables.where[0]);
  add_where<std::uint16_t>(tables.where[1]);
  add_where<std::uint32_t>(tables.where[2]);
  add_where<std::uint64_t>(tables.where[3]);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tessera::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

HWY_EXPORT(add_all);

void add_vector_cast_loops(LoopTables& tables) {
  HWY_DYNAMIC_DISPATCH(add_all)(tables);
}

}  // namespace tessera::cpu
#endif
