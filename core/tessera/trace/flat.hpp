#pragma once

// Internal to core.

#include <optional>

#include <tessera/layout.hpp>

namespace tessera::trace {

/// What a call reads, in row-major order of its result, as at most two dimensions; with fewer, the others
/// have extent 1.
struct Flat {
  int rank = 0;
  std::int64_t shape[2] = {1, 1};
  std::int64_t strides[2] = {0, 0};
  std::int64_t offset = 0;

  /// The elements of a buffer one after the other.
  bool in_order() const { return offset == 0 && (rank == 0 || (rank == 1 && strides[0] == 1)); }
  /// The same again in each column: one value a row.
  bool of_row() const {
    return rank == 0 || (rank == 1 && strides[0] == 0) || (rank == 2 && strides[1] == 0);
  }
};

/// Empty where it takes more than two dimensions.
std::optional<Flat> flatten(const Layout& layout, const Shape& shape);

/// As [rows, columns]; its rank is at most 1, or its extents are these.
Layout matrix_layout(const Flat& flat, std::int64_t rows, std::int64_t columns);
/// As [rows, 1]: of something that is one value a row.
Layout row_layout(const Flat& flat, std::int64_t rows);

}  // namespace tessera::trace
