// Unary loops for each instruction set. But for exp and log the bodies are the elements' own definitions:
// inside the target's namespace the compiler turns them into its vector code.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/loops_vector_unary.cpp"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle): compiled once a target

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include <cstring>
#include <limits>

#include "devices/common/element_ops.hpp"
#include "devices/cpu/loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <UnaryOp op, class T>
void unary(const void* x, void* out, std::int64_t n) {
  using Out = std::conditional_t<element::gives_bool(op), std::uint8_t, T>;  // bools are bytes here
  const T* from = static_cast<const T*>(x);
  Out* to = static_cast<Out*>(out);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<Out>(element::unary<op>(from[i]));
}

#if HWY_TARGET != HWY_SCALAR

/// Highway's functions, and the values outside their domain.
template <class D, class V>
V exp(D d, V x) {
  using T = hn::TFromD<D>;
  // The least x whose exponential overflows.
  const T top = sizeof(T) == 4 ? static_cast<T>(88.72284F) : static_cast<T>(709.782712893384);
  const auto infinity = hn::Set(d, std::numeric_limits<T>::infinity());
  const auto result = hn::IfThenElse(hn::Gt(x, hn::Set(d, top)), infinity, hn::Exp(d, x));
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

template <class D, class V>
V log(D d, V x) {
  using T = hn::TFromD<D>;
  const auto zero = hn::Zero(d);
  const auto infinity = hn::Set(d, std::numeric_limits<T>::infinity());
  auto result = hn::IfThenElse(hn::Eq(x, infinity), infinity, hn::Log(d, x));
  result = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), result);
  result = hn::IfThenElse(hn::Lt(x, zero), hn::NaN(d), result);
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

template <UnaryOp op, class T>
void transcendental(const void* x, void* out, std::int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(out);
  const auto apply = [&](auto v) HWY_ATTR {
    if constexpr (op == UnaryOp::exp)
      return exp(d, v);
    else
      return log(d, v);
  };
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(apply(hn::LoadU(d, from + i)), d, to + i);
  if (i == n) return;
  HWY_ALIGN T rest[hn::MaxLanes(d)] = {};
  std::memcpy(rest, from + i, static_cast<std::size_t>(n - i) * sizeof(T));
  hn::Store(apply(hn::Load(d, rest)), d, rest);
  std::memcpy(to + i, rest, static_cast<std::size_t>(n - i) * sizeof(T));
}

#endif

template <class T>
void add_loops(LoopTables& tables) {
  const auto set = [&](UnaryOp op, UnaryLoop loop) {
    tables.unary[static_cast<int>(op)][static_cast<int>(dtype_of<T>())] = loop;
  };
  set(UnaryOp::negative, unary<UnaryOp::negative, T>);
  set(UnaryOp::abs, unary<UnaryOp::abs, T>);
  set(UnaryOp::square, unary<UnaryOp::square, T>);
  set(UnaryOp::sign, unary<UnaryOp::sign, T>);
  if constexpr (std::is_floating_point_v<T>) {
    set(UnaryOp::sqrt, unary<UnaryOp::sqrt, T>);
    set(UnaryOp::floor, unary<UnaryOp::floor, T>);
    set(UnaryOp::ceil, unary<UnaryOp::ceil, T>);
    set(UnaryOp::round, unary<UnaryOp::round, T>);
    set(UnaryOp::trunc, unary<UnaryOp::trunc, T>);
    set(UnaryOp::isnan, unary<UnaryOp::isnan, T>);
    set(UnaryOp::isinf, unary<UnaryOp::isinf, T>);
    set(UnaryOp::isfinite, unary<UnaryOp::isfinite, T>);
#if HWY_TARGET != HWY_SCALAR
    set(UnaryOp::exp, transcendental<UnaryOp::exp, T>);
    set(UnaryOp::log, transcendental<UnaryOp::log, T>);
#endif
  }
}

void add_all(LoopTables& tables) {
  add_loops<float>(tables);
  add_loops<double>(tables);
  add_loops<std::int32_t>(tables);
  add_loops<std::int64_t>(tables);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tessera::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

HWY_EXPORT(add_all);

void add_vector_unary_loops(LoopTables& tables) {
  HWY_DYNAMIC_DISPATCH(add_all)(tables);
}

}  // namespace tessera::cpu
#endif
