// Layout arithmetic against plain enumeration: every operation on layouts must name the elements that the
// same operation on a list of elements would.

#include <tessera/layout.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "support/arrays.hpp"

namespace tessera {

std::ostream& operator<<(std::ostream& stream, const Layout& layout) {
  return stream << "shape " << to_string(layout.shape) << " strides " << to_string(layout.strides)
                << " offset " << layout.offset;
}

}  // namespace tessera

namespace tessera::test {
namespace {

std::vector<std::int64_t> elements(const Layout& layout) {
  std::vector<std::int64_t> positions;
  for_each_element(layout, [&](std::int64_t, std::int64_t at) { positions.push_back(at); });
  return positions;
}

std::int64_t at(const Layout& layout, const Dims& index) {
  std::int64_t position = layout.offset;
  for (int i = 0; i < layout.rank(); ++i) position += index[i] * layout.strides[i];
  return position;
}

int in_range(int first, int end) {
  return *rc::gen::inRange(first, end);
}

Dims any_permutation(int rank) {
  Dims axes = Dims::filled(rank, 0);
  for (int i = 0; i < rank; ++i) {
    const int other = in_range(0, i + 1);
    axes[i] = axes[other];
    axes[other] = i;
  }
  return axes;
}

Layout any_view_step(const Layout& layout) {
  if (layout.rank() == 0) return insert_axis(layout, 0);
  const int axis = in_range(0, layout.rank());
  const std::int64_t extent = layout.shape[axis];
  switch (in_range(0, 6)) {
    case 0: return permute(layout, any_permutation(layout.rank()));
    case 1: return extent > 0 ? slice(layout, axis, extent - 1, extent, -1) : layout;
    case 2: return slice(layout, axis, 0, (extent + 1) / 2, 2);
    case 3: return extent > 1 ? slice(layout, axis, 1, extent - 1, 1) : layout;
    case 4: return layout.rank() < 5 ? insert_axis(layout, axis) : layout;
    default: {
      Shape shape = layout.shape;
      if (extent == 1) shape[axis] = 3;
      return *broadcast(layout, shape);
    }
  }
}

Shape any_shape(int max_rank = 4) {
  Shape shape;
  const int rank = in_range(0, max_rank + 1);
  for (int i = 0; i < rank; ++i) shape.push_back(in_range(0, 12) == 0 ? 0 : in_range(1, 5));
  return shape;
}

Layout any_layout() {
  Layout layout = row_major(any_shape());
  const int steps = in_range(0, 4);
  for (int i = 0; i < steps; ++i) layout = any_view_step(layout);
  return layout;
}

RC_GTEST_PROP(LayoutProperty, ExtentIsTheRangeOfElements, ()) {
  const Layout layout = any_layout();
  const auto all = elements(layout);
  const Extent touched = extent(layout);
  if (all.empty()) {
    RC_ASSERT(touched.begin == touched.end);
  } else {
    RC_ASSERT(touched.begin == *std::min_element(all.begin(), all.end()));
    RC_ASSERT(touched.end == *std::max_element(all.begin(), all.end()) + 1);
  }
}

RC_GTEST_PROP(LayoutProperty, ContiguousMeansConsecutive, ()) {
  const Layout layout = any_layout();
  const auto all = elements(layout);
  bool consecutive = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    consecutive = consecutive && all[i] == layout.offset + static_cast<std::int64_t>(i);
  }
  RC_ASSERT(is_contiguous(layout) == consecutive);
}

RC_GTEST_PROP(LayoutProperty, SliceNamesEveryStepthElement, ()) {
  Layout layout = any_layout();
  if (layout.size() == 0 || layout.rank() == 0) layout = row_major({4, 3});
  const int axis = in_range(0, layout.rank());
  const std::int64_t length = layout.shape[axis];
  const int start = in_range(0, static_cast<int>(length));
  const int step = in_range(1, 4) * (in_range(0, 2) == 0 ? 1 : -1);
  const std::int64_t most = step > 0 ? (length - 1 - start) / step + 1 : start / -step + 1;
  const int count = in_range(0, static_cast<int>(most) + 1);
  const Layout part = slice(layout, axis, start, count, step);
  std::vector<std::int64_t> expected;
  for_each_element(row_major(part.shape), [&](std::int64_t, std::int64_t flat) {
    Dims index = part.shape;
    for (int i = part.rank() - 1; i >= 0; --i) {
      index[i] = flat % part.shape[i];
      flat /= part.shape[i];
    }
    index[axis] = start + index[axis] * step;
    expected.push_back(at(layout, index));
  });
  RC_ASSERT(elements(part) == expected);
}

RC_GTEST_PROP(LayoutProperty, PermuteMovesIndices, ()) {
  const Layout layout = any_layout();
  const Dims axes = any_permutation(layout.rank());
  const Layout turned = permute(layout, axes);
  for_each_element(row_major(turned.shape), [&](std::int64_t, std::int64_t flat) {
    Dims to = turned.shape;
    Dims from = turned.shape;
    for (int i = turned.rank() - 1; i >= 0; --i) {
      to[i] = flat % turned.shape[i];
      flat /= turned.shape[i];
      from[static_cast<int>(axes[i])] = to[i];
    }
    RC_ASSERT(at(turned, to) == at(layout, from));
  });
}

RC_GTEST_PROP(LayoutProperty, BroadcastRepeats, ()) {
  const Layout layout = any_layout();
  Shape shape = layout.shape;
  for (std::int64_t& extent : shape) {
    if (extent == 1) extent = in_range(0, 4);
  }
  if (in_range(0, 2) == 1) shape.insert(0, in_range(0, 3));
  const auto stretched = broadcast(layout, shape);
  RC_ASSERT(stretched.has_value());
  RC_ASSERT(stretched->shape == shape);
  const int lead = shape.size() - layout.rank();
  for_each_element(row_major(shape), [&](std::int64_t, std::int64_t flat) {
    Dims to = shape;
    Dims from = layout.shape;
    for (int i = shape.size() - 1; i >= 0; --i) {
      to[i] = flat % shape[i];
      flat /= shape[i];
      if (i >= lead) from[i - lead] = layout.shape[i - lead] == 1 ? 0 : to[i];
    }
    RC_ASSERT(at(*stretched, to) == at(layout, from));
  });
}

/// A shape with as many elements.
Shape any_shape_of(std::int64_t size) {
  Shape shape;
  if (size == 0) return {in_range(0, 4), 0};
  while (size > 1 && shape.size() < 6) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d <= size; ++d) {
      if (size % d == 0) divisors.push_back(d);
    }
    shape.push_back(divisors[static_cast<std::size_t>(in_range(0, static_cast<int>(divisors.size())))]);
    size /= shape.back();
  }
  if (size > 1) shape.push_back(size);
  return shape;
}

RC_GTEST_PROP(LayoutProperty, ReshapeKeepsTheOrderAndCopiesOnlyWhereItMust, ()) {
  const Layout layout = any_layout();
  const Shape shape = any_shape_of(layout.size());
  const auto all = elements(layout);
  const auto reshaped = reshape(layout, shape);
  if (reshaped) {
    RC_ASSERT(reshaped->shape == shape);
    RC_ASSERT(elements(*reshaped) == all);
    return;
  }
  // The only strides that could do are the steps from the first element to each axis's second.
  Layout candidate{shape, Strides::filled(shape.size(), 0), all.front()};
  const Strides steps = row_major_strides(shape);
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1) candidate.strides[i] = all[static_cast<std::size_t>(steps[i])] - all.front();
  }
  RC_ASSERT(elements(candidate) != all);
}

RC_GTEST_PROP(LayoutProperty, MergeKeepsTheOrder, ()) {
  const Layout layout = any_layout();
  const int first = in_range(0, layout.rank() + 1);
  const int last = in_range(first, layout.rank() + 1);
  const auto merged = merge_axes(layout, first, last);
  if (merged) {
    RC_ASSERT(elements(*merged) == elements(layout));
    RC_ASSERT(merged->rank() == layout.rank() - (last - first) + 1);
  } else {
    RC_ASSERT(last - first > 1 && !is_contiguous(layout));
  }
}

/// A layout of that shape: row-major memory of some order, perhaps backwards: what outputs look like.
Layout any_output(const Shape& shape) {
  const Dims axes = any_permutation(shape.size());
  Shape memory = shape;
  Dims inverse = axes;
  for (int i = 0; i < shape.size(); ++i) {
    memory[i] = shape[static_cast<int>(axes[i])];
    inverse[static_cast<int>(axes[i])] = i;
  }
  Layout layout = permute(row_major(memory), inverse);
  if (shape.size() > 0 && in_range(0, 3) == 0) {
    const int axis = in_range(0, shape.size());
    if (shape[axis] > 0) layout = slice(layout, axis, shape[axis] - 1, shape[axis], -1);
  }
  return layout;
}

RC_GTEST_PROP(LayoutProperty, CollapsePairsTheSameElements, ()) {
  const Layout input = any_layout();
  const Layout output = any_output(input.shape);
  std::vector<Layout> layouts = {input, output};
  collapse(layouts);
  const auto pairs = [](const Layout& a, const Layout& b) {
    const auto first = elements(a);
    const auto second = elements(b);
    std::multiset<std::pair<std::int64_t, std::int64_t>> result;
    for (std::size_t i = 0; i < first.size(); ++i) result.emplace(first[i], second[i]);
    return result;
  };
  RC_ASSERT(layouts[0].shape == layouts[1].shape);
  RC_ASSERT(pairs(layouts[0], layouts[1]) == pairs(input, output));

  const Layout& out = layouts[1];
  for (int i = 0; i < out.rank(); ++i) RC_ASSERT(out.shape[i] != 1);
  for (int i = 0; i + 1 < out.rank(); ++i) {
    RC_ASSERT(std::abs(out.strides[i]) > std::abs(out.strides[i + 1]));
    const auto continues = [&](const Layout& layout) {
      return layout.strides[i] == layout.shape[i + 1] * layout.strides[i + 1];
    };
    RC_ASSERT(!(continues(layouts[0]) && continues(layouts[1])));
  }
  if (out.size() > 1) RC_ASSERT(std::abs(out.strides.back()) == 1);
}

}  // namespace
}  // namespace tessera::test
