// Loops of arg-reductions, compiled portably and once more for each instruction set: include it inside a
// namespace of the target, after the headers below.
//
// #include "devices/common/element_ops.hpp"
// #include "devices/cpu/arg_loops.hpp"

template <ArgReduceOp op, class T>
void arg_columns(void* best_values, void* indices, const void* untyped, std::int64_t stride,
                 std::int64_t rows, std::int64_t width) {
  T* best = static_cast<T*>(best_values);
  auto* index = static_cast<ArgIndex<T>*>(indices);
  const T* x = static_cast<const T*>(untyped);
  for (std::int64_t j = 0; j < width; ++j) {
    best[j] = x[j];
    index[j] = 0;
  }
  x += stride;
  std::int64_t r = 1;
  // Four rows at once: the best so far is loaded and stored a quarter as often.
  for (; r + 4 <= rows; r += 4, x += 4 * stride) {
    const auto row = static_cast<ArgIndex<T>>(r);
#pragma GCC ivdep
    for (std::int64_t j = 0; j < width; ++j) {
      T held = best[j];
      ArgIndex<T> at = index[j];
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        const T candidate = x[i * stride + j];
        const bool wins = element::takes_over(op, candidate, held);
        held = wins ? candidate : held;
        at = wins ? row + i : at;
      }
      best[j] = held;
      index[j] = at;
    }
  }
  for (; r < rows; ++r, x += stride) {
    const auto row = static_cast<ArgIndex<T>>(r);
#pragma GCC ivdep
    for (std::int64_t j = 0; j < width; ++j) {
      const T candidate = x[j];
      const T held = best[j];
      const bool wins = element::takes_over(op, candidate, held);
      best[j] = wins ? candidate : held;
      index[j] = wins ? row : index[j];
    }
  }
}

template <ArgReduceOp op, class T>
std::int64_t arg_row_by_elements(const void* untyped, std::int64_t n, void* best) {
  const T* x = static_cast<const T*>(untyped);
  std::int64_t winner = 0;
  T held = x[0];
  for (std::int64_t i = 1; i < n; ++i) {
    if (!element::takes_over(op, x[i], held)) continue;
    held = x[i];
    winner = i;
  }
  *static_cast<T*>(best) = held;
  return winner;
}

template <ArgReduceOp op, class T>
bool arg_gives_way(const void* best, const void* later) {
  return element::takes_over(op, *static_cast<const T*>(later), *static_cast<const T*>(best));
}
