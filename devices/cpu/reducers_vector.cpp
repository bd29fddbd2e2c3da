// The reductions that big arrays need, for each instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/reducers_vector.cpp"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle): compiled once a target

#include <hwy/highway.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "devices/common/element_ops.hpp"
#include "devices/cpu/prefetch.hpp"
#include "devices/cpu/reducers.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu {
namespace HWY_NAMESPACE {
namespace {

#include "devices/cpu/reducers-inl.hpp"

namespace hn = hwy::HWY_NAMESPACE;

/// Rows of floats: a vector's own minimum overlooks NaN, which one mask collects; and no element is looked at
/// twice in vain, since the last vector may overlap the one before.
template <ReduceOp op, class T>
void extreme_row(void* accumulator, const void* untyped, std::int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (n < lanes) {
    Loops<op, T>::row(accumulator, untyped, n);
    return;
  }
  const auto better = [](auto a, auto b)
                          HWY_ATTR { return op == ReduceOp::min ? hn::Min(a, b) : hn::Max(a, b); };
  const T* x = static_cast<const T*>(untyped);
  auto first = hn::LoadU(d, x + n - lanes);
  auto second = first;
  auto nan = hn::IsNaN(first);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    prefetch_ahead(x + i, 2 * static_cast<std::size_t>(lanes) * sizeof(T));
    const auto a = hn::LoadU(d, x + i);
    const auto b = hn::LoadU(d, x + i + lanes);
    first = better(a, first);
    second = better(b, second);
    nan = hn::Or(nan, hn::Or(hn::IsNaN(a), hn::IsNaN(b)));
  }
  if (i + lanes <= n) {
    const auto a = hn::LoadU(d, x + i);
    first = better(a, first);
    nan = hn::Or(nan, hn::IsNaN(a));
  }
  const auto both = better(first, second);
  const auto all = op == ReduceOp::min ? hn::MinOfLanes(d, both) : hn::MaxOfLanes(d, both);
  const T result = hn::AllFalse(d, nan) ? hn::GetLane(all) : std::numeric_limits<T>::quiet_NaN();
  T* acc = static_cast<T*>(accumulator);
  *acc = Loops<op, T>::join(*acc, result);
}

#if HWY_TARGET != HWY_SCALAR

/// Halves onto each other until one lane is left.
template <class D>
double sum_lanes(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) > 1) {
    const hn::Half<D> half;
    return sum_lanes(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    return hn::GetLane(v);
  }
}

template <class D>
hn::Vec<D> load_doubles(D d, const double* x) {
  return hn::LoadU(d, x);
}
template <class D>
hn::Vec<D> load_doubles(D d, const float* x) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), x));
}

/// Sums of rows, all lanes in registers. A zero more changes no lane: none is ever -0.
template <class T>
void sum_rows(void* accumulators, const void* untyped, std::int64_t length, std::int64_t rows) {
  const hn::ScalableTag<double> d;
  constexpr int native = static_cast<int>(hn::MaxLanes(d));
  constexpr int vectors = static_cast<int>(kLanes) / native;
  auto* const acc = static_cast<double*>(accumulators);
  const T* x = static_cast<const T*>(untyped);
  const std::int64_t whole = length / kLanes * kLanes;
  for (std::int64_t r = 0; r < rows; ++r, x += length) {
    hn::Vec<decltype(d)> sum[vectors];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) sum[v] = hn::Zero(d);
    for (std::int64_t i = 0; i < whole; i += kLanes) {
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) sum[v] = hn::Add(sum[v], load_doubles(d, x + i + v * native));
    }
    if (whole < length) {
      T rest[kLanes] = {};
      std::memcpy(rest, x + whole, static_cast<std::size_t>(length - whole) * sizeof(T));
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) sum[v] = hn::Add(sum[v], load_doubles(d, rest + v * native));
    }
#pragma GCC unroll 4
    for (int half = vectors / 2; half > 0; half /= 2) {
#pragma GCC unroll 16
      for (int v = 0; v < half; ++v) sum[v] = hn::Add(sum[v], sum[v + half]);
    }
    acc[r] += sum_lanes(d, sum[0]);
  }
}

#endif

template <ReduceOp op, class T>
void set_extreme(ReducerTable& table) {
  set_reducer<op, T>(table);
  table.rows[static_cast<int>(op)][static_cast<int>(dtype_of<T>())].row = extreme_row<op, T>;
}

template <class T>
void add_reducers(ReducerTable& table) {
  set_reducer<ReduceOp::sum, T>(table);
  if constexpr (std::is_floating_point_v<T>) {
    set_extreme<ReduceOp::min, T>(table);
    set_extreme<ReduceOp::max, T>(table);
#if HWY_TARGET != HWY_SCALAR
    // With narrower vectors the lanes do not fit the registers.
    if constexpr (hn::MaxLanes(hn::ScalableTag<double>()) >= 4) {
      table.rows[static_cast<int>(ReduceOp::sum)][static_cast<int>(dtype_of<T>())].rows = sum_rows<T>;
    }
#endif
  } else {
    set_reducer<ReduceOp::min, T>(table);
    set_reducer<ReduceOp::max, T>(table);
  }
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
