// Panels of an operand of a product, for each instruction set: include it inside a namespace of the target,
// after the headers below, with `hn` for Highway's.
//
// #include <hwy/highway.h>
// #include <algorithm>
// #include "devices/cpu/blis.hpp"

/// Rows of 16 bytes to columns: out[p * width + c] = from[c * stride + p], for a square of p and c.
template <class T>
constexpr int kSquare = 16 / static_cast<int>(sizeof(T));
template <class T>
HWY_INLINE void transpose_square(const T* from, std::int64_t stride, T* to, std::int64_t width) {
#if HWY_TARGET == HWY_SCALAR
  for (int p = 0; p < kSquare<T>; ++p) {
    for (int c = 0; c < kSquare<T>; ++c) to[p * width + c] = from[c * stride + p];
  }
#else
  const hn::FixedTag<T, kSquare<T> > d;
  if constexpr (sizeof(T) == 8) {
    const auto a = hn::LoadU(d, from);
    const auto b = hn::LoadU(d, from + stride);
    hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
    hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + width);
  } else {
    const hn::Repartition<double, decltype(d)> pairs;
    const auto a = hn::LoadU(d, from);
    const auto b = hn::LoadU(d, from + stride);
    const auto c = hn::LoadU(d, from + 2 * stride);
    const auto e = hn::LoadU(d, from + 3 * stride);
    const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
    const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
    const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
    const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_low, ce_low)), d, to);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_low, ce_low)), d, to + width);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_high, ce_high)), d, to + 2 * width);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_high, ce_high)), d, to + 3 * width);
  }
#endif
}

/// Columns [0, columns) of y to a panel of `width`, the rest of it zeros.
template <class T>
void pack_panel(std::int64_t k, std::int64_t columns, std::int64_t width, Matrix<const T> y, T* panel) {
  std::int64_t packed_columns = 0;
  std::int64_t packed_rows = 0;
  if (y.row_stride == 1) {
    packed_columns = columns / kSquare<T> * kSquare<T>;
    packed_rows = k / kSquare<T> * kSquare<T>;
    for (std::int64_t p = 0; p < packed_rows; p += kSquare<T>) {
      for (std::int64_t c = 0; c < packed_columns; c += kSquare<T>) {
        transpose_square(y.data + p + c * y.column_stride, y.column_stride, panel + p * width + c, width);
      }
    }
  }
  for (std::int64_t p = 0; p < k; ++p) {
    const T* const from = y.data + p * y.row_stride;
    T* const to = panel + p * width;
    const std::int64_t done = p < packed_rows ? packed_columns : 0;
    if (y.column_stride == 1) {
      std::copy(from + done, from + columns, to + done);
    } else {
      for (std::int64_t c = done; c < columns; ++c) to[c] = from[c * y.column_stride];
    }
    std::fill(to + columns, to + width, T{0});
  }
}
