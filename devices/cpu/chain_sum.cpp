#include "devices/cpu/chain.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "devices/cpu/reducers.hpp"

// Before a loop whose variable indexes registers: unless it is unrolled, GCC keeps them in memory.
#define TESSERA_UNROLL _Pragma("GCC unroll 32")

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/chain_sum.cpp"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle): compiled once a target

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {
// With narrower vectors the lanes do not fit the registers.
#if HWY_TARGET <= HWY_AVX2

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vector = hn::Vec<Tag<T>>;
using Doubles = Tag<double>;

template <class T>
constexpr int kWidth = static_cast<int>(hn::MaxLanes(Tag<T>()));
/// Vectors of float64 that a vector of T becomes.
template <class T>
constexpr int kParts = kWidth<T> / static_cast<int>(hn::MaxLanes(Doubles()));
/// Vectors of values that the registers hold beside their sums.
constexpr int kValues = hn::MaxLanes(Doubles()) >= 8 ? 8 : 4;

/// A strip of values: in each of R runs from `run` on, P vectors side by side from element `at` on; where it
/// is not whole, only the first n elements of each run.
template <int R, int P, bool whole, class T>
struct Strip {
  static constexpr int kCount = R * P;
  using Values = Vector<T>[R * P];

  static HWY_INLINE auto mask(int part, std::int64_t n) {
    return hn::FirstN(Tag<T>(), static_cast<std::size_t>(std::max<std::int64_t>(n - part * kWidth<T>, 0)));
  }

  template <class F>
  static HWY_INLINE void with(const ChainStep& step, std::int64_t run, std::int64_t at, std::int64_t n,
                              Values& value, const F& f) {
    const Tag<T> d;
    const auto* const first = static_cast<const std::byte*>(step.data) + run * step.step;
    if (step.scalar) {
      TESSERA_UNROLL
      for (int v = 0; v < kCount; ++v) {
        value[v] = f(value[v], hn::Set(d, *reinterpret_cast<const T*>(first + v / P * step.step)));
      }
      return;
    }
    TESSERA_UNROLL
    for (int v = 0; v < kCount; ++v) {
      const T* const data = reinterpret_cast<const T*>(first + v / P * step.step) + at + v % P * kWidth<T>;
      if constexpr (whole) {
        value[v] = f(value[v], hn::LoadU(d, data));
      } else {
        value[v] = f(value[v], hn::MaskedLoad(mask(v % P, n), d, data));
      }
    }
  }

  template <class F>
  static HWY_INLINE void alone(Values& value, const F& f) {
    TESSERA_UNROLL
    for (int v = 0; v < kCount; ++v) value[v] = f(value[v]);
  }

  /// What lies past the end adds nothing.
  static HWY_INLINE void clear_rest(std::int64_t n, Values& value) {
    if constexpr (!whole) {
      TESSERA_UNROLL
      for (int v = 0; v < kCount; ++v) value[v] = hn::IfThenElseZero(mask(v % P, n), value[v]);
    }
  }
};

/// Any chain, a link at a time.
struct AnyChain {
  const ChainStep* steps;
  int count;

  template <int R, int P, bool whole, class T>
  HWY_INLINE void give(std::int64_t run, std::int64_t at, std::int64_t n, Vector<T> (&value)[R * P]) const {
    using S = Strip<R, P, whole, T>;
    using X = Vector<T>;
    S::alone(value, [](X) HWY_ATTR { return hn::Zero(Tag<T>()); });
    for (const ChainStep* step = steps; step != steps + count; ++step) {
      const auto with = [&](const auto& f) HWY_ATTR { S::with(*step, run, at, n, value, f); };
      switch (step->link) {
        case Link::load: with([](X, X b) HWY_ATTR { return b; }); break;
        case Link::add: with([](X v, X b) HWY_ATTR { return hn::Add(v, b); }); break;
        case Link::subtract: with([](X v, X b) HWY_ATTR { return hn::Sub(v, b); }); break;
        case Link::subtract_from: with([](X v, X b) HWY_ATTR { return hn::Sub(b, v); }); break;
        case Link::multiply: with([](X v, X b) HWY_ATTR { return hn::Mul(v, b); }); break;
        case Link::divide: with([](X v, X b) HWY_ATTR { return hn::Div(v, b); }); break;
        case Link::divide_into: with([](X v, X b) HWY_ATTR { return hn::Div(b, v); }); break;
        case Link::square: S::alone(value, [](X v) HWY_ATTR { return hn::Mul(v, v); }); break;
        case Link::twice: S::alone(value, [](X v) HWY_ATTR { return hn::Add(v, v); }); break;
        case Link::negative: S::alone(value, [](X v) HWY_ATTR { return hn::Neg(v); }); break;
        case Link::abs: S::alone(value, [](X v) HWY_ATTR { return hn::Abs(v); }); break;
        case Link::sqrt: S::alone(value, [](X v) HWY_ATTR { return hn::Sqrt(v); }); break;
        case Link::keep: break;  // Plan gives none of these to sum
      }
    }
    S::clear_rest(n, value);
  }
};

/// The square of a difference, what distances are made of: without a choice for each link.
struct SquaredDifference {
  const ChainStep* steps;

  static bool is(const ChainStep* steps, int count) {
    return count == 3 && steps[0].link == Link::load && !steps[0].scalar &&
           (steps[1].link == Link::subtract || steps[1].link == Link::subtract_from) &&
           steps[2].link == Link::square;
  }

  template <int R, int P, bool whole, class T>
  HWY_INLINE void give(std::int64_t run, std::int64_t at, std::int64_t n, Vector<T> (&value)[R * P]) const {
    using S = Strip<R, P, whole, T>;
    using X = Vector<T>;
    S::with(steps[0], run, at, n, value, [](X, X b) HWY_ATTR { return b; });
    S::with(steps[1], run, at, n, value, [](X v, X b) HWY_ATTR { return hn::Sub(v, b); });
    S::alone(value, [](X v) HWY_ATTR { return hn::Mul(v, v); });
    S::clear_rest(n, value);
  }
};

/// `first`: the sums were zero. Then they may become -0, which changes no sum that is not; sum_lanes_of gives
/// 0.
template <bool first, class T, int V>
HWY_INLINE void add_to(Vector<double> (&sum)[V * kParts<T>], const Vector<T> (&value)[V]) {
  const Doubles d;
  const auto add = [&](int part, Vector<double> v)
                       HWY_ATTR { sum[part] = first ? v : hn::Add(sum[part], v); };
  if constexpr (kParts<T> == 1) {
    TESSERA_UNROLL
    for (int v = 0; v < V; ++v) add(v, value[v]);
    return;
  } else {
    const hn::Half<Tag<T>> half;
    constexpr int width = kWidth<T>;
#if HWY_TARGET <= HWY_AVX3
    // Upper halves by way of memory: the port that moves them between lanes is the one that is short.
    HWY_ALIGN T kept[V * width];
    TESSERA_UNROLL
    for (int v = 0; v < V; ++v) hn::Store(value[v], Tag<T>(), kept + v * width);
    asm("" : "+m"(kept));  // else GCC would make moves of it again
    const auto upper = [&](int v) HWY_ATTR { return hn::Load(half, kept + v * width + width / 2); };
#else
    const auto upper = [&](int v) HWY_ATTR { return hn::UpperHalf(half, value[v]); };
#endif
    TESSERA_UNROLL
    for (int v = 0; v < V; ++v) {
      add(2 * v, hn::PromoteTo(d, hn::LowerHalf(half, value[v])));
      add(2 * v + 1, hn::PromoteTo(d, upper(v)));
    }
  }
}

template <int V>
HWY_INLINE void set_zero(Vector<double> (&sum)[V]) {
  TESSERA_UNROLL
  for (int v = 0; v < V; ++v) sum[v] = hn::Zero(Doubles());
}

/// Halves onto each other until one lane is left.
template <class D>
HWY_INLINE double sum_lanes(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) > 1) {
    const hn::Half<D> half;
    return sum_lanes(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    return hn::GetLane(v);
  }
}

/// out[r] becomes the sum of the lanes of sum[r], and 0 where that is -0.
template <int R>
HWY_INLINE void sum_lanes_of(const Vector<double> (&sum)[R], double* out) {
  const Doubles d;
#if HWY_TARGET <= HWY_AVX3
  if constexpr (R == 4) {
    // The same additions, four rows at a time: blocks of two lanes of the rows 0, 2, 1 and 3.
    const auto halves = [&](int a, int b) HWY_ATTR {
      return hn::Add(hn::ConcatLowerLower(d, sum[b], sum[a]), hn::ConcatUpperUpper(d, sum[b], sum[a]));
    };
    const auto a = halves(0, 1);
    const auto b = halves(2, 3);
    const auto pairs = hn::Add(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a),
                               hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a)));
    HWY_ALIGN double all[kWidth<double>];
    hn::Store(hn::Add(pairs, hn::Shuffle01(pairs)), d, all);
    out[0] = all[0] + 0.0;
    out[1] = all[4] + 0.0;
    out[2] = all[2] + 0.0;
    out[3] = all[6] + 0.0;
    return;
  }
#endif
  TESSERA_UNROLL
  for (int r = 0; r < R; ++r) out[r] = sum_lanes(d, sum[r]) + 0.0;
}

// ---- runs are rows: each is summed in kLanes lanes

template <int R, class T, class Chain>
HWY_INLINE void sum_some_rows(const Chain& chain, std::int64_t row, std::int64_t columns, double* out) {
  constexpr int P = static_cast<int>(kLanes) / kWidth<T>;
  constexpr int parts = P * kParts<T>;  // vectors of lanes
  Vector<double> sum[R * parts];
  Vector<T> value[R * P];
  std::int64_t at = 0;
  if (columns >= kLanes) {
    chain.template give<R, P, true, T>(row, 0, 0, value);
    add_to<true, T, R * P>(sum, value);
    at = kLanes;
  } else {
    set_zero<R * parts>(sum);
  }
  for (; at + kLanes <= columns; at += kLanes) {
    chain.template give<R, P, true, T>(row, at, 0, value);
    add_to<false, T, R * P>(sum, value);
  }
  if (at < columns) {
    chain.template give<R, P, false, T>(row, at, columns - at, value);
    add_to<false, T, R * P>(sum, value);
  }
  Vector<double> lanes[R];
  TESSERA_UNROLL
  for (int r = 0; r < R; ++r) {
    TESSERA_UNROLL
    for (int half = parts / 2; half > 0; half /= 2) {
      TESSERA_UNROLL
      for (int v = 0; v < half; ++v) {
        sum[r * parts + v] = hn::Add(sum[r * parts + v], sum[r * parts + v + half]);
      }
    }
    lanes[r] = sum[r * parts];
  }
  sum_lanes_of<R>(lanes, out + row);
}

template <class T, class Chain>
void sum_rows(const Chain& chain, double* out, std::int64_t columns, std::int64_t rows) {
  constexpr int most = std::max(kValues * kWidth<T> / static_cast<int>(kLanes), 1);
  std::int64_t row = 0;
  for (; row + most <= rows; row += most) sum_some_rows<most, T>(chain, row, columns, out);
  for (; row < rows; ++row) sum_some_rows<1, T>(chain, row, columns, out);
}

// ---- runs are columns: each row is summed from its first element to its last

template <int P, bool whole, class T, class Chain>
HWY_INLINE void sum_strip(const Chain& chain, std::int64_t at, std::int64_t n, std::int64_t runs,
                          double* out) {
  constexpr int parts = P * kParts<T>;
  const Doubles d;
  Vector<double> sum[parts];
  set_zero<parts>(sum);
  Vector<T> value[P];
  for (std::int64_t run = 0; run < runs; ++run) {
    chain.template give<1, P, whole, T>(run, at, n, value);
    add_to<false, T, P>(sum, value);
  }
  if constexpr (whole) {
    TESSERA_UNROLL
    for (int v = 0; v < parts; ++v) hn::StoreU(sum[v], d, out + at + v * kWidth<double>);
  } else {
    HWY_ALIGN double rest[P * kWidth<T>];
    TESSERA_UNROLL
    for (int v = 0; v < parts; ++v) hn::Store(sum[v], d, rest + v * kWidth<double>);
    std::memcpy(out + at, rest, static_cast<std::size_t>(n) * sizeof(double));
  }
}

template <class T, class Chain>
void sum_columns(const Chain& chain, double* out, std::int64_t columns, std::int64_t rows) {
  constexpr int most = kValues;
  std::int64_t at = 0;
  for (; at + most * kWidth<T> <= rows; at += most * kWidth<T>) {
    sum_strip<most, true, T>(chain, at, 0, columns, out);
  }
  for (; at + kWidth<T> <= rows; at += kWidth<T>) sum_strip<1, true, T>(chain, at, 0, columns, out);
  if (at < rows) sum_strip<1, false, T>(chain, at, rows - at, columns, out);
}

template <class T, class Chain>
void sum_of(const Chain& chain, double* out, std::int64_t columns, std::int64_t rows, bool by_columns) {
  if (by_columns) {
    sum_columns<T>(chain, out, columns, rows);
  } else {
    sum_rows<T>(chain, out, columns, rows);
  }
}

bool sums_chains() {
  return true;
}

void sum_chain(DType dtype, const ChainStep* steps, int count, double* out, std::int64_t columns,
               std::int64_t rows, bool by_columns) {
  const auto run = [&]<class T>(T) {
    if (SquaredDifference::is(steps, count)) {
      sum_of<T>(SquaredDifference{steps}, out, columns, rows, by_columns);
    } else {
      sum_of<T>(AnyChain{steps, count}, out, columns, rows, by_columns);
    }
  };
  dtype == DType::float32 ? run(0.0F) : run(0.0);
}

#else

bool sums_chains() {
  return false;
}
void sum_chain(DType, const ChainStep*, int, double*, std::int64_t, std::int64_t, bool) {}

#endif

}  // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

HWY_EXPORT(sums_chains);
HWY_EXPORT(sum_chain);

bool sums_chains() {
  return HWY_DYNAMIC_DISPATCH(sums_chains)();
}

void sum_chain(DType dtype, const ChainStep* steps, int count, double* out, std::int64_t columns,
               std::int64_t rows, bool by_columns) {
  HWY_DYNAMIC_DISPATCH(sum_chain)(dtype, steps, count, out, columns, rows, by_columns);
}

}  // namespace tessera::cpu
#endif
