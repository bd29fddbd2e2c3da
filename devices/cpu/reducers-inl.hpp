// Loops of reductions, compiled portably and once more for each instruction set: include it inside a
// namespace of the target, after the headers below.
//
// #include "devices/common/element_ops.hpp"
// #include "devices/cpu/prefetch.hpp"
// #include "devices/cpu/reducers.hpp"

template <class T>
using SumOf = std::conditional_t<
    std::is_floating_point_v<T>, double,
    std::conditional_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>, std::uint64_t, std::int64_t>>;

template <ReduceOp op, class T>
struct Loops {
  static constexpr bool kSums = op == ReduceOp::sum || op == ReduceOp::prod;
  static constexpr bool kLogical = op == ReduceOp::any || op == ReduceOp::all;
  // Bools are bytes to the vectoriser.
  using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  using Acc = std::conditional_t<kSums, SumOf<T>, Stored>;

  static constexpr Acc nothing() {
    if constexpr (op == ReduceOp::sum || op == ReduceOp::any) return Acc{0};
    if constexpr (op == ReduceOp::prod || op == ReduceOp::all) return Acc{1};
    using Limits = std::numeric_limits<Acc>;
    if constexpr (op == ReduceOp::min) return Limits::has_infinity ? Limits::infinity() : Limits::max();
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  static Acc join(Acc a, Acc b) {
    if constexpr (op == ReduceOp::sum) return element::add(a, b);
    if constexpr (op == ReduceOp::prod) return element::multiply(a, b);
    if constexpr (op == ReduceOp::min) return element::minimum(a, b);
    if constexpr (op == ReduceOp::max) return element::maximum(a, b);
    if constexpr (op == ReduceOp::any) return static_cast<Acc>(a | b);
    if constexpr (op == ReduceOp::all) return static_cast<Acc>(a & b);
  }
  static Acc join_element(Acc a, Stored x) { return join(a, static_cast<Acc>(x)); }

  static void start(void* accumulators, std::int64_t n) {
    Acc* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t j = 0; j < n; ++j) acc[j] = nothing();
  }

  static void columns(void* accumulators, const void* untyped, std::int64_t stride, std::int64_t rows,
                      std::int64_t width) {
    Acc* acc = static_cast<Acc*>(accumulators);
    const Stored* x = static_cast<const Stored*>(untyped);
    std::int64_t r = 0;
    // Four rows at once: the accumulators are loaded and stored a quarter as often.
    for (; r + 4 <= rows; r += 4, x += 4 * stride) {
      const Stored* x1 = x + stride;
      const Stored* x2 = x1 + stride;
      const Stored* x3 = x2 + stride;
#pragma GCC ivdep
      for (std::int64_t j = 0; j < width; ++j) {
        acc[j] = join_element(join_element(join_element(join_element(acc[j], x[j]), x1[j]), x2[j]), x3[j]);
      }
    }
    for (; r < rows; ++r, x += stride) {
#pragma GCC ivdep
      for (std::int64_t j = 0; j < width; ++j) acc[j] = join_element(acc[j], x[j]);
    }
  }

  static void row(void* accumulator, const void* untyped, std::int64_t n) {
    const Stored* x = static_cast<const Stored*>(untyped);
    alignas(64) Acc lanes[kLanes];
    start(lanes, kLanes);
    const Stored* end = x + n;
    for (; end - x >= 4 * kLanes; x += 4 * kLanes) {
      prefetch_ahead(x, 4 * kLanes * sizeof(Stored));
      columns(lanes, x, kLanes, 4, kLanes);
    }
    const std::int64_t whole = (end - x) / kLanes;
    columns(lanes, x, kLanes, whole, kLanes);
    x += whole * kLanes;
    columns(lanes, x, 0, 1, end - x);
#pragma GCC unroll 5
    for (int half = kLanes / 2; half > 0; half /= 2) {
#pragma GCC ivdep
      for (int j = 0; j < half; ++j) lanes[j] = join(lanes[j], lanes[j + half]);
    }
    Acc* acc = static_cast<Acc*>(accumulator);
    *acc = join(*acc, lanes[0]);
  }

  template <int length>
  static void tuples_of(Acc* acc, const Stored* x, std::int64_t n) {
#pragma GCC ivdep
    for (std::int64_t j = 0; j < n; ++j) {
      Acc total = acc[j];
#pragma GCC unroll 4
      for (int i = 0; i < length; ++i) total = join_element(total, x[j * length + i]);
      acc[j] = total;
    }
  }

  static bool tuples(void* accumulators, const void* untyped, std::int64_t length, std::int64_t n) {
    if constexpr (kSums && std::is_floating_point_v<T>) {  // minima do not become vector code
      Acc* acc = static_cast<Acc*>(accumulators);
      const Stored* x = static_cast<const Stored*>(untyped);
      switch (length) {
        case 2: tuples_of<2>(acc, x, n); return true;
        case 3: tuples_of<3>(acc, x, n); return true;
        case 4: tuples_of<4>(acc, x, n); return true;
        default: break;
      }
    }
    return false;
  }

  static void merge(void* accumulators, const void* others, std::int64_t n) {
    Acc* acc = static_cast<Acc*>(accumulators);
    const Acc* other = static_cast<const Acc*>(others);
#pragma GCC ivdep
    for (std::int64_t j = 0; j < n; ++j) acc[j] = join(acc[j], other[j]);
  }

  template <class Out>
  static void finish_as(const Acc* acc, Out* out, std::int64_t stride, std::int64_t n) {
    for (std::int64_t j = 0; j < n; ++j) out[j * stride] = static_cast<Out>(acc[j]);
  }

  static void finish(const void* accumulators, void* out, DType dtype, std::int64_t stride, std::int64_t n) {
    const Acc* acc = static_cast<const Acc*>(accumulators);
    if constexpr (kSums && std::is_same_v<T, float>) {
      if (dtype == DType::float32) return finish_as(acc, static_cast<float*>(out), stride, n);
    }
    static_cast<void>(dtype);
    finish_as(acc, static_cast<Acc*>(out), stride, n);
  }

  static constexpr Reducer reducer() {
    return {sizeof(Acc), kSums || kLogical, start, columns, row, nullptr, tuples, merge, finish};
  }
};

template <ReduceOp op, class T>
void set_reducer(ReducerTable& table) {
  table.rows[static_cast<int>(op)][static_cast<int>(dtype_of<T>())] = Loops<op, T>::reducer();
}
