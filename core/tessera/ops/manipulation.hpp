#pragma once

#include <optional>
#include <span>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/ops/reduction.hpp>

namespace tessera {

struct ConcatOptions {
  std::optional<int> axis = 0;  ///< where empty: flattened first
};
TESSERA_API Array concat(std::span<const Array> arrays, const ConcatOptions& options = {});
TESSERA_API Array concat(std::initializer_list<Array> arrays, const ConcatOptions& options = {});
struct StackOptions {
  int axis = 0;
};
TESSERA_API Array stack(std::span<const Array> arrays, const StackOptions& options = {});
TESSERA_API Array stack(std::initializer_list<Array> arrays, const StackOptions& options = {});

/// A view where the layout allows, else a copy. One extent may be -1.
TESSERA_API Array reshape(const Array& x, const Shape& shape);
// Views, all of them:
TESSERA_API Array broadcast_to(const Array& x, const Shape& shape);
TESSERA_API Array permute_dims(const Array& x, const Dims& axes);
TESSERA_API Array expand_dims(const Array& x, int axis);
TESSERA_API Array squeeze(const Array& x, const Axes& axis);
TESSERA_API Array flip(const Array& x, const Axes& axis = {});

}  // namespace tessera
