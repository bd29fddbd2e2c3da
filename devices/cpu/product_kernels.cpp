#include "devices/cpu/product_kernels.hpp"

#include <hwy/cache_control.h>
#include <algorithm>
#include <array>
#include <type_traits>

// Before a loop whose variable indexes registers: unless it is unrolled, GCC keeps them in memory.
#define TESSERA_UNROLL _Pragma("GCC unroll 16")

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/product_kernels.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vector = hn::Vec<Tag<T>>;

/// Elements of a native vector, of a 64-byte one, and how many of the first make the second.
template <class T>
constexpr int kNative = static_cast<int>(hn::MaxLanes(Tag<T>()));
template <class T>
constexpr int kLanes = 64 / static_cast<int>(sizeof(T));
template <class T>
constexpr int kParts = kLanes<T> / kNative<T>;

/// 32 registers of 64 bytes, not 16 smaller ones.
constexpr bool kManyRegisters = kParts<float> == 1;

// ---- lanes

/// Halves onto each other until one lane is left: the same tree whatever the width of a register.
template <class D>
hn::TFromD<D> sum_lanes([[maybe_unused]] D d, hn::Vec<D> v) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(D()) > 1) {
    const hn::Half<D> half;
    return sum_lanes(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
#endif
  return hn::GetLane(v);
}

/// The same of a 64-byte vector in parts, which it overwrites.
template <class T>
HWY_INLINE T sum_parts(Vector<T>* parts) {
  for (int half = kParts<T> / 2; half > 0; half /= 2) {
    for (int part = 0; part < half; ++part) parts[part] = hn::Add(parts[part], parts[part + half]);
  }
  return sum_lanes(Tag<T>(), parts[0]);
}

/// sums[r] += x[r, :] . y[r, :] over one block of the inner dimension, for R rows.
template <int R, class T>
HWY_INLINE void lanes_block(std::int64_t k, const T* x, std::int64_t x_stride, const T* y,
                            std::int64_t y_stride, double* sums) {
  const Tag<T> d;
  constexpr int parts = kParts<T>;
  constexpr int native = kNative<T>;
  Vector<T> sum[R][parts];
  TESSERA_UNROLL
  for (int r = 0; r < R; ++r) {
    TESSERA_UNROLL
    for (int part = 0; part < parts; ++part) sum[r][part] = hn::Zero(d);
  }
  std::int64_t p = 0;
  for (; p + kLanes<T> <= k; p += kLanes<T>) {
    TESSERA_UNROLL
    for (int r = 0; r < R; ++r) {
      // The rows that come next, a line of each: rows are streams too short for the hardware to notice.
      hwy::Prefetch(x + (r + R) * x_stride + p);
      TESSERA_UNROLL
      for (int part = 0; part < parts; ++part) {
        const std::int64_t at = p + part * native;
        sum[r][part] = hn::MulAdd(hn::LoadU(d, x + r * x_stride + at), hn::LoadU(d, y + r * y_stride + at),
                                  sum[r][part]);
      }
    }
  }
  if (p < k) {
    TESSERA_UNROLL
    for (int part = 0; part < parts; ++part) {
      const std::int64_t at = p + part * native;
      // The baseline's masked load reads what the mask leaves out.
      if (at >= k) break;
      const auto mask = hn::FirstN(d, static_cast<std::size_t>(std::clamp<std::int64_t>(k - at, 0, native)));
      TESSERA_UNROLL
      for (int r = 0; r < R; ++r) {
        sum[r][part] = hn::MulAdd(hn::MaskedLoad(mask, d, x + r * x_stride + at),
                                  hn::MaskedLoad(mask, d, y + r * y_stride + at), sum[r][part]);
      }
    }
  }
  TESSERA_UNROLL
  for (int r = 0; r < R; ++r) sums[r] += static_cast<double>(sum_parts<T>(sum[r]));
}

template <int R, class T>
HWY_INLINE void lanes_rows(std::int64_t k, Matrix<const T> x, Matrix<const T> y, T* out,
                           std::int64_t out_stride) {
  double sums[R] = {};
  for (std::int64_t p = 0; p < k; p += kLaneBlock) {
    lanes_block<R>(std::min(kLaneBlock, k - p), x.data + p, x.row_stride, y.data + p, y.row_stride, sums);
  }
  for (int r = 0; r < R; ++r) out[r * out_stride] = static_cast<T>(sums[r]);
}

template <class T>
void lanes_dots(std::int64_t m, std::int64_t k, Matrix<const T> x, Matrix<const T> y, T* out,
                std::int64_t out_stride) {
  constexpr int R = 4;
  std::int64_t i = 0;
  for (; i + R <= m; i += R) lanes_rows<R>(k, x.at(i, 0), y.at(i, 0), out + i * out_stride, out_stride);
  for (; i < m; ++i) lanes_rows<1>(k, x.at(i, 0), y.at(i, 0), out + i * out_stride, out_stride);
}

// ---- chain

/// A panel of the right operand is up to this many native vectors wide; so many rows go with it.
constexpr int kPanelVectors = 2;
constexpr int kChainRows = kManyRegisters ? 8 : 6;
/// Read where it lies, row by row, the right operand is taken so many vectors at a time.
constexpr int kWideVectors = kManyRegisters ? 8 : 4;
constexpr int kWideRows = 3;

template <class T>
constexpr std::int64_t kPanelWidth = kPanelVectors* kNative<T>;
template <class T>
constexpr std::int64_t kWideWidth = kWideVectors* kNative<T>;

/// One vector where it holds all columns that are left.
template <class T>
std::int64_t panel_width(std::int64_t columns_left) {
  return columns_left <= kNative<T> ? kNative<T> : kPanelWidth<T>;
}

template <class T>
std::int64_t panel_elements(std::int64_t k, std::int64_t n) {
  const std::int64_t whole = n / kPanelWidth<T> * kPanelWidth<T>;
  return k * (whole + (whole < n ? panel_width<T>(n - whole) : 0));
}

#include "devices/cpu/panels-inl.hpp"

template <class T>
void pack_panels(std::int64_t k, std::int64_t n, Matrix<const T> y, T* panels) {
  for (std::int64_t j = 0; j < n; j += kPanelWidth<T>) {
    const std::int64_t width = panel_width<T>(n - j);
    pack_panel(k, std::min(width, n - j), width, y.at(0, j), panels);
    panels += k * width;
  }
}

template <int R, int V, class T>
HWY_INLINE void store_tile(const Vector<T> (&sum)[R][V], bool first, Matrix<T> out, std::int64_t columns) {
  const Tag<T> d;
  constexpr int native = kNative<T>;
  if (out.column_stride == 1 && columns == V * native) {
    TESSERA_UNROLL
    for (int r = 0; r < R; ++r) {
      TESSERA_UNROLL
      for (int v = 0; v < V; ++v) {
        T* const to = out.data + r * out.row_stride + v * native;
        hn::StoreU(first ? sum[r][v] : hn::Add(hn::LoadU(d, to), sum[r][v]), d, to);
      }
    }
    return;
  }
  if constexpr (native * sizeof(T) >= 32) {  // narrower ones have no masked store
    if (out.column_stride == 1) {
      TESSERA_UNROLL
      for (int v = 0; v < V; ++v) {
        const std::int64_t left = std::clamp<std::int64_t>(columns - v * native, 0, native);
        const auto mask = hn::FirstN(d, static_cast<std::size_t>(left));
        TESSERA_UNROLL
        for (int r = 0; r < R; ++r) {
          T* const to = out.data + r * out.row_stride + v * native;
          const auto value = first ? sum[r][v] : hn::Add(hn::MaskedLoad(mask, d, to), sum[r][v]);
          hn::BlendedStore(value, mask, d, to);
        }
      }
      return;
    }
  }
  HWY_ALIGN T line[R][V * native];
  TESSERA_UNROLL
  for (int r = 0; r < R; ++r) {
    TESSERA_UNROLL
    for (int v = 0; v < V; ++v) hn::Store(sum[r][v], d, &line[r][v * native]);
  }
  for (int r = 0; r < R; ++r) {
    T* const to = out.data + r * out.row_stride;
    for (std::int64_t c = 0; c < columns; ++c) {
      T& element = to[c * out.column_stride];
      element = first ? line[r][c] : element + line[r][c];
    }
  }
}

/// out[r, :] = (first ? 0 : out[r, :]) + x[r, :] @ y for R rows, V vectors of columns (of which `columns`
/// count) and one inner block. y's rows are y_stride apart.
template <int R, int V, class T>
HWY_INLINE void chain_tile(std::int64_t k, Matrix<const T> x, const T* HWY_RESTRICT y, std::int64_t y_stride,
                           bool first, Matrix<T> out, std::int64_t columns) {
  const Tag<T> d;
  constexpr int native = kNative<T>;
  Vector<T> sum[R][V];
  const T* row[R];
  TESSERA_UNROLL
  for (int r = 0; r < R; ++r) {
    row[r] = x.data + r * x.row_stride;
    TESSERA_UNROLL
    for (int v = 0; v < V; ++v) sum[r][v] = hn::Zero(d);
  }
  std::int64_t at = 0;
  for (std::int64_t p = 0; p < k;) {
    // The rows that come next, a line of each: rows are streams too short for the hardware to notice.
    TESSERA_UNROLL
    for (int r = 0; r < R; ++r) hwy::Prefetch(row[r] + at + R * x.row_stride);
    const std::int64_t stop = std::min(k, p + kLanes<T>);
    for (; p < stop; ++p) {
      Vector<T> column[V];
      TESSERA_UNROLL
      for (int v = 0; v < V; ++v) column[v] = hn::LoadU(d, y + v * native);
      TESSERA_UNROLL
      for (int r = 0; r < R; ++r) {
        const auto element = hn::Set(d, row[r][at]);
        TESSERA_UNROLL
        for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(element, column[v], sum[r][v]);
      }
      y += y_stride;
      at += x.column_stride;
    }
  }
  store_tile<R, V, T>(sum, first, out, columns);
}

/// All rows of x with one panel, `V` vectors wide.
template <int V, class T>
void chain_panel(std::int64_t m, std::int64_t k, Matrix<const T> x, const T* panel, bool first, Matrix<T> out,
                 std::int64_t columns) {
  constexpr std::int64_t stride = V * kNative<T>;
  std::int64_t i = 0;
  for (; i + kChainRows <= m; i += kChainRows) {
    chain_tile<kChainRows, V>(k, x.at(i, 0), panel, stride, first, out.at(i, 0), columns);
  }
  for (; i + 3 <= m; i += 3) chain_tile<3, V>(k, x.at(i, 0), panel, stride, first, out.at(i, 0), columns);
  for (; i < m; ++i) chain_tile<1, V>(k, x.at(i, 0), panel, stride, first, out.at(i, 0), columns);
}

template <class T>
void chain_panel(std::int64_t width, std::int64_t m, std::int64_t k, Matrix<const T> x, const T* panel,
                 bool first, Matrix<T> out, std::int64_t columns) {
  if (width == kPanelWidth<T>) {
    chain_panel<kPanelVectors>(m, k, x, panel, first, out, columns);
  } else {
    chain_panel<1>(m, k, x, panel, first, out, columns);
  }
}

#if HWY_TARGET <= HWY_AVX3

// ---- chain, the lanes of vectors being rows of x
//
// With few columns most lanes of a panel's vector are empty. So 16 rows are transposed, 16 elements at a
// time: then each multiply-add is of 16 rows with an element of y, and each line of x is read once, whole.

constexpr std::int64_t kRowLanes = kLanes<float>;
/// More columns than this are faster as a panel.
constexpr std::int64_t kMostLaneColumns = 11;
/// Fewer elements a row than this: what the results cost counts.
constexpr std::int64_t kFewestLaneElements = 64;

using Floats = Vector<float>;

/// Columns [0, 4) of each of four blocks of 16 bytes, of rows that are 4 apart.
HWY_INLINE void transpose_blocks(Floats a, Floats b, Floats c, Floats e, Floats* HWY_RESTRICT to) {
  const Tag<float> d;
  const Tag<double> pairs;
  const auto low_ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto high_ab = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto low_ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto high_ce = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  to[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low_ab, low_ce));
  to[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low_ab, low_ce));
  to[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high_ab, high_ce));
  to[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high_ab, high_ce));
}

/// Rows of 16 elements to columns.
HWY_INLINE void transpose_rows(Floats (&rows)[kRowLanes]) {
  Floats part[kRowLanes];
  TESSERA_UNROLL
  for (int i = 0; i < 16; i += 4) {
    transpose_blocks(rows[i], rows[i + 1], rows[i + 2], rows[i + 3], part + i);
  }
  // part[4 * i + c] holds, in block b, column 4 * b + c of the rows 4 * i to 4 * i + 3.
  TESSERA_UNROLL
  for (int c = 0; c < 4; ++c) {
    const auto even_low = _mm512_shuffle_f32x4(part[c].raw, part[4 + c].raw, 0x88);
    const auto odd_low = _mm512_shuffle_f32x4(part[c].raw, part[4 + c].raw, 0xdd);
    const auto even_high = _mm512_shuffle_f32x4(part[8 + c].raw, part[12 + c].raw, 0x88);
    const auto odd_high = _mm512_shuffle_f32x4(part[8 + c].raw, part[12 + c].raw, 0xdd);
    rows[c] = Floats{_mm512_shuffle_f32x4(even_low, even_high, 0x88)};
    rows[4 + c] = Floats{_mm512_shuffle_f32x4(odd_low, odd_high, 0x88)};
    rows[8 + c] = Floats{_mm512_shuffle_f32x4(even_low, even_high, 0xdd)};
    rows[12 + c] = Floats{_mm512_shuffle_f32x4(odd_low, odd_high, 0xdd)};
  }
}

/// sum[c] becomes column c of x @ y for 16 rows of x and one inner block.
template <int N>
HWY_INLINE void lanes_tile(std::int64_t k, Matrix<const float> x, const float* HWY_RESTRICT panel,
                           Floats (&sum)[N]) {
  const Tag<float> d;
  Floats rows[kRowLanes];
  TESSERA_UNROLL
  for (int c = 0; c < N; ++c) sum[c] = hn::Zero(d);
  std::int64_t p = 0;
  for (; p + kRowLanes <= k; p += kRowLanes, panel += kRowLanes * kRowLanes) {
    TESSERA_UNROLL
    for (int r = 0; r < kRowLanes; ++r) {
      const float* const at = x.data + r * x.row_stride + p;
      // The rows that come next: as streams they are too short for the hardware to notice.
      __builtin_prefetch(at + kRowLanes * x.row_stride, 0, 2);
      rows[r] = hn::LoadU(d, at);
    }
    transpose_rows(rows);
    TESSERA_UNROLL
    for (int q = 0; q < kRowLanes; ++q) {
      TESSERA_UNROLL
      for (int c = 0; c < N; ++c) {
        sum[c] = hn::MulAdd(rows[q], hn::Set(d, panel[q * kRowLanes + c]), sum[c]);
      }
    }
  }
  if (p == k) return;
  const auto mask = hn::FirstN(d, static_cast<std::size_t>(k - p));
  TESSERA_UNROLL
  for (int r = 0; r < kRowLanes; ++r) rows[r] = hn::MaskedLoad(mask, d, x.data + r * x.row_stride + p);
  transpose_rows(rows);
  HWY_ALIGN float columns[kRowLanes * kRowLanes];
  TESSERA_UNROLL
  for (int q = 0; q < kRowLanes; ++q) hn::Store(rows[q], d, columns + q * kRowLanes);
  for (std::int64_t q = 0; q < k - p; ++q) {
    const Floats column = hn::Load(d, columns + q * kRowLanes);
    TESSERA_UNROLL
    for (int c = 0; c < N; ++c) {
      sum[c] = hn::MulAdd(column, hn::Set(d, panel[q * kRowLanes + c]), sum[c]);
    }
  }
}

/// As chain_rows, for 16 rows and N columns.
template <int N>
void lanes_strip(std::int64_t k, Matrix<const float> x, const float* panel, InnerBlocks blocks, bool first,
                 Matrix<float> out) {
  const Tag<float> d;
  HWY_ALIGN float total[N][kRowLanes];
  if (!first) {
    for (int c = 0; c < N; ++c) {
      for (std::int64_t r = 0; r < kRowLanes; ++r) total[c][r] = *out.at(r, c).data;
    }
  }
  for (std::int64_t p = 0; p < k;) {
    const std::int64_t length = blocks.next(k - p);
    Floats sum[N];
    lanes_tile<N>(length, x.at(0, p), panel + p * kRowLanes, sum);
    TESSERA_UNROLL
    for (int c = 0; c < N; ++c) {
      hn::Store(first && p == 0 ? sum[c] : hn::Add(hn::Load(d, total[c]), sum[c]), d, total[c]);
    }
    p += length;
  }
  for (std::int64_t r = 0; r < kRowLanes; ++r) {
    for (int c = 0; c < N; ++c) *out.at(r, c).data = total[c][r];
  }
}

template <int N>
std::int64_t lanes_rows_of(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> x,
                           const float* panel, InnerBlocks blocks, bool first, Matrix<float> out) {
  if constexpr (N > 2) {
    if (n < N) return lanes_rows_of<N - 1>(m, n, k, x, panel, blocks, first, out);
  }
  std::int64_t i = 0;
  for (; i + kRowLanes <= m; i += kRowLanes) {
    lanes_strip<N>(k, x.at(i, 0), panel, blocks, first, out.at(i, 0));
  }
  return i;
}

/// Some of the first rows of chain_rows, those of which the kernels above are fastest; how many it did.
template <class T>
std::int64_t first_rows(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> x, const T* panels,
                        InnerBlocks blocks, bool first, Matrix<T> out) {
  if constexpr (std::is_same_v<T, float>) {
    if (n >= 2 && n <= kMostLaneColumns && k >= kFewestLaneElements && x.column_stride == 1) {
      return lanes_rows_of<kMostLaneColumns>(m, n, k, x, panels, blocks, first, out);
    }
  }
  return 0;
}

#else

template <class T>
std::int64_t first_rows(std::int64_t, std::int64_t, std::int64_t, Matrix<const T>, const T*, InnerBlocks,
                        bool, Matrix<T>) {
  return 0;
}

#endif

/// Rows of x that stay in the first-level cache while all panels pass over them.
constexpr std::int64_t kChainStrip = kChainRows * 3;

template <class T>
void chain_rows(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> x, const T* panels,
                InnerBlocks blocks, bool first, Matrix<T> out) {
  std::int64_t i = first_rows(m, n, k, x, panels, blocks, first, out);
  for (; i < m; i += kChainStrip) {
    const std::int64_t rows = std::min(kChainStrip, m - i);
    for (std::int64_t p = 0; p < k;) {
      const std::int64_t length = blocks.next(k - p);
      const T* panel = panels;
      for (std::int64_t j = 0; j < n; j += kPanelWidth<T>) {
        const std::int64_t width = panel_width<T>(n - j);
        chain_panel(width, rows, length, x.at(i, p), panel + p * width, first && p == 0, out.at(i, j),
                    std::min(width, n - j));
        panel += k * width;
      }
      p += length;
    }
  }
}

/// All rows of x with whole wide columns of y, which lies row by row.
template <class T>
void chain_wide(std::int64_t m, std::int64_t k, Matrix<const T> x, Matrix<const T> y, bool first,
                Matrix<T> out) {
  std::int64_t i = 0;
  for (; i + kWideRows <= m; i += kWideRows) {
    chain_tile<kWideRows, kWideVectors>(k, x.at(i, 0), y.data, y.row_stride, first, out.at(i, 0),
                                        kWideWidth<T>);
  }
  for (; i < m; ++i) {
    chain_tile<1, kWideVectors>(k, x.at(i, 0), y.data, y.row_stride, first, out.at(i, 0), kWideWidth<T>);
  }
}

template <class T>
void chain_columns(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> x, Matrix<const T> y,
                   InnerBlocks blocks, Matrix<T> out) {
  HWY_ALIGN T panel[kChainLongest * kPanelWidth<T>];
  const bool in_place = y.column_stride == 1 && m <= kChainInPlace;
  for (std::int64_t j = 0; j < n;) {
    const bool wide = in_place && n - j >= kWideWidth<T>;
    const std::int64_t width = wide ? kWideWidth<T> : panel_width<T>(n - j);
    const std::int64_t columns = std::min(width, n - j);
    for (std::int64_t p = 0; p < k;) {
      const std::int64_t length = blocks.next(k - p);
      if (wide) {
        chain_wide(m, length, x.at(0, p), y.at(p, j), p == 0, out.at(0, j));
      } else {
        pack_panel(length, columns, width, y.at(p, j), panel);
        chain_panel(width, m, length, x.at(0, p), panel, p == 0, out.at(0, j), columns);
      }
      p += length;
    }
    j += width;
  }
}

// HWY_EXPORT names functions, not instantiations of templates.
#define TESSERA_PRODUCT_KERNELS(T, suffix)                                                               \
  void lanes_dots_##suffix(std::int64_t m, std::int64_t k, Matrix<const T> x, Matrix<const T> y, T* out, \
                           std::int64_t out_stride) {                                                    \
    lanes_dots<T>(m, k, x, y, out, out_stride);                                                          \
  }                                                                                                      \
  std::int64_t panel_elements_##suffix(std::int64_t k, std::int64_t n) {                                 \
    return panel_elements<T>(k, n);                                                                      \
  }                                                                                                      \
  void pack_panels_##suffix(std::int64_t k, std::int64_t n, Matrix<const T> y, T* panels) {              \
    pack_panels<T>(k, n, y, panels);                                                                     \
  }                                                                                                      \
  void chain_rows_##suffix(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> x,            \
                           const T* panels, InnerBlocks blocks, bool first, Matrix<T> out) {             \
    chain_rows<T>(m, n, k, x, panels, blocks, first, out);                                               \
  }                                                                                                      \
  void chain_columns_##suffix(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> x,         \
                              Matrix<const T> y, InnerBlocks blocks, Matrix<T> out) {                    \
    chain_columns<T>(m, n, k, x, y, blocks, out);                                                        \
  }

TESSERA_PRODUCT_KERNELS(float, float32)
TESSERA_PRODUCT_KERNELS(double, float64)
#undef TESSERA_PRODUCT_KERNELS

}  // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

#define TESSERA_PRODUCT_KERNELS(T, suffix)                                                                 \
  HWY_EXPORT(lanes_dots_##suffix);                                                                         \
  HWY_EXPORT(panel_elements_##suffix);                                                                     \
  HWY_EXPORT(pack_panels_##suffix);                                                                        \
  HWY_EXPORT(chain_rows_##suffix);                                                                         \
  HWY_EXPORT(chain_columns_##suffix);                                                                      \
  void lanes_dots(std::int64_t m, std::int64_t k, Matrix<const T> x, Matrix<const T> y, T* out,            \
                  std::int64_t out_stride) {                                                               \
    HWY_DYNAMIC_DISPATCH(lanes_dots_##suffix)(m, k, x, y, out, out_stride);                                \
  }                                                                                                        \
  void pack_panels(std::int64_t k, std::int64_t n, Matrix<const T> y, T* panels) {                         \
    HWY_DYNAMIC_DISPATCH(pack_panels_##suffix)(k, n, y, panels);                                           \
  }                                                                                                        \
  void chain_rows(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> x, const T* panels,      \
                  InnerBlocks blocks, bool first, Matrix<T> out) {                                         \
    HWY_DYNAMIC_DISPATCH(chain_rows_##suffix)(m, n, k, x, panels, blocks, first, out);                     \
  }                                                                                                        \
  void chain_columns(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> x, Matrix<const T> y, \
                     InnerBlocks blocks, Matrix<T> out) {                                                  \
    HWY_DYNAMIC_DISPATCH(chain_columns_##suffix)(m, n, k, x, y, blocks, out);                              \
  }

TESSERA_PRODUCT_KERNELS(float, float32)
TESSERA_PRODUCT_KERNELS(double, float64)
#undef TESSERA_PRODUCT_KERNELS

std::int64_t panel_elements(std::int64_t k, std::int64_t n, DType dtype) {
  return dtype == DType::float32 ? HWY_DYNAMIC_DISPATCH(panel_elements_float32)(k, n)
                                 : HWY_DYNAMIC_DISPATCH(panel_elements_float64)(k, n);
}

}  // namespace tessera::cpu
#endif
