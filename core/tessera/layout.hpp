#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <tessera/export.hpp>
#include <tessera/shape.hpp>

namespace tessera {

/// Where the elements of an array lie in its buffer: element (i, j, ...) is at
/// offset + i * strides[0] + j * strides[1] + ..., all in elements.
/// Every view is arithmetic on layouts, and needs no data and no device.
struct Layout {
  Shape shape;
  Strides strides;
  std::int64_t offset = 0;

  int rank() const { return shape.size(); }
  std::int64_t size() const { return element_count(shape); }
};

/// A fresh row-major layout at offset 0.
TESSERA_API Layout row_major(const Shape& shape);

/// Whether the elements lie without gaps in row-major order from the offset on.
TESSERA_API bool is_contiguous(const Layout& layout);

/// The first and one past the last element of the buffer that the layout can touch, {offset, offset} if
/// empty.
struct Extent {
  std::int64_t begin;
  std::int64_t end;
};
TESSERA_API Extent extent(const Layout& layout);

/// `axes[i]` of the input becomes axis i. Throws ShapeError unless `axes` is a permutation of 0 .. rank - 1.
TESSERA_API Layout permute(const Layout& layout, const Dims& axes);

/// Stride 0 along new and stretched dimensions; empty where the shapes do not broadcast.
TESSERA_API std::optional<Layout> broadcast(const Layout& layout, const Shape& shape);

/// The same elements in another shape without a copy; empty where that needs one. Throws ShapeError where
/// the number of elements differs.
TESSERA_API std::optional<Layout> reshape(const Layout& layout, const Shape& shape);

/// Elements start, start + step, ... (`count` of them) along `axis`. Throws IndexError where they lie
/// outside.
TESSERA_API Layout slice(const Layout& layout, int axis, std::int64_t start, std::int64_t count,
                         std::int64_t step);

/// One position along `axis`, which disappears. Throws IndexError where it lies outside.
TESSERA_API Layout select(const Layout& layout, int axis, std::int64_t index);

/// A dimension of size 1 before `axis` (0 .. rank).
TESSERA_API Layout insert_axis(const Layout& layout, int axis);
/// Without `axis`, whose extent must be 1.
TESSERA_API Layout remove_axis(const Layout& layout, int axis);

/// Drops size-1 dimensions, puts the rest into the order of the last layout's memory (the output's:
/// its smallest stride last), and merges neighbours wherever every layout allows it. The elements still
/// correspond, but their order changes. All shapes must be equal. Afterwards most operands have one or two
/// dimensions; a single element has none, and an empty array is {0}.
TESSERA_API void collapse(std::span<Layout> layouts);

/// Merges the dimensions [first, last) of a layout into one; empty where they are not mergeable.
/// An empty range inserts a dimension of size 1.
TESSERA_API std::optional<Layout> merge_axes(const Layout& layout, int first, int last);

}  // namespace tessera
