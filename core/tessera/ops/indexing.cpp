#include <tessera/ops/indexing.hpp>

#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tessera/error.hpp>
#include <tessera/funnel.hpp>
#include <tessera/ops/creation.hpp>
#include <tessera/ops/elementwise.hpp>
#include <tessera/ops/manipulation.hpp>
#include <tessera/ops/reduction.hpp>
#include <tessera/trace/tracer.hpp>

namespace tessera {
namespace {

// ---- brackets

/// A slice of an axis of that length, as Python clips it.
struct Range {
  std::int64_t start;
  std::int64_t count;
  std::int64_t step;
};

Range clip_slice(const Slice& slice, std::int64_t length) {
  if (slice.step == 0) {
    throw ValueError("[index] the step of a slice is 0; use a positive or a negative one");
  }
  const bool forward = slice.step > 0;
  // Python's, too: the lowest step has no opposite.
  const std::int64_t step =
      slice.step == std::numeric_limits<std::int64_t>::min() ? slice.step + 1 : slice.step;
  const std::int64_t lowest = forward ? 0 : -1;
  const std::int64_t highest = forward ? length : length - 1;
  const auto clip = [&](std::int64_t i) {
    if (i < 0) i += length;
    return i < lowest ? lowest : i > highest ? highest : i;
  };
  const std::int64_t start = slice.start ? clip(*slice.start) : (forward ? lowest : highest);
  const std::int64_t stop = slice.stop ? clip(*slice.stop) : (forward ? highest : lowest);
  const std::int64_t distance = forward ? stop - start : start - stop;
  const std::int64_t stride = forward ? step : -step;
  return {start, distance > 0 ? (distance - 1) / stride + 1 : 0, step};
}

std::int64_t checked_position(std::int64_t i, std::int64_t length, int axis, const Array& x) {
  if (i >= -length && i < length) return i < 0 ? i + length : i;
  throw IndexError(
      fmt::format("[index] index {} is out of bounds for axis {} of x, which is {}; its extent is {}", i,
                  axis, describe(x), length));
}

// ---- index arrays

void require_integers(const char* operation, const Array& indices) {
  require_array(operation, "indices", indices);
  if (is_integer(indices.dtype())) return;
  throw DTypeError(
      fmt::format("[{}] indices are {}; they must have an integer dtype (astype, or nonzero of a mask)",
                  operation, describe(indices)));
}

/// As int64. Values of uint64 past it become the highest one, which is outside of any axis, too.
Array to_int64(const char* operation, const Array& indices) {
  if (indices.dtype() != DType::uint64) return cast(operation, indices, DType::int64);
  constexpr auto highest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const Array clipped = make_array(operation, indices.shape(), DType::uint64, indices.device());
  kernels::binary(operation, BinaryOp::minimum, indices, Scalar(highest), clipped);
  return cast(operation, clipped, DType::int64);
}

Array list_of_indices(const char* operation, const Array& indices) {
  require_integers(operation, indices);
  if (indices.ndim() != 1) {
    throw ShapeError(fmt::format("[{}] indices are {}; they must be 1-d (reshape them to (-1,))", operation,
                                 describe(indices)));
  }
  return to_int64(operation, indices);
}

/// A kernel whose output has no elements does not run, yet an index out of bounds is an error there, too: the
/// kernel looks them up in an axis of that length with one element beside it, all the same zero.
void check_indices(const char* operation, const Array& indices, std::int64_t length) {
  if (indices.size() == 0) return;
  const Array zero = make_array(operation, {1, 1, 1}, DType::uint8, indices.device());
  kernels::fill(operation, 0, zero);
  const Array axis = view_of(zero, {{1, length, 1}, {0, 0, 0}, 0});
  const Array ignored = make_array(operation, {1, indices.size(), 1}, DType::uint8, indices.device());
  kernels::take(operation, axis, reshape(indices, {-1}), ignored);
}

Shape with_extent(Shape shape, int axis, std::int64_t extent) {
  shape[axis] = extent;
  return shape;
}

// ---- scatter

DTypeError does_not_fit(const char* operation, std::string_view updates, const Array& target) {
  return DTypeError(
      fmt::format("[{}] updates are {}, target is {}; cast one of them with astype, so that updates "
                  "promote to target's dtype",
                  operation, updates, describe(target)));
}

/// Updates as an array that the kernel takes with this target.
Array fitting_updates(const char* operation, ScatterOp op, const Operand& updates, const Array& target) {
  const DType dtype = target.dtype();
  if (updates.is_scalar()) {
    const Scalar& value = updates.scalar();
    const bool fits = is_floating(dtype) ? !value.is_bool()
                      : is_bool(dtype)   ? value.is_bool()
                                         : !value.is_bool() && !value.is_floating();
    if (!fits) throw does_not_fit(operation, "the number " + value.to_string(), target);
    require_weak(operation, value, dtype);
    const Array filled = make_array(operation, {}, dtype, target.device());
    kernels::fill(operation, value, filled);
    return filled;
  }
  const Array& array = updates.array();
  require_array(operation, "updates", array);
  require_same_device(operation, {&target, &array});
  if (op == ScatterOp::add && dtype == DType::float64 && array.dtype() == DType::float32) return array;
  if (!can_promote(dtype, array.dtype()) || result_type(dtype, array.dtype()) != dtype) {
    throw does_not_fit(operation, describe(array), target);
  }
  return cast(operation, array, dtype);
}

Array scatter(const char* operation, ScatterOp op, Array target, const Array& indices, const Operand& updates,
              int axis) {
  require_array(operation, "target", target);
  if (op != ScatterOp::set && is_bool(target.dtype())) {
    throw DTypeError(
        fmt::format("[{}] target is {}; it must have a numeric dtype", operation, describe(target)));
  }
  axis = normalize_axis(operation, axis, target.ndim());
  const Array list = list_of_indices(operation, indices);
  require_same_device(operation, {&target, &indices});
  const Array fitting = fitting_updates(operation, op, updates, target);
  const Shape shape = with_extent(target.shape(), axis, list.shape()[0]);
  const auto spread = broadcast(fitting.layout(), shape);
  if (!spread) {
    throw ShapeError(
        fmt::format("[{}] updates are {}, which does not broadcast to {}: target's shape with {} indices "
                    "along axis {}",
                    operation, describe(fitting), to_string(shape), list.shape()[0], axis));
  }
  Array out;
  if (writable_in_place(target, target.shape(), target.dtype())) {
    out = std::move(target);
  } else {
    out = make_array(operation, target.shape(), target.dtype(), target.device());
    kernels::copy(operation, target, out);
  }
  if (out.size() == 0) check_indices(operation, list, out.shape()[axis]);
  kernels::scatter(operation, op, list, around_axis(operation, view_of(fitting, *spread), axis),
                   around_axis(operation, out, axis));
  return out;
}

}  // namespace

Array index(const Array& x, std::initializer_list<Index> items) {
  return index(x, std::span<const Index>(items.begin(), items.size()));
}

Array index(const Array& x, std::span<const Index> items) {
  require_array("index", "x", x);
  int named = 0;
  int dots = 0;
  for (const Index& item : items) {
    named += item.type() == Index::Type::integer || item.type() == Index::Type::slice ? 1 : 0;
    dots += item.type() == Index::Type::dots ? 1 : 0;
  }
  if (dots > 1) {
    throw IndexError(fmt::format("[index] {} ellipses were given; at most one is allowed", dots));
  }
  if (named > x.ndim()) {
    throw IndexError(
        fmt::format("[index] {} axes were indexed, but x is {}; give at most {} integers and slices", named,
                    describe(x), x.ndim()));
  }
  Layout layout = x.layout();
  int axis = 0;    // in the layout so far
  int source = 0;  // in x, for messages
  for (const Index& item : items) {
    switch (item.type()) {
      case Index::Type::integer:
        layout = select(layout, axis, checked_position(item.integer(), layout.shape[axis], source++, x));
        break;
      case Index::Type::slice: {
        const Range range = clip_slice(item.slice(), layout.shape[axis]);
        layout = slice(layout, axis++, range.start, range.count, range.step);
        ++source;
        break;
      }
      case Index::Type::new_axis: layout = insert_axis(layout, axis++); break;
      case Index::Type::dots:
        axis += x.ndim() - named;
        source += x.ndim() - named;
        break;
    }
  }
  return view_of(x, layout);
}

Array take(const Array& x, const Array& indices, const TakeOptions& options) {
  constexpr const char* kOperation = "take";
  require_array(kOperation, "x", x);
  const Array list = list_of_indices(kOperation, indices);
  require_same_device(kOperation, {&x, &indices});
  if (!options.axis && x.ndim() != 1) {
    throw ValueError(fmt::format(
        "[take] axis is needed, since x is {}; it may be left out only for a 1-d array", describe(x)));
  }
  const int axis = normalize_axis(kOperation, options.axis.value_or(0), x.ndim());
  const Array out =
      make_array(kOperation, with_extent(x.shape(), axis, list.shape()[0]), x.dtype(), x.device());
  if (out.size() == 0) check_indices(kOperation, list, x.shape()[axis]);
  kernels::take(kOperation, around_axis(kOperation, x, axis), list, around_axis(kOperation, out, axis));
  return out;
}

Array take_along_axis(const Array& x, const Array& indices, const TakeAlongOptions& options) {
  constexpr const char* kOperation = "take_along_axis";
  require_array(kOperation, "x", x);
  require_integers(kOperation, indices);
  require_same_device(kOperation, {&x, &indices});
  const int axis = normalize_axis(kOperation, options.axis, x.ndim());
  if (indices.ndim() != x.ndim()) {
    throw ShapeError(
        fmt::format("[take_along_axis] indices are {}, x is {}; both need the same number of dimensions",
                    describe(indices), describe(x)));
  }
  const std::int64_t length = x.shape()[axis];
  const std::int64_t count = indices.shape()[axis];
  const Shape others =
      broadcast_shapes(kOperation, with_extent(x.shape(), axis, 1), with_extent(indices.shape(), axis, 1));
  const Array source = broadcast_to(x, with_extent(others, axis, length));
  const Array positions = to_int64(kOperation, indices);
  const Array list = broadcast_to(positions, with_extent(others, axis, count));
  const Array out = make_array(kOperation, list.shape(), x.dtype(), x.device());
  if (out.size() == 0) check_indices(kOperation, positions, length);
  kernels::take_along(kOperation, around_axis(kOperation, source, axis), around_axis(kOperation, list, axis),
                      around_axis(kOperation, out, axis));
  return out;
}

Array scatter_add(Array target, const Array& indices, Operand updates, const ScatterOptions& options) {
  return scatter("scatter_add", ScatterOp::add, std::move(target), indices, updates, options.axis);
}
Array scatter_set(Array target, const Array& indices, Operand updates, const ScatterOptions& options) {
  return scatter("scatter_set", ScatterOp::set, std::move(target), indices, updates, options.axis);
}
Array scatter_min(Array target, const Array& indices, Operand updates, const ScatterOptions& options) {
  return scatter("scatter_min", ScatterOp::min, std::move(target), indices, updates, options.axis);
}
Array scatter_max(Array target, const Array& indices, Operand updates, const ScatterOptions& options) {
  return scatter("scatter_max", ScatterOp::max, std::move(target), indices, updates, options.axis);
}

std::vector<Array> nonzero(const Array& x) {
  constexpr const char* kOperation = "nonzero";
  require_array(kOperation, "x", x);
  if (x.ndim() == 0) {
    throw ShapeError("[nonzero] x has no dimensions, so no positions; reshape it to (1,) first");
  }
  trace::require_values(
      kOperation, x,
      "how many positions there are is a value: call it outside of the function, or choose with where()");
  const trace::Pause eager;
  const auto count = count_nonzero(x).item<std::int64_t>();
  Array rest = make_array(kOperation, {count}, DType::int64, x.device());
  kernels::nonzero(kOperation, reshape(x, {-1}), rest);
  // Positions in the flattened array, taken apart from the last dimension on.
  std::vector<Array> positions(static_cast<std::size_t>(x.ndim()));
  for (int axis = x.ndim() - 1; axis > 0; --axis) {
    Array& along = positions[static_cast<std::size_t>(axis)];
    along = make_array(kOperation, {count}, DType::int64, x.device());
    kernels::binary(kOperation, BinaryOp::remainder, rest, Scalar(x.shape(axis)), along);
    kernels::binary(kOperation, BinaryOp::floor_divide, rest, Scalar(x.shape(axis)), rest);
  }
  positions[0] = std::move(rest);
  return positions;
}

Array one_hot(const Array& indices, std::int64_t n_classes, const OneHotOptions& options) {
  constexpr const char* kOperation = "one_hot";
  require_integers(kOperation, indices);
  if (n_classes < 0) {
    throw ValueError(fmt::format("[one_hot] n_classes is {}; it must be at least 0", n_classes));
  }
  const Array classes = make_array(kOperation, {n_classes}, DType::int64, indices.device());
  kernels::iota(kOperation, 0, 1, classes);
  Shape shape = indices.shape();
  shape.push_back(n_classes);
  const Array hits = make_array(kOperation, shape, DType::bool_, indices.device());
  kernels::binary(kOperation, BinaryOp::equal, expand_dims(to_int64(kOperation, indices), -1), classes, hits);
  return cast(kOperation, hits, options.dtype);
}

}  // namespace tessera
