#include <tessera/ops/linalg.hpp>

#include <fmt/format.h>

#include <tessera/error.hpp>
#include <tessera/funnel.hpp>
#include <tessera/ops/manipulation.hpp>

namespace tessera {
namespace {

DType product_dtype(const char* operation, const Array& a, const Array& b) {
  if (!is_numeric(a.dtype()) || !is_numeric(b.dtype())) {
    throw DTypeError(
        fmt::format("[{}] takes numeric dtypes: a is {}, b is {}", operation, describe(a), describe(b)));
  }
  if (!can_promote(a.dtype(), b.dtype())) {
    throw DTypeError(fmt::format("[{}] a is {}, b is {}: the dtypes do not promote; cast one with astype",
                                 operation, describe(a), describe(b)));
  }
  return result_type(a.dtype(), b.dtype());
}

// x with its first `count` dimensions as one.
Array batched(const char* operation, const Array& x, int count) {
  if (const auto form = merge_axes(x.layout(), 0, count)) return view_of(x, *form);
  const Array packed = contiguous(operation, x);
  return view_of(packed, *merge_axes(packed.layout(), 0, count));
}

// x, whose last two dimensions are a matrix, as [batch, rows, columns] for the batch shape given.
Array as_batch(const char* operation, const Array& x, const Shape& batch) {
  Shape shape = batch;
  shape.push_back(x.shape()[x.ndim() - 2]);
  shape.push_back(x.shape()[x.ndim() - 1]);
  return batched(operation, view_of(x, *broadcast(x.layout(), shape)), batch.size());
}

Shape leading(const Shape& shape) {
  Shape batch = shape;
  batch.erase(batch.size() - 1);
  batch.erase(batch.size() - 1);
  return batch;
}

// The product of two stacks of matrices.
Array product(const char* operation, Precision precision, const Array& a, const Array& b) {
  const Shape batch = broadcast_shapes(operation, leading(a.shape()), leading(b.shape()));
  const Array left = as_batch(operation, a, batch);
  const Array right = as_batch(operation, b, batch);
  const Array out =
      make_array(operation, {left.shape()[0], left.shape()[1], right.shape()[2]}, a.dtype(), a.device());
  kernels::matmul(operation, precision, left, right, out);
  Shape shape = batch;
  shape.push_back(out.shape()[1]);
  shape.push_back(out.shape()[2]);
  return view_of(out, row_major(shape));
}

}  // namespace

Array matmul(const Array& a, const Array& b, const MatmulOptions& options) {
  require_array("matmul", "a", a);
  require_array("matmul", "b", b);
  require_same_device("matmul", {&a, &b});
  if (a.ndim() == 0 || b.ndim() == 0) {
    throw ShapeError(
        fmt::format("[matmul] takes arrays of one dimension or more: a is {}, b is {}; multiply scales",
                    describe(a), describe(b)));
  }
  const DType dtype = product_dtype("matmul", a, b);
  const std::int64_t inner = b.ndim() == 1 ? b.shape()[0] : b.shape()[b.ndim() - 2];
  if (a.shape().back() != inner) {
    throw ShapeError(
        fmt::format("[matmul] inner dimensions differ: a is {}, b is {}; matrix_transpose turns one",
                    describe(a), describe(b)));
  }
  Array left = cast("matmul", a, dtype);
  Array right = cast("matmul", b, dtype);
  if (a.ndim() == 1) left = view_of(left, insert_axis(left.layout(), 0));
  if (b.ndim() == 1) right = view_of(right, insert_axis(right.layout(), 1));
  const Array out = product("matmul", options.precision, left, right);
  Layout layout = out.layout();
  if (b.ndim() == 1) layout = remove_axis(layout, layout.rank() - 1);
  if (a.ndim() == 1) layout = remove_axis(layout, layout.rank() - (b.ndim() == 1 ? 1 : 2));
  return view_of(out, layout);
}

Array matrix_transpose(const Array& x) {
  require_array("matrix_transpose", "x", x);
  if (x.ndim() < 2) {
    throw ShapeError(fmt::format("[matrix_transpose] x is {}; expected two dimensions or more", describe(x)));
  }
  Dims axes;
  for (int i = 0; i < x.ndim() - 2; ++i) axes.push_back(i);
  axes.push_back(x.ndim() - 1);
  axes.push_back(x.ndim() - 2);
  return view_of(x, permute(x.layout(), axes));
}

Array vecdot(const Array& a, const Array& b, const VecdotOptions& options) {
  require_array("vecdot", "a", a);
  require_array("vecdot", "b", b);
  require_same_device("vecdot", {&a, &b});
  const DType dtype = product_dtype("vecdot", a, b);
  const Shape shape = broadcast_shapes("vecdot", a.shape(), b.shape());
  if (a.ndim() == 0 || b.ndim() == 0) {
    throw ShapeError(fmt::format("[vecdot] takes arrays of one dimension or more: a is {}, b is {}",
                                 describe(a), describe(b)));
  }
  const int axis = normalize_axis("vecdot", options.axis, shape.size());
  Dims order;
  for (int i = 0; i < shape.size(); ++i) {
    if (i != axis) order.push_back(i);
  }
  order.push_back(axis);
  // Merged before they become matrices: an array may have all of its dimensions in use.
  const auto rows = [&](const Array& x) {
    const Array same = cast("vecdot", x, dtype);
    const Array turned = view_of(same, permute(*broadcast(same.layout(), shape), order));
    return batched("vecdot", turned, shape.size() - 1);
  };
  const Array left = rows(a);
  const Array right = rows(b);
  const Array out = make_array("vecdot", {left.shape()[0], 1, 1}, dtype, left.device());
  kernels::matmul("vecdot", Precision::ieee, view_of(left, insert_axis(left.layout(), 1)),
                  view_of(right, insert_axis(right.layout(), 2)), out);
  Shape kept = shape;
  kept.erase(axis);
  return view_of(out, row_major(kept));
}

}  // namespace tessera
