#include "devices/cpu/selection.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/selection.cpp"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle): compiled once a target

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <BinaryOp op, class V>
HWY_INLINE auto holds(V a, V b) {
  if constexpr (op == BinaryOp::less) return a < b;
  if constexpr (op == BinaryOp::less_equal) return a <= b;
  if constexpr (op == BinaryOp::greater) return a > b;
  if constexpr (op == BinaryOp::greater_equal) return a >= b;
}

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const Operand& x, std::int64_t at) {
  if (!x.scalar) return hn::LoadU(d, reinterpret_cast<const hn::TFromD<D>*>(x.data) + at);
  hn::TFromD<D> value;  // the bytes of an element of another type
  std::memcpy(&value, x.data, sizeof value);
  return hn::Set(d, value);
}

template <class D, class V>
HWY_INLINE void store(D d, V v, std::byte* out, std::int64_t at) {
  hn::StoreU(v, d, reinterpret_cast<hn::TFromD<D>*>(out) + at);
}

#if HWY_TARGET != HWY_SCALAR

/// A vector of comparisons from element `at` on. All is read before anything is written.
template <BinaryOp op, int count>
HWY_INLINE void select_strip(float, const Operand& a, const Operand& b, const Choice* choices,
                             std::int64_t at) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<std::uint32_t> d32;
  const hn::ScalableTag<std::uint64_t> d64;
  const hn::ScalableTag<double> wide;
  const hn::Half<decltype(d)> half;
  constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(wide));
  const auto x = load(d, a, at);
  const auto y = load(d, b, at);
  hn::Vec<decltype(d32)> of_4[count];
  hn::Vec<decltype(d64)> of_8[2 * count];
  for (int c = 0; c < count; ++c) {
    const auto& [item, yes, no, out] = choices[c];
    if (item == 4) {
      of_4[c] = hn::IfThenElse(hn::RebindMask(d32, holds<op>(x, y)), load(d32, yes, at), load(d32, no, at));
      continue;
    }
    // As float64, which changes no comparison, there are as many lanes as in the choice.
    const auto low =
        holds<op>(hn::PromoteTo(wide, hn::LowerHalf(half, x)), hn::PromoteTo(wide, hn::LowerHalf(half, y)));
    const auto high =
        holds<op>(hn::PromoteTo(wide, hn::UpperHalf(half, x)), hn::PromoteTo(wide, hn::UpperHalf(half, y)));
    of_8[2 * c] = hn::IfThenElse(hn::RebindMask(d64, low), load(d64, yes, at), load(d64, no, at));
    of_8[2 * c + 1] =
        hn::IfThenElse(hn::RebindMask(d64, high), load(d64, yes, at + lanes), load(d64, no, at + lanes));
  }
  for (int c = 0; c < count; ++c) {
    if (choices[c].item == 4) {
      store(d32, of_4[c], choices[c].out, at);
    } else {
      store(d64, of_8[2 * c], choices[c].out, at);
      store(d64, of_8[2 * c + 1], choices[c].out, at + lanes);
    }
  }
}

template <BinaryOp op, int count>
HWY_INLINE void select_strip(double, const Operand& a, const Operand& b, const Choice* choices,
                             std::int64_t at) {
  const hn::ScalableTag<double> d;
  const hn::ScalableTag<std::uint64_t> d64;
  const auto where = hn::RebindMask(d64, holds<op>(load(d, a, at), load(d, b, at)));
  hn::Vec<decltype(d64)> chosen[count];
  for (int c = 0; c < count; ++c) {
    chosen[c] = hn::IfThenElse(where, load(d64, choices[c].yes, at), load(d64, choices[c].no, at));
  }
  for (int c = 0; c < count; ++c) store(d64, chosen[c], choices[c].out, at);
}

#endif

/// One element.
template <BinaryOp op, class T>
void select_one(const Operand& a, const Operand& b, const Choice* choices, int count, std::int64_t at) {
  const auto place = [at](const Operand& x, std::size_t item) {
    return x.data + (x.scalar ? 0 : at * static_cast<std::int64_t>(item));
  };
  T x;
  T y;
  std::memcpy(&x, place(a, sizeof x), sizeof x);
  std::memcpy(&y, place(b, sizeof y), sizeof y);
  std::uint64_t chosen[kMostChoices];
  for (int c = 0; c < count; ++c) {
    const Operand& from = holds<op>(x, y) ? choices[c].yes : choices[c].no;
    std::memcpy(&chosen[c], place(from, choices[c].item), choices[c].item);
  }
  for (int c = 0; c < count; ++c) {
    std::memcpy(choices[c].out + at * static_cast<std::int64_t>(choices[c].item), &chosen[c],
                choices[c].item);
  }
}

template <BinaryOp op, int count, class T>
void select_by(const Operand& a, const Operand& b, const Choice* choices, std::int64_t n) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
  for (; i + lanes <= n; i += lanes) select_strip<op, count>(T{}, a, b, choices, i);
#endif
  for (; i < n; ++i) select_one<op, T>(a, b, choices, count, i);
}

template <BinaryOp op>
void select_of(DType dtype, const Operand& a, const Operand& b, const Choice* choices, int count,
               std::int64_t n) {
  static_assert(kMostChoices == 2);
  if (dtype == DType::float32) {
    count == 1 ? select_by<op, 1, float>(a, b, choices, n) : select_by<op, 2, float>(a, b, choices, n);
  } else {
    count == 1 ? select_by<op, 1, double>(a, b, choices, n) : select_by<op, 2, double>(a, b, choices, n);
  }
}

void select(BinaryOp comparison, DType dtype, const Operand& a, const Operand& b, const Choice* choices,
            int count, std::int64_t n) {
  switch (comparison) {
    case BinaryOp::less: select_of<BinaryOp::less>(dtype, a, b, choices, count, n); break;
    case BinaryOp::less_equal: select_of<BinaryOp::less_equal>(dtype, a, b, choices, count, n); break;
    case BinaryOp::greater: select_of<BinaryOp::greater>(dtype, a, b, choices, count, n); break;
    default: select_of<BinaryOp::greater_equal>(dtype, a, b, choices, count, n);
  }
}

}  // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

HWY_EXPORT(select);

void select(BinaryOp comparison, DType dtype, const Operand& a, const Operand& b, const Choice* choices,
            int count, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(select)(comparison, dtype, a, b, choices, count, n);
}

}  // namespace tessera::cpu
#endif
