#include "devices/cpu/chain.hpp"

#include <cstddef>
#include <cstring>

#include "devices/cpu/prefetch.hpp"

// Before a loop whose variable indexes registers: unless it is unrolled, GCC keeps them in memory.
#define TESSERA_UNROLL _Pragma("GCC unroll 16")

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/chain.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vector = hn::Vec<Tag<T>>;

/// Values are so many vectors at a time: what choosing a link costs is then little.
constexpr int kVectors = 8;

/// What the steps of a strip keep.
template <class T>
constexpr std::size_t kSlotElements = kVectors* hn::MaxLanes(Tag<T>());
template <class T>
struct Slots {
  HWY_ALIGN T values[kChainSlots][kSlotElements<T>];
};

template <int V, class T, class F>
HWY_INLINE void with_operand(const ChainStep& step, std::int64_t at, const Slots<T>& slots,
                             Vector<T> (&value)[V], const F& f) {
  using X = Vector<T>;
  const Tag<T> d;
  const T* data = static_cast<const T*>(step.data);
  if (step.scalar) {
    const auto operand = hn::Set(d, *data);
    TESSERA_UNROLL
    for (int v = 0; v < V; ++v) value[v] = f(value[v], operand);
    return;
  }
  data = step.slot < 0 ? data + at : slots.values[step.slot];
  if (step.ahead) prefetch_far(data, V * sizeof(X), 16384);
  TESSERA_UNROLL
  for (int v = 0; v < V; ++v) {
    value[v] = f(value[v], hn::LoadU(d, data + v * static_cast<std::int64_t>(hn::Lanes(d))));
  }
}

template <int V, class T>
HWY_INLINE void keep(const Vector<T> (&value)[V], T* slot) {
  const Tag<T> d;
  TESSERA_UNROLL
  for (int v = 0; v < V; ++v) hn::StoreU(value[v], d, slot + v * static_cast<std::int64_t>(hn::Lanes(d)));
}

template <int V, class T, class F>
HWY_INLINE void alone(Vector<T> (&value)[V], const F& f) {
  TESSERA_UNROLL
  for (int v = 0; v < V; ++v) value[v] = f(value[v]);
}

/// V vectors of every operand, from element `at` on.
template <bool streams, int V, class T>
HWY_INLINE void run_strip(const ChainStep* steps, int count, std::int64_t at, Slots<T>& slots, T* out) {
  const Tag<T> d;
  using X = Vector<T>;
  X value[V];
  alone<V, T>(value, [&](X) HWY_ATTR { return hn::Zero(d); });
  for (const ChainStep* step = steps; step != steps + count; ++step) {
    switch (step->link) {
      case Link::load: with_operand<V, T>(*step, at, slots, value, [](X, X b) HWY_ATTR { return b; }); break;
      case Link::add:
        with_operand<V, T>(*step, at, slots, value, [](X v, X b) HWY_ATTR { return hn::Add(v, b); });
        break;
      case Link::subtract:
        with_operand<V, T>(*step, at, slots, value, [](X v, X b) HWY_ATTR { return hn::Sub(v, b); });
        break;
      case Link::subtract_from:
        with_operand<V, T>(*step, at, slots, value, [](X v, X b) HWY_ATTR { return hn::Sub(b, v); });
        break;
      case Link::multiply:
        with_operand<V, T>(*step, at, slots, value, [](X v, X b) HWY_ATTR { return hn::Mul(v, b); });
        break;
      case Link::divide:
        with_operand<V, T>(*step, at, slots, value, [](X v, X b) HWY_ATTR { return hn::Div(v, b); });
        break;
      case Link::divide_into:
        with_operand<V, T>(*step, at, slots, value, [](X v, X b) HWY_ATTR { return hn::Div(b, v); });
        break;
      case Link::square: alone<V, T>(value, [](X v) HWY_ATTR { return hn::Mul(v, v); }); break;
      case Link::twice: alone<V, T>(value, [](X v) HWY_ATTR { return hn::Add(v, v); }); break;
      case Link::negative: alone<V, T>(value, [](X v) HWY_ATTR { return hn::Neg(v); }); break;
      case Link::abs: alone<V, T>(value, [](X v) HWY_ATTR { return hn::Abs(v); }); break;
      case Link::sqrt: alone<V, T>(value, [](X v) HWY_ATTR { return hn::Sqrt(v); }); break;
      case Link::keep: keep<V, T>(value, slots.values[step->slot]); break;
    }
  }
  TESSERA_UNROLL
  for (int v = 0; v < V; ++v) {
    T* const to = out + v * static_cast<std::int64_t>(hn::Lanes(d));
    if constexpr (streams) {
      hn::Stream(value[v], d, to);
    } else {
      hn::StoreU(value[v], d, to);
    }
  }
}

/// Less than a vector, by way of buffers.
template <class T>
HWY_NOINLINE void run_rest(const ChainStep* steps, int count, std::int64_t at, Slots<T>& slots, T* out,
                           std::int64_t n) {
  const Tag<T> d;
  const auto bytes = static_cast<std::size_t>(n) * sizeof(T);
  HWY_ALIGN T operand[hn::MaxLanes(d)] = {};
  HWY_ALIGN T value[hn::MaxLanes(d)] = {};
  const ChainStep so_far{Link::load, false, value, 0, false};
  for (int i = 0; i < count; ++i) {
    ChainStep two[2] = {so_far, steps[i]};
    two[1].ahead = false;
    const bool reads = steps[i].link < Link::square;
    if (reads && !steps[i].scalar && steps[i].slot < 0) {
      std::memcpy(operand, static_cast<const T*>(steps[i].data) + at, bytes);
      two[1].data = operand;
    }
    run_strip<false, 1, T>(two, 2, 0, slots, value);
  }
  std::memcpy(out, value, bytes);
}

template <class T>
void run_once(const ChainStep* steps, int count, T* to, std::int64_t n, bool streams) {
  constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(Tag<T>()));
  Slots<T> slots;
  std::int64_t i = 0;
  if (streams && reinterpret_cast<std::uintptr_t>(to) % sizeof(Vector<T>) == 0) {
    for (; i + kVectors * lanes <= n; i += kVectors * lanes) {
      run_strip<true, kVectors, T>(steps, count, i, slots, to + i);
    }
  }
  for (; i + kVectors * lanes <= n; i += kVectors * lanes) {
    run_strip<false, kVectors, T>(steps, count, i, slots, to + i);
  }
  constexpr int half = kVectors / 2;
  if (i + half * lanes <= n) {
    run_strip<false, half, T>(steps, count, i, slots, to + i);
    i += half * lanes;
  }
  for (; i + lanes <= n; i += lanes) run_strip<false, 1, T>(steps, count, i, slots, to + i);
  if (i < n) run_rest<T>(steps, count, i, slots, to + i, n - i);
}

template <class T>
void run_chain(ChainStep* steps, int count, void* out, std::int64_t n, std::int64_t runs, bool streams) {
  for (std::int64_t run = 0; run < runs; ++run) {
    run_once(steps, count, static_cast<T*>(out) + run * n, n, streams);
    for (ChainStep* step = steps; step != steps + count; ++step) {
      step->data = static_cast<const std::byte*>(step->data) + step->step;
    }
  }
}

void run_chain_float32(ChainStep* steps, int count, void* out, std::int64_t n, std::int64_t runs,
                       bool streams) {
  run_chain<float>(steps, count, out, n, runs, streams);
}
void run_chain_float64(ChainStep* steps, int count, void* out, std::int64_t n, std::int64_t runs,
                       bool streams) {
  run_chain<double>(steps, count, out, n, runs, streams);
}

}  // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

HWY_EXPORT(run_chain_float32);
HWY_EXPORT(run_chain_float64);

void run_chain(DType dtype, ChainStep* steps, int count, void* out, std::int64_t n, std::int64_t runs,
               bool streams) {
  if (dtype == DType::float32) {
    HWY_DYNAMIC_DISPATCH(run_chain_float32)(steps, count, out, n, runs, streams);
  } else {
    HWY_DYNAMIC_DISPATCH(run_chain_float64)(steps, count, out, n, runs, streams);
  }
}

}  // namespace tessera::cpu
#endif
