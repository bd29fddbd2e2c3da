#include "devices/cpu/move.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tessera::cpu {
namespace {

/// Runs of fewer bytes than this are moved by a loop: a call of memcpy costs more.
constexpr std::int64_t kShortRun = 64;

/// Bytes of a cache line.
constexpr std::size_t kLine = 64;

/// Rows of a band that is moved column by column.
constexpr std::int64_t kBand = 16;

template <class T>
struct Typed {
  explicit Typed(const Lattice& lattice)
      : data(reinterpret_cast<T*>(lattice.data)),
        row(lattice.row / static_cast<std::int64_t>(sizeof(T))),
        column(lattice.column / static_cast<std::int64_t>(sizeof(T))) {}
  T* data;
  std::int64_t row;
  std::int64_t column;
};

template <class T>
void move_rows(const Typed<T>& from, const Typed<T>& to, std::int64_t rows, std::int64_t columns,
               bool streams) {
  const auto bytes = static_cast<std::size_t>(columns) * sizeof(T);
  if (streams && static_cast<std::int64_t>(bytes) >= kStreamedRun) {
    for (std::int64_t r = 0; r < rows; ++r) {
      stream(reinterpret_cast<std::byte*>(to.data + r * to.row),
             reinterpret_cast<const std::byte*>(from.data + r * from.row), bytes);
    }
    finish_streaming();
    return;
  }
  if (static_cast<std::int64_t>(bytes) >= kShortRun) {
    for (std::int64_t r = 0; r < rows; ++r) {
      std::memcpy(to.data + r * to.row, from.data + r * from.row, bytes);
    }
    return;
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* source = from.data + r * from.row;
    T* target = to.data + r * to.row;
    for (std::int64_t c = 0; c < columns; ++c) target[c] = source[c];
  }
}

/// Columns of the source become rows of 16 bytes: a square of as many elements a side.
template <class T>
void transpose_small(const T* from, std::int64_t column, T* to, std::int64_t row) {
  if constexpr (sizeof(T) == 4) {
    using V [[gnu::vector_size(16)]] = std::uint32_t;
    V c[4];
    for (int i = 0; i < 4; ++i) std::memcpy(&c[i], from + i * column, sizeof(V));
    const V a0 = __builtin_shufflevector(c[0], c[1], 0, 4, 1, 5);
    const V a1 = __builtin_shufflevector(c[0], c[1], 2, 6, 3, 7);
    const V a2 = __builtin_shufflevector(c[2], c[3], 0, 4, 1, 5);
    const V a3 = __builtin_shufflevector(c[2], c[3], 2, 6, 3, 7);
    const V rows[4] = {
        __builtin_shufflevector(a0, a2, 0, 1, 4, 5), __builtin_shufflevector(a0, a2, 2, 3, 6, 7),
        __builtin_shufflevector(a1, a3, 0, 1, 4, 5), __builtin_shufflevector(a1, a3, 2, 3, 6, 7)};
    for (int i = 0; i < 4; ++i) std::memcpy(to + i * row, &rows[i], sizeof(V));
  } else if constexpr (sizeof(T) == 8) {
    using V [[gnu::vector_size(16)]] = std::uint64_t;
    V c[2];
    for (int i = 0; i < 2; ++i) std::memcpy(&c[i], from + i * column, sizeof(V));
    const V rows[2] = {__builtin_shufflevector(c[0], c[1], 0, 2), __builtin_shufflevector(c[0], c[1], 1, 3)};
    for (int i = 0; i < 2; ++i) std::memcpy(to + i * row, &rows[i], sizeof(V));
  } else {
    *to = *from;
  }
}

/// A cache line, past the caches if the target is aligned to one.
void stream_line(void* to, const void* line) {
#ifdef __SSE2__
  if (reinterpret_cast<std::uintptr_t>(to) % kLine == 0) {
    const auto* from = static_cast<const __m128i*>(line);
    auto* target = static_cast<__m128i*>(to);
    for (int i = 0; i < 4; ++i) _mm_stream_si128(target + i, _mm_loadu_si128(from + i));
    return;
  }
#endif
  std::memcpy(to, line, kLine);
}

/// By squares whose rows are a cache line: each line is read and written whole.
template <class T>
void transpose(const Typed<T>& from, const Typed<T>& to, std::int64_t rows, std::int64_t columns,
               bool streams) {
  constexpr auto side = static_cast<std::int64_t>(kLine / sizeof(T));
  constexpr std::int64_t small = sizeof(T) == 4 ? 4 : sizeof(T) == 8 ? 2 : 1;
  alignas(kLine) T square[side][side];
  for (std::int64_t c0 = 0; c0 < columns; c0 += side) {
    const std::int64_t width = std::min(side, columns - c0);
    for (std::int64_t r0 = 0; r0 < rows; r0 += side) {
      const std::int64_t height = std::min(side, rows - r0);
      const T* source = from.data + r0 + c0 * from.column;
      T* target = to.data + r0 * to.row + c0;
      if (width == side && height == side && streams) {
        for (std::int64_t r = 0; r < side; r += small) {
          for (std::int64_t c = 0; c < side; c += small) {
            transpose_small(source + c * from.column + r, from.column, &square[r][c], side);
          }
        }
        for (std::int64_t r = 0; r < side; ++r) stream_line(target + r * to.row, square[r]);
        continue;
      }
      const std::int64_t whole_height = height / small * small;
      const std::int64_t whole_width = width / small * small;
      for (std::int64_t r = 0; r < whole_height; r += small) {
        for (std::int64_t c = 0; c < whole_width; c += small) {
          transpose_small(source + c * from.column + r, from.column, target + r * to.row + c, to.row);
        }
        for (std::int64_t c = whole_width; c < width; ++c) {
          for (std::int64_t i = r; i < r + small; ++i) target[i * to.row + c] = source[c * from.column + i];
        }
      }
      for (std::int64_t r = whole_height; r < height; ++r) {
        for (std::int64_t c = 0; c < width; ++c) target[r * to.row + c] = source[c * from.column + r];
      }
    }
  }
  if (streams) finish_streaming();
}

template <class T>
void fill(T value, T* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = value;
}

/// Calls f(std::integral_constant) where one side of a block is so short that its loop is worth unrolling.
template <class F>
bool with_short_side(std::int64_t side, const F& f) {
  switch (side) {
    case 2: f(std::integral_constant<int, 2>{}); return true;
    case 3: f(std::integral_constant<int, 3>{}); return true;
    case 4: f(std::integral_constant<int, 4>{}); return true;
    default: return false;
  }
}

/// Pairs, triples and quadruples that lie together on one side: loops whose bodies hold a whole one.
template <class T>
bool move_tuples(const Typed<T>& from, const Typed<T>& to, std::int64_t rows, std::int64_t columns) {
  if (to.column != 1) return false;
  if (from.row == 1 && from.column == rows) {
    return with_short_side(rows, [&](auto side) {
#pragma GCC ivdep
      for (std::int64_t c = 0; c < columns; ++c) {
        for (int r = 0; r < side(); ++r) to.data[r * to.row + c] = from.data[c * side() + r];
      }
    });
  }
  if (to.row == columns && (from.column == 0 || from.row == 1)) {
    return with_short_side(columns, [&](auto side) {
#pragma GCC ivdep
      for (std::int64_t r = 0; r < rows; ++r) {
        for (int c = 0; c < side(); ++c) to.data[r * side() + c] = from.data[r * from.row + c * from.column];
      }
    });
  }
  return false;
}

template <class T>
void move(const Lattice& untyped_from, const Lattice& untyped_to, std::int64_t rows, std::int64_t columns,
          bool streams) {
  const Typed<T> from(untyped_from);
  const Typed<T> to(untyped_to);
  if (to.column == 1 && from.column == 1) {
    move_rows(from, to, rows, columns, streams);
  } else if (move_tuples(from, to, rows, columns)) {
    return;
  } else if (to.column == 1 && from.column == 0) {
    for (std::int64_t r = 0; r < rows; ++r) fill(from.data[r * from.row], to.data + r * to.row, columns);
  } else if (to.column == 1 && from.row == 1 && rows > 1) {
    transpose(from, to, rows, columns, streams);
  } else if (std::abs(from.row) < std::abs(from.column) && from.row != 0) {
    // Down the columns of the source, a band of the output's rows at a time.
    for (std::int64_t r0 = 0; r0 < rows; r0 += kBand) {
      const std::int64_t last = std::min(rows, r0 + kBand);
      for (std::int64_t c = 0; c < columns; ++c) {
        for (std::int64_t r = r0; r < last; ++r) {
          to.data[r * to.row + c * to.column] = from.data[r * from.row + c * from.column];
        }
      }
    }
  } else {
    for (std::int64_t r = 0; r < rows; ++r) {
      const T* source = from.data + r * from.row;
      T* target = to.data + r * to.row;
      for (std::int64_t c = 0; c < columns; ++c) target[c * to.column] = source[c * from.column];
    }
  }
}

}  // namespace

void move_block(std::size_t itemsize, const Lattice& from, const Lattice& to, std::int64_t rows,
                std::int64_t columns, bool streams) {
  switch (itemsize) {
    case 1: return move<std::uint8_t>(from, to, rows, columns, streams);
    case 2: return move<std::uint16_t>(from, to, rows, columns, streams);
    case 4: return move<std::uint32_t>(from, to, rows, columns, streams);
    default: return move<std::uint64_t>(from, to, rows, columns, streams);
  }
}

void stream(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::size_t unaligned = (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine;
  std::size_t at = std::min(unaligned, bytes);
  std::memcpy(to, from, at);
  for (; at + kLine <= bytes; at += kLine) stream_line(to + at, from + at);
  std::memcpy(to + at, from + at, bytes - at);
}

void finish_streaming() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

void repeat(std::size_t itemsize, const void* value, void* out, std::int64_t n) {
  switch (itemsize) {
    case 1: return fill(*static_cast<const std::uint8_t*>(value), static_cast<std::uint8_t*>(out), n);
    case 2: return fill(*static_cast<const std::uint16_t*>(value), static_cast<std::uint16_t*>(out), n);
    case 4: return fill(*static_cast<const std::uint32_t*>(value), static_cast<std::uint32_t*>(out), n);
    default: return fill(*static_cast<const std::uint64_t*>(value), static_cast<std::uint64_t*>(out), n);
  }
}

}  // namespace tessera::cpu
