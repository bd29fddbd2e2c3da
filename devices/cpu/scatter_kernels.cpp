#include "devices/cpu/scatter_kernels.hpp"

#include <hwy/cache_control.h>
#include <type_traits>

#include "devices/common/element_ops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/scatter_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Plain loops, compiled for each instruction set: the compiler makes vector code of them.

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {

/// What sums of T are held in.
template <class T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;

constexpr std::int64_t kLine = 64;
/// Rows ahead, and lines of each, that are asked for early: the hardware follows once a row is under way.
constexpr std::int64_t kRowsAhead = 2;
constexpr std::int64_t kLinesAhead = 8;

template <ScatterOp op, class Held, class Update>
HWY_INLINE Held combined(Held held, Update update) {
  if constexpr (op == ScatterOp::add) {
    return element::add(held, static_cast<Held>(update));
  } else if constexpr (op == ScatterOp::min) {
    return element::minimum(held, static_cast<Held>(update));
  } else if constexpr (op == ScatterOp::max) {
    return element::maximum(held, static_cast<Held>(update));
  } else {
    return static_cast<Held>(update);
  }
}

template <ScatterOp op, class Update, class Target>
void scatter_run(const ScatterRun& run) {
  using Held = std::conditional_t<op == ScatterOp::add, Sum<Target>, Target>;
  const std::int64_t width = run.width;
  const auto row_of = [&](std::int64_t c) {
    return static_cast<const Update*>(run.updates) + run.order[c] * run.update_row_stride;
  };
  auto* const target = static_cast<Target*>(run.target);
  Held held[kScatterRun];
  if constexpr (op != ScatterOp::set) {
    for (std::int64_t i = 0; i < width; ++i) held[i] = static_cast<Held>(target[i * run.target_stride]);
  }
  // The highest position wins: the others need no look.
  for (std::int64_t c = op == ScatterOp::set ? run.count - 1 : 0; c < run.count; ++c) {
    const Update* const update = row_of(c);
    if (c + kRowsAhead < run.count) {
      const auto* const ahead = reinterpret_cast<const std::byte*>(row_of(c + kRowsAhead));
      const std::int64_t bytes = width * static_cast<std::int64_t>(sizeof(Update));
      for (std::int64_t at = 0; at < bytes && at < kLinesAhead * kLine; at += kLine)
        hwy::Prefetch(ahead + at);
    }
    if (run.update_stride == 1) {
      for (std::int64_t i = 0; i < width; ++i) held[i] = combined<op>(held[i], update[i]);
    } else {
      for (std::int64_t i = 0; i < width; ++i) {
        held[i] = combined<op>(held[i], update[i * run.update_stride]);
      }
    }
  }
  for (std::int64_t i = 0; i < width; ++i) target[i * run.target_stride] = static_cast<Target>(held[i]);
}

template <class Update>
void scatter_sums(const ScatterSums& task) {
  using Held = Sum<Update>;
  const std::int64_t inner = task.inner;
  auto* const sums = static_cast<Held*>(task.sums);
  for (std::int64_t c = 0; c < task.count; ++c) {
    const std::int64_t index = task.indices[c * task.index_stride];
    Held* const to = sums + (index < 0 ? index + task.axis : index) * inner;
    const Update* const update = static_cast<const Update*>(task.updates) + c * task.update_row_stride;
    if (task.update_stride == 1) {
      for (std::int64_t i = 0; i < inner; ++i) to[i] = combined<ScatterOp::add>(to[i], update[i]);
    } else {
      for (std::int64_t i = 0; i < inner; ++i) {
        to[i] = combined<ScatterOp::add>(to[i], update[i * task.update_stride]);
      }
    }
  }
}

ScatterRunKernel run_kernel(ScatterOp op, DType update, DType target) {
  if (update != target) return scatter_run<ScatterOp::add, float, double>;
  return visit_dtype(target, [op](auto tag) -> ScatterRunKernel {
    using T = decltype(tag);
    if constexpr (!std::is_same_v<T, bool>) {
      if (op == ScatterOp::add) return scatter_run<ScatterOp::add, T, T>;
      if (op == ScatterOp::min) return scatter_run<ScatterOp::min, T, T>;
      if (op == ScatterOp::max) return scatter_run<ScatterOp::max, T, T>;
    }
    return scatter_run<ScatterOp::set, T, T>;
  });
}

ScatterSumsKernel sums_kernel(DType update) {
  return visit_dtype(update, [](auto tag) -> ScatterSumsKernel {
    using T = decltype(tag);
    // bool has no sums.
    using Number = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    return scatter_sums<Number>;
  });
}

}  // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

HWY_EXPORT(run_kernel);
HWY_EXPORT(sums_kernel);

ScatterRunKernel scatter_run_kernel(ScatterOp op, DType update, DType target) {
  return HWY_DYNAMIC_DISPATCH(run_kernel)(op, update, target);
}

ScatterSumsKernel scatter_sums_kernel(DType update) {
  return HWY_DYNAMIC_DISPATCH(sums_kernel)(update);
}

}  // namespace tessera::cpu
#endif
