#include <tessera/ops/manipulation.hpp>

#include <utility>

#include <fmt/format.h>

#include <tessera/error.hpp>
#include <tessera/funnel.hpp>

namespace tessera {
namespace {

/// The axes that are named, from 0 on, each once, as a mask of bits.
std::uint32_t axis_mask(const char* operation, const Axes& axis, int rank) {
  if (axis.all()) return (1U << rank) - 1;
  std::uint32_t mask = 0;
  for (const std::int64_t named : axis.axes()) {
    const std::uint32_t bit = 1U << normalize_axis(operation, static_cast<int>(named), rank);
    if ((mask & bit) != 0) {
      throw ValueError(fmt::format("[{}] axis {} is named twice in {}; name each axis once", operation, named,
                                   to_string(axis.axes())));
    }
    mask |= bit;
  }
  return mask;
}

DType common_dtype(const char* operation, std::span<const Array> arrays) {
  DType dtype = arrays.front().dtype();
  for (const Array& x : arrays) {
    if (!can_promote(dtype, x.dtype())) {
      throw DTypeError(
          fmt::format("[{}] dtypes {} and {} do not promote to a common one; cast with astype first",
                      operation, name(dtype), name(x.dtype())));
    }
    dtype = result_type(dtype, x.dtype());
  }
  return dtype;
}

Device common_device(const char* operation, std::span<const Array> arrays) {
  for (const Array& x : arrays) {
    require_array(operation, "arrays", x);
    require_same_device(operation, {&arrays.front(), &x});
  }
  return arrays.front().device();
}

void require_some(const char* operation, std::span<const Array> arrays) {
  if (arrays.empty()) {
    throw ValueError(fmt::format("[{}] no arrays were given; pass at least one", operation));
  }
}

/// Copies each piece into its place along `axis` of `out`.
void fill_pieces(const char* operation, std::span<const Array> pieces, int axis, const Array& out) {
  std::int64_t start = 0;
  for (const Array& piece : pieces) {
    const std::int64_t count = piece.shape()[axis];
    if (piece.size() > 0)
      kernels::copy(operation, piece, view_of(out, slice(out.layout(), axis, start, count, 1)));
    start += count;
  }
}

Array concat_along(std::span<const Array> arrays, int axis) {
  constexpr const char* kOperation = "concat";
  const Array& first = arrays.front();
  if (first.ndim() == 0) {
    throw ShapeError(
        "[concat] arrays without dimensions have no axis to join along; use stack, or reshape to (1,)");
  }
  axis = normalize_axis(kOperation, axis, first.ndim());
  std::int64_t total = 0;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    Shape others = arrays[i].shape();
    if (others.size() == first.ndim()) others[axis] = first.shape()[axis];
    if (others != first.shape()) {
      throw ShapeError(
          fmt::format("[concat] array {} is {}, array 0 is {}; all extents but that of axis {} must be equal",
                      i, describe(arrays[i]), describe(first), axis));
    }
    if (__builtin_add_overflow(total, arrays[i].shape()[axis], &total)) {
      throw ShapeError(fmt::format("[concat] axis {} gets longer than 2^63 - 1; join fewer arrays", axis));
    }
  }
  Shape shape = first.shape();
  shape[axis] = total;
  const Array out =
      make_array(kOperation, shape, common_dtype(kOperation, arrays), common_device(kOperation, arrays));
  fill_pieces(kOperation, arrays, axis, out);
  return out;
}

/// `shape` with its -1 filled in so that it has `size` elements.
Shape resolve_shape(const Array& x, const Shape& shape) {
  Shape result = shape;
  int open = -1;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0) continue;
    if (shape[i] != -1 || open >= 0) {
      throw ShapeError(fmt::format("[reshape] shape {} is not one: extents are >= 0, and at most one is -1",
                                   to_string(shape)));
    }
    open = i;
    result[i] = 1;
  }
  const std::int64_t known = element_count(result);
  if (open >= 0 && known > 0 && x.size() % known == 0) result[open] = x.size() / known;
  if (open >= 0 && known == 0) {
    throw ShapeError(
        fmt::format("[reshape] the -1 of shape {} may be anything, since another extent is 0; name it",
                    to_string(shape)));
  }
  if (element_count(result) != x.size()) {
    throw ShapeError(
        fmt::format("[reshape] an array of shape {} has {} elements, which do not fill shape {}; the "
                    "product of the extents must be the same",
                    to_string(x.shape()), x.size(), to_string(shape)));
  }
  return result;
}

}  // namespace

Array concat(std::span<const Array> arrays, const ConcatOptions& options) {
  require_some("concat", arrays);
  common_device("concat", arrays);
  if (options.axis) return concat_along(arrays, *options.axis);
  std::vector<Array> flat;
  flat.reserve(arrays.size());
  for (const Array& x : arrays) flat.push_back(reshape(x, {-1}));
  return concat_along(flat, 0);
}

Array concat(std::initializer_list<Array> arrays, const ConcatOptions& options) {
  return concat(std::span<const Array>(arrays.begin(), arrays.size()), options);
}

Array stack(std::span<const Array> arrays, const StackOptions& options) {
  constexpr const char* kOperation = "stack";
  require_some(kOperation, arrays);
  const Device device = common_device(kOperation, arrays);
  const Array& first = arrays.front();
  const int axis = normalize_axis(kOperation, options.axis, first.ndim() + 1);
  std::vector<Array> pieces;
  pieces.reserve(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].shape() != first.shape()) {
      throw ShapeError(fmt::format("[stack] array {} is {}, array 0 is {}; all shapes must be equal", i,
                                   describe(arrays[i]), describe(first)));
    }
    pieces.push_back(view_of(arrays[i], insert_axis(arrays[i].layout(), axis)));
  }
  Shape shape = first.shape();
  shape.insert(axis, static_cast<std::int64_t>(arrays.size()));
  const Array out = make_array(kOperation, shape, common_dtype(kOperation, arrays), device);
  fill_pieces(kOperation, pieces, axis, out);
  return out;
}

Array stack(std::initializer_list<Array> arrays, const StackOptions& options) {
  return stack(std::span<const Array>(arrays.begin(), arrays.size()), options);
}

Array reshape(const Array& x, const Shape& shape) {
  constexpr const char* kOperation = "reshape";
  require_array(kOperation, "x", x);
  const Shape resolved = resolve_shape(x, shape);
  if (resolved == x.shape()) return x;
  if (const auto view = tessera::reshape(x.layout(), resolved)) return view_of(x, *view);
  const Array copied = make_array(kOperation, x.shape(), x.dtype(), x.device());
  kernels::copy(kOperation, x, copied);
  return view_of(copied, row_major(resolved));
}

Array broadcast_to(const Array& x, const Shape& shape) {
  require_array("broadcast_to", "x", x);
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      throw ShapeError(
          fmt::format("[broadcast_to] shape {} has a negative extent; extents are >= 0", to_string(shape)));
    }
  }
  element_count(shape);
  const auto view = broadcast(x.layout(), shape);
  if (!view) {
    throw ShapeError(
        fmt::format("[broadcast_to] x is {}, which does not broadcast to shape {}; counted from the last "
                    "dimension, its extents must be equal to those or 1",
                    describe(x), to_string(shape)));
  }
  return view_of(x, *view);
}

Array permute_dims(const Array& x, const Dims& axes) {
  require_array("permute_dims", "x", x);
  Dims normalized = axes;
  for (std::int64_t& axis : normalized) {
    if (axis < 0) axis += x.ndim();
  }
  return view_of(x, permute(x.layout(), normalized));
}

Array expand_dims(const Array& x, int axis) {
  require_array("expand_dims", "x", x);
  return view_of(x, insert_axis(x.layout(), normalize_axis("expand_dims", axis, x.ndim() + 1)));
}

Array squeeze(const Array& x, const Axes& axis) {
  require_array("squeeze", "x", x);
  const std::uint32_t mask = axis_mask("squeeze", axis, x.ndim());
  Layout layout = x.layout();
  for (int i = x.ndim() - 1; i >= 0; --i) {
    if ((mask >> i & 1U) == 0 || (axis.all() && layout.shape[i] != 1)) continue;
    if (layout.shape[i] != 1) {
      throw ShapeError(
          fmt::format("[squeeze] axis {} of x has extent {}, x is {}; only an extent of 1 can be dropped", i,
                      layout.shape[i], describe(x)));
    }
    layout = remove_axis(layout, i);
  }
  return view_of(x, layout);
}

Array flip(const Array& x, const Axes& axis) {
  require_array("flip", "x", x);
  const std::uint32_t mask = axis_mask("flip", axis, x.ndim());
  Layout layout = x.layout();
  for (int i = 0; i < x.ndim(); ++i) {
    const std::int64_t count = layout.shape[i];
    if ((mask >> i & 1U) != 0 && count > 1) layout = slice(layout, i, count - 1, count, -1);
  }
  return view_of(x, layout);
}

}  // namespace tessera
