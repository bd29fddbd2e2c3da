#pragma once

#include <tessera/array.hpp>

namespace tessera {

struct SortOptions {
  int axis = -1;
  bool descending = false;
};
/// Stable; NaN last in both directions.
TESSERA_API Array sort(const Array& x, const SortOptions& options = {});
/// int64.
TESSERA_API Array argsort(const Array& x, const SortOptions& options = {});

enum class Side : std::uint8_t { left, right };
struct SearchOptions {
  Side side = Side::left;
};
/// int64: where to insert each of `values` (any shape) into `sorted` (1-d, ascending) to keep the order.
TESSERA_API Array searchsorted(const Array& sorted, const Array& values, const SearchOptions& options = {});

}  // namespace tessera
