#include "devices/cpu/scatter_kernels.hpp"

#include <algorithm>
#include <type_traits>

#include <hwy/cache_control.h>

#include "devices/common/element_ops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/scatter_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Plain loops, compiled for each instruction set: the compiler makes vector code of them.

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What sums of T are held in.
template <class T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;

constexpr std::int64_t kLine = 64;
/// Lines of the next rows that are asked for early: the hardware follows once a row is under way.
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

/// What an update meets; `set` holds nothing before, and must not read it.
template <ScatterOp op, class Held>
HWY_INLINE Held held_or_nothing(const Held* held, std::int64_t i) {
  if constexpr (op == ScatterOp::set) {
    return Held{};
  } else {
    return held[i];
  }
}

/// Several rows at once, one after the other in each element: fewer loads and stores of what is held, and
/// more streams from memory.
template <ScatterOp op, int rows, class Held, class Update>
HWY_INLINE void combine_rows(const Update* const (&update)[rows], std::int64_t stride, std::int64_t width,
                             Held* HWY_RESTRICT held) {
  if (stride == 1) {
    for (std::int64_t i = 0; i < width; ++i) {
      Held element = held_or_nothing<op>(held, i);
      for (int r = 0; r < rows; ++r) element = combined<op>(element, update[r][i]);
      held[i] = element;
    }
  } else {
    for (std::int64_t i = 0; i < width; ++i) {
      Held element = held_or_nothing<op>(held, i);
      for (int r = 0; r < rows; ++r) element = combined<op>(element, update[r][i * stride]);
      held[i] = element;
    }
  }
}

template <ScatterOp op, class Update, class Target>
void scatter_run(const ScatterRun& run) {
  using Held = std::conditional_t<op == ScatterOp::add, Sum<Target>, Target>;
  constexpr std::int64_t rows = 4;
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
  std::int64_t c = op == ScatterOp::set ? run.count - 1 : 0;
  const std::int64_t lines =
      std::min(kLinesAhead, width * static_cast<std::int64_t>(sizeof(Update)) / kLine + 1);
  for (; c + rows <= run.count; c += rows) {
    for (std::int64_t next = c + rows; next < std::min(c + 2 * rows, run.count); ++next) {
      const auto* const ahead = reinterpret_cast<const std::byte*>(row_of(next));
      for (std::int64_t line = 0; line < lines; ++line) hwy::Prefetch(ahead + line * kLine);
    }
    const Update* const updates[rows] = {row_of(c), row_of(c + 1), row_of(c + 2), row_of(c + 3)};
    combine_rows<op>(updates, run.update_stride, width, held);
  }
  for (; c < run.count; ++c) {
    const Update* const updates[1] = {row_of(c)};
    combine_rows<op>(updates, run.update_stride, width, held);
  }
  for (std::int64_t i = 0; i < width; ++i) target[i * run.target_stride] = static_cast<Target>(held[i]);
}

/// to[i] += update[i]; floats in the widest vectors, of which compilers make narrower ones of their own
/// accord.
template <class Held, class Update>
HWY_INLINE void add_row(const Update* HWY_RESTRICT update, std::int64_t width, Held* HWY_RESTRICT to) {
  std::int64_t i = 0;
  if constexpr (std::is_same_v<Update, float>) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> narrow;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (; i + lanes <= width; i += lanes) {
      hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::PromoteTo(d, hn::LoadU(narrow, update + i))), d, to + i);
    }
  }
  for (; i < width; ++i) to[i] = combined<ScatterOp::add>(to[i], update[i]);
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
      add_row(update, inner, to);
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
