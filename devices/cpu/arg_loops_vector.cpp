// argmin and argmax for each instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/arg_loops_vector.cpp"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle): compiled once a target

#include <hwy/highway.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "devices/common/element_ops.hpp"
#include "devices/cpu/arg_loops.hpp"
#include "devices/cpu/prefetch.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#include "devices/cpu/arg_loops-inl.hpp"

/// The best value of a long row is found first, a part at a time while it is in the cache; then where it is.
constexpr std::int64_t kPart = 4096;
/// The search for it ends with a branch that cannot be foreseen: shorter rows do without.
constexpr std::int64_t kOnePass = 512;

template <ArgReduceOp op, class T>
struct Row {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  static V better(V a, V b) {
    if constexpr (op == ArgReduceOp::argmin)
      return hn::Min(a, b);
    else
      return hn::Max(a, b);
  }

  static auto is_nan(V v) {
    if constexpr (std::is_floating_point_v<T>)
      return hn::IsNaN(v);
    else
      return hn::Ne(v, v);
  }

  struct Best {
    T value;
    bool nan;
  };

  /// Of x[0..n), n >= lanes. The last vector overlaps the one before: that changes nothing here.
  static Best best(const T* x, std::int64_t n) {
    const D d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    V first = hn::LoadU(d, x + n - lanes);
    V second = first;
    auto nan = is_nan(first);
    std::int64_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      prefetch_ahead(x + i, 2 * static_cast<std::size_t>(lanes) * sizeof(T));
      const V a = hn::LoadU(d, x + i);
      const V b = hn::LoadU(d, x + i + lanes);
      first = better(a, first);
      second = better(b, second);
      if constexpr (std::is_floating_point_v<T>) nan = hn::Or(nan, hn::Or(is_nan(a), is_nan(b)));
    }
    if (i + lanes <= n) {
      const V a = hn::LoadU(d, x + i);
      first = better(a, first);
      if constexpr (std::is_floating_point_v<T>) nan = hn::Or(nan, is_nan(a));
    }
    const V both = better(first, second);
    const bool has_nan = std::is_floating_point_v<T> && !hn::AllFalse(d, nan);
    if constexpr (op == ArgReduceOp::argmin)
      return {hn::GetLane(hn::MinOfLanes(d, both)), has_nan};
    else
      return {hn::GetLane(hn::MaxOfLanes(d, both)), has_nan};
  }

  /// The first i with x[i] == value, or with x[i] a NaN. There is one, and n >= lanes.
  static std::int64_t find(const T* x, std::int64_t n, Best what) {
    const D d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const V value = hn::Set(d, what.value);
    const auto matches = [&](std::int64_t i) HWY_ATTR {
      const V v = hn::LoadU(d, x + i);
      return what.nan ? is_nan(v) : hn::Eq(v, value);
    };
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      const auto found = matches(i);
      if (!hn::AllFalse(d, found)) return i + static_cast<std::int64_t>(hn::FindKnownFirstTrue(d, found));
    }
    return n - lanes + static_cast<std::int64_t>(hn::FindKnownFirstTrue(d, matches(n - lanes)));
  }

  /// Of x[0..n), n >= lanes: positions go along with the best of each lane, without a branch on values.
  static std::int64_t find_in_one_pass(const T* x, std::int64_t n) {
    const D d;
    const hn::RebindToSigned<D> di;
    using I = hn::TFromD<decltype(di)>;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto ahead = [](V a, V b) HWY_ATTR {
      if constexpr (op == ArgReduceOp::argmin)
        return hn::Lt(a, b);
      else
        return hn::Gt(a, b);
    };
    struct Chain {
      V best;
      hn::Vec<hn::RebindToSigned<D>> index;
    };
    const auto first = hn::Iota(di, 0);
    auto nan = is_nan(hn::Zero(d));
    const auto meet = [&](Chain& chain, std::int64_t i) HWY_ATTR {
      const V v = hn::LoadU(d, x + i);
      const auto wins = ahead(v, chain.best);
      chain.best = hn::IfThenElse(wins, v, chain.best);
      chain.index = hn::IfThenElse(hn::RebindMask(di, wins), hn::Add(first, hn::Set(di, static_cast<I>(i))),
                                   chain.index);
      if constexpr (std::is_floating_point_v<T>) nan = hn::Or(nan, is_nan(v));
    };
    // The last vector overlaps the one before: an element that is met twice has one position.
    Chain even{hn::LoadU(d, x), first};
    if constexpr (std::is_floating_point_v<T>) nan = is_nan(even.best);
    Chain odd = even;
    std::int64_t i = lanes;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      meet(odd, i);
      meet(even, i + lanes);
    }
    if (i + lanes <= n) meet(odd, i);
    meet(even, n - lanes);
    if (std::is_floating_point_v<T> && !hn::AllFalse(d, nan)) return find(x, n, {T{}, true});
    const V both = better(even.best, odd.best);
    const V winner = hn::Set(d, op == ArgReduceOp::argmin ? hn::GetLane(hn::MinOfLanes(d, both))
                                                          : hn::GetLane(hn::MaxOfLanes(d, both)));
    const auto none = hn::Set(di, std::numeric_limits<I>::max());
    const auto place = [&](const Chain& chain) HWY_ATTR {
      return hn::IfThenElse(hn::RebindMask(di, hn::Eq(chain.best, winner)), chain.index, none);
    };
    return static_cast<std::int64_t>(hn::GetLane(hn::MinOfLanes(di, hn::Min(place(even), place(odd)))));
  }

  static std::int64_t run(const void* untyped, std::int64_t n, void* best_value) {
    const T* x = static_cast<const T*>(untyped);
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(D()));
    if (n < lanes) return arg_row_by_elements<op, T>(untyped, n, best_value);
    if (n <= kOnePass) {
      const std::int64_t index = find_in_one_pass(x, n);
      *static_cast<T*>(best_value) = x[index];
      return index;
    }
    Best winner{};
    std::int64_t part = 0;
    std::int64_t part_end = 0;
    for (std::int64_t begin = 0; begin < n; begin += kPart) {
      const std::int64_t end = std::min(begin + kPart, n);
      // The last part may reach back: what is there cannot beat the best so far, nor is there a NaN.
      const std::int64_t from = std::min(begin, end - lanes);
      const Best candidate = best(x + from, end - from);
      const bool wins =
          op == ArgReduceOp::argmin ? candidate.value < winner.value : candidate.value > winner.value;
      if (begin == 0 || candidate.nan || wins) {
        winner = candidate;
        part = from;
        part_end = end;
      }
      if (candidate.nan) break;
    }
    const std::int64_t index = part + find(x + part, part_end - part, winner);
    *static_cast<T*>(best_value) = x[index];
    return index;
  }
};

template <class T>
void add_loops(ArgLoopTable& table) {
  const auto set = [&]<ArgReduceOp op>() {
    table.rows[static_cast<int>(op)][static_cast<int>(dtype_of<T>())] = {Row<op, T>::run, arg_columns<op, T>,
                                                                         arg_gives_way<op, T>};
  };
  set.template operator()<ArgReduceOp::argmin>();
  set.template operator()<ArgReduceOp::argmax>();
}

void add_all(ArgLoopTable& table) {
  add_loops<float>(table);
  add_loops<double>(table);
  add_loops<std::int32_t>(table);
  add_loops<std::int64_t>(table);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tessera::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

HWY_EXPORT(add_all);

void add_vector_arg_loops(ArgLoopTable& table) {
  HWY_DYNAMIC_DISPATCH(add_all)(table);
}

}  // namespace tessera::cpu
#endif
