#include <tessera/layout.hpp>

#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tessera/error.hpp>

namespace tessera {
namespace {

std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw ShapeError(fmt::format("[layout] {} * {} elements lie past 2^63 - 1; use smaller extents", a, b));
  }
  return product;
}

std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw ShapeError(fmt::format("[layout] {} + {} elements lie past 2^63 - 1; use smaller extents", a, b));
  }
  return sum;
}

bool is_empty(const Shape& shape) {
  for (const std::int64_t extent : shape) {
    if (extent == 0) return true;
  }
  return false;
}

/// The other extents of an array without elements may be of any size: a product past 2^63 - 1 is that.
std::int64_t saturated_count(std::span<const std::int64_t> extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) {
    if (extent == 0) return 0;
    if (__builtin_mul_overflow(count, extent, &count)) count = std::numeric_limits<std::int64_t>::max();
  }
  return count;
}

/// Whether dimension `outer` continues where `inner` ends.
bool mergeable(const Layout& layout, int outer, int inner) {
  std::int64_t span = 0;
  return !__builtin_mul_overflow(layout.shape[inner], layout.strides[inner], &span) &&
         layout.strides[outer] == span;
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

/// Whether dimension b walks through memory in larger steps than a: by the last layout, then those before.
bool steps_less(std::span<const Layout> layouts, int a, int b) {
  for (auto layout = layouts.rbegin(); layout != layouts.rend(); ++layout) {
    const std::uint64_t step_a = magnitude(layout->strides[a]);
    const std::uint64_t step_b = magnitude(layout->strides[b]);
    if (step_a != step_b) return step_a < step_b;
  }
  return false;
}

void swap_dimensions(std::span<Layout> layouts, int a, int b) {
  for (Layout& layout : layouts) {
    std::swap(layout.shape[a], layout.shape[b]);
    std::swap(layout.strides[a], layout.strides[b]);
  }
}

void move_dimension(std::span<Layout> layouts, int from, int to) {
  for (Layout& layout : layouts) {
    layout.shape[to] = layout.shape[from];
    layout.strides[to] = layout.strides[from];
  }
}

void truncate(std::span<Layout> layouts, int rank) {
  for (Layout& layout : layouts) {
    layout.shape.truncate(rank);
    layout.strides.truncate(rank);
  }
}

int drop_unit_dimensions(std::span<Layout> layouts) {
  const int rank = layouts.front().rank();
  int kept = 0;
  for (int i = 0; i < rank; ++i) {
    if (layouts.front().shape[i] == 1) continue;
    if (kept != i) move_dimension(layouts, i, kept);
    ++kept;
  }
  return kept;
}

/// Insertion sort: stable, and free of work where the order is right already, as it nearly always is.
void sort_dimensions(std::span<Layout> layouts, int rank) {
  for (int i = 1; i < rank; ++i) {
    for (int j = i; j > 0 && steps_less(layouts, j - 1, j); --j) swap_dimensions(layouts, j - 1, j);
  }
}

bool all_mergeable(std::span<const Layout> layouts, int outer, int inner) {
  for (const Layout& layout : layouts) {
    if (!mergeable(layout, outer, inner)) return false;
  }
  return true;
}

int merge_dimensions(std::span<Layout> layouts, int rank) {
  int last = 0;
  for (int i = 1; i < rank; ++i) {
    if (all_mergeable(layouts, last, i)) {
      const std::int64_t outer = layouts.front().shape[last];
      move_dimension(layouts, i, last);
      for (Layout& layout : layouts) layout.shape[last] *= outer;
    } else if (++last != i) {
      move_dimension(layouts, i, last);
    }
  }
  return last + 1;
}

}  // namespace

Layout row_major(const Shape& shape) {
  return {shape, row_major_strides(shape), 0};
}

bool is_contiguous(const Layout& layout) {
  std::int64_t expected = 1;
  for (int i = layout.rank() - 1; i >= 0; --i) {
    if (layout.shape[i] == 1) continue;
    if (layout.shape[i] == 0) return true;
    if (layout.strides[i] != expected) return is_empty(layout.shape);
    if (__builtin_mul_overflow(expected, layout.shape[i], &expected)) return is_empty(layout.shape);
  }
  return true;
}

Extent extent(const Layout& layout) {
  if (is_empty(layout.shape)) return {layout.offset, layout.offset};
  Extent result{layout.offset, layout.offset};
  for (int i = 0; i < layout.rank(); ++i) {
    const std::int64_t reach = checked_multiply(layout.shape[i] - 1, layout.strides[i]);
    std::int64_t& bound = reach < 0 ? result.begin : result.end;
    bound = checked_add(bound, reach);
  }
  result.end = checked_add(result.end, 1);
  return result;
}

Layout permute(const Layout& layout, const Dims& axes) {
  Layout result = layout;
  std::uint32_t seen = 0;
  const int rank = layout.rank();
  bool valid = axes.size() == rank;
  for (int i = 0; valid && i < rank; ++i) {
    valid = axes[i] >= 0 && axes[i] < rank && (seen >> axes[i] & 1U) == 0;
    if (!valid) break;
    const int axis = static_cast<int>(axes[i]);
    seen |= 1U << axis;
    result.shape[i] = layout.shape[axis];
    result.strides[i] = layout.strides[axis];
  }
  if (!valid) {
    throw ShapeError(fmt::format(
        "[permute_dims] axes {} are no permutation for an array of shape {}; name each of its {} axes once",
        to_string(axes), to_string(layout.shape), rank));
  }
  return result;
}

std::optional<Layout> broadcast(const Layout& layout, const Shape& shape) {
  const int lead = shape.size() - layout.rank();
  if (lead < 0) return std::nullopt;
  std::optional<Layout> result(std::in_place, Layout{shape, Strides::filled(shape.size(), 0), layout.offset});
  for (int i = 0; i < layout.rank(); ++i) {
    if (layout.shape[i] == shape[lead + i]) {
      result->strides[lead + i] = layout.strides[i];
    } else if (layout.shape[i] != 1) {
      return std::nullopt;
    }
  }
  return result;
}

std::optional<Layout> reshape(const Layout& layout, const Shape& shape) {
  const std::int64_t size = layout.size();
  if (element_count(shape) != size) {
    throw ShapeError(
        fmt::format("[reshape] an array of shape {} has {} elements, shape {} has {}; give equal counts",
                    to_string(layout.shape), size, to_string(shape), element_count(shape)));
  }
  if (size == 0 || is_contiguous(layout)) {
    return Layout{shape, row_major_strides(shape), layout.offset};
  }
  Layout old = layout;
  truncate({&old, 1}, drop_unit_dimensions({&old, 1}));
  std::optional<Layout> result(std::in_place, Layout{shape, Strides::filled(shape.size(), 1), layout.offset});

  // Groups of old and new dimensions with equal products: within a group the old ones must merge.
  int old_first = 0;
  int new_first = 0;
  while (old_first < old.rank()) {
    int old_last = old_first + 1;
    int new_last = new_first + 1;
    std::int64_t old_count = old.shape[old_first];
    std::int64_t new_count = shape[new_first];
    while (old_count != new_count) {
      if (new_count < old_count) {
        new_count *= shape[new_last++];
      } else {
        old_count *= old.shape[old_last++];
      }
    }
    for (int i = old_first; i + 1 < old_last; ++i) {
      if (!mergeable(old, i, i + 1)) return std::nullopt;
    }
    std::int64_t step = old.strides[old_last - 1];
    for (int i = new_last - 1; i >= new_first; --i) {
      result->strides[i] = step;
      // Only the product of the whole group can overflow, and that one is not used.
      if (__builtin_mul_overflow(step, shape[i], &step)) step = 0;
    }
    old_first = old_last;
    new_first = new_last;
  }
  return result;
}

Layout slice(const Layout& layout, int axis, std::int64_t start, std::int64_t count, std::int64_t step) {
  Layout result = layout;
  const std::int64_t length = layout.shape[axis];
  std::int64_t last = start;
  const bool outside = count > 1 && (__builtin_mul_overflow(count - 1, step, &last) ||
                                     __builtin_add_overflow(start, last, &last));
  if (count < 0 || outside || (count > 0 && (start < 0 || start >= length || last < 0 || last >= length))) {
    throw IndexError(fmt::format("[slice] {} elements from {} on in steps of {} leave axis {} of shape {}",
                                 count, start, step, axis, to_string(layout.shape)));
  }
  result.shape[axis] = count;
  if (count > 0) result.offset = checked_add(layout.offset, checked_multiply(start, layout.strides[axis]));
  if (count > 1) result.strides[axis] = checked_multiply(layout.strides[axis], step);
  return result;
}

Layout select(const Layout& layout, int axis, std::int64_t index) {
  Layout result = slice(layout, axis, index, 1, 1);
  result.shape.erase(axis);
  result.strides.erase(axis);
  return result;
}

Layout insert_axis(const Layout& layout, int axis) {
  Layout result = layout;
  // The stride that a row-major neighbour would have: libraries like it better than 0.
  std::int64_t step = 1;
  if (axis < layout.rank() && __builtin_mul_overflow(layout.shape[axis], layout.strides[axis], &step))
    step = 0;
  result.shape.insert(axis, 1);
  result.strides.insert(axis, step);
  return result;
}

Layout remove_axis(const Layout& layout, int axis) {
  if (layout.shape[axis] != 1) {
    throw ShapeError(fmt::format("[squeeze] axis {} of shape {} has extent {}; only an extent of 1 can go",
                                 axis, to_string(layout.shape), layout.shape[axis]));
  }
  Layout result = layout;
  result.shape.erase(axis);
  result.strides.erase(axis);
  return result;
}

void collapse(std::span<Layout> layouts) {
  if (layouts.empty()) return;
  const Shape& shape = layouts.front().shape;
  const int rank = shape.size();
  if (rank == 0 || (rank == 1 && shape[0] != 1)) return;
  if (is_empty(shape)) {
    truncate(layouts, 1);
    for (Layout& layout : layouts) {
      layout.shape[0] = 0;
      layout.strides[0] = 1;
    }
    return;
  }
  int kept = drop_unit_dimensions(layouts);
  if (kept > 1) {
    sort_dimensions(layouts, kept);
    kept = merge_dimensions(layouts, kept);
  }
  truncate(layouts, kept);
}

std::optional<Layout> merge_axes(const Layout& layout, int first, int last) {
  std::optional<Layout> result(std::in_place, Layout{{}, {}, layout.offset});
  for (int i = 0; i < first; ++i) {
    result->shape.push_back(layout.shape[i]);
    result->strides.push_back(layout.strides[i]);
  }
  std::int64_t count = 1;
  std::int64_t step = 1;
  if (!is_empty(layout.shape)) {
    int inner = -1;
    for (int i = last - 1; i >= first; --i) {
      if (layout.shape[i] == 1) continue;
      if (inner < 0) step = layout.strides[i];
      if (inner >= 0 && !mergeable(layout, i, inner)) return std::nullopt;
      count = checked_multiply(count, layout.shape[i]);
      inner = i;
    }
  } else {
    count = saturated_count(std::span(layout.shape.begin() + first, layout.shape.begin() + last));
  }
  result->shape.push_back(count);
  result->strides.push_back(step);
  for (int i = last; i < layout.rank(); ++i) {
    result->shape.push_back(layout.shape[i]);
    result->strides.push_back(layout.strides[i]);
  }
  return result;
}

}  // namespace tessera
