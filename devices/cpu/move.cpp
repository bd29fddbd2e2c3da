#include "devices/cpu/move.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tessera::cpu {
namespace {

/// Runs of fewer bytes than this are moved by a loop: a call of memcpy costs more.
constexpr std::int64_t kShortRun = 64;

/// A transposing move goes by squares of so many elements a side: each cache line is used whole.
constexpr std::int64_t kSquare = 16;

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
void move_rows(const Typed<T>& from, const Typed<T>& to, std::int64_t rows, std::int64_t columns) {
  const auto bytes = static_cast<std::size_t>(columns) * sizeof(T);
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

template <class T>
void transpose(const Typed<T>& from, const Typed<T>& to, std::int64_t rows, std::int64_t columns) {
  // A whole square goes through a small buffer: both sides then move in runs.
  T square[kSquare][kSquare];
  for (std::int64_t c0 = 0; c0 < columns; c0 += kSquare) {
    const std::int64_t width = std::min(kSquare, columns - c0);
    for (std::int64_t r0 = 0; r0 < rows; r0 += kSquare) {
      const std::int64_t height = std::min(kSquare, rows - r0);
      const T* source = from.data + r0 * from.row + c0 * from.column;
      T* target = to.data + r0 * to.row + c0 * to.column;
      if (width == kSquare && height == kSquare) {
        for (std::int64_t c = 0; c < kSquare; ++c) {
          for (std::int64_t r = 0; r < kSquare; ++r) square[r][c] = source[c * from.column + r];
        }
        for (std::int64_t r = 0; r < kSquare; ++r)
          std::memcpy(target + r * to.row, square[r], sizeof square[r]);
      } else {
        for (std::int64_t r = 0; r < height; ++r) {
          for (std::int64_t c = 0; c < width; ++c) target[r * to.row + c] = source[c * from.column + r];
        }
      }
    }
  }
}

template <class T>
void fill(T value, T* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = value;
}

template <class T>
void move(const Lattice& untyped_from, const Lattice& untyped_to, std::int64_t rows, std::int64_t columns) {
  const Typed<T> from(untyped_from);
  const Typed<T> to(untyped_to);
  if (to.column == 1 && from.column == 1) {
    move_rows(from, to, rows, columns);
  } else if (to.column == 1 && from.column == 0) {
    for (std::int64_t r = 0; r < rows; ++r) fill(from.data[r * from.row], to.data + r * to.row, columns);
  } else if (to.column == 1 && from.row == 1 && rows > 1) {
    transpose(from, to, rows, columns);
  } else if (std::abs(from.row) < std::abs(from.column) && from.row != 0) {
    // Down the columns of the source, a band of the output's rows at a time.
    for (std::int64_t r0 = 0; r0 < rows; r0 += kSquare) {
      const std::int64_t last = std::min(rows, r0 + kSquare);
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
                std::int64_t columns) {
  switch (itemsize) {
    case 1: return move<std::uint8_t>(from, to, rows, columns);
    case 2: return move<std::uint16_t>(from, to, rows, columns);
    case 4: return move<std::uint32_t>(from, to, rows, columns);
    default: return move<std::uint64_t>(from, to, rows, columns);
  }
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
