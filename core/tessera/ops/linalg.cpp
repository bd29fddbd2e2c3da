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

// x, whose last two dimensions are a matrix, as [batch, rows, columns] for the batch shape given.
Array as_batch(const char* operation, const Array& x, const Shape& batch) {
  Shape shape = batch;
  shape.push_back(x.shape()[x.ndim() - 2]);
  shape.push_back(x.shape()[x.ndim() - 1]);
  const Array full = view_of(x, *broadcast(x.layout(), shape));
  if (const auto form = merge_axes(full.layout(), 0, batch.size())) return view_of(full, *form);
  const Array packed = contiguous(operation, full);
  return view_of(packed, *merge_axes(packed.layout(), 0, batch.size()));
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

Array matmul(const Array& x1, const Array& x2, const MatmulOptions& options) {
  require_array("matmul", "x1", x1);
  require_array("matmul", "x2", x2);
  require_same_device("matmul", {&x1, &x2});
  if (x1.ndim() == 0 || x2.ndim() == 0) {
    throw ShapeError(
        fmt::format("[matmul] takes arrays of one dimension or more: a is {}, b is {}; multiply scales",
                    describe(x1), describe(x2)));
  }
  const DType dtype = product_dtype("matmul", x1, x2);
  const std::int64_t inner = x2.ndim() == 1 ? x2.shape()[0] : x2.shape()[x2.ndim() - 2];
  if (x1.shape().back() != inner) {
    throw ShapeError(
        fmt::format("[matmul] inner dimensions differ: a is {}, b is {}; matrix_transpose turns one",
                    describe(x1), describe(x2)));
  }
  Array a = cast("matmul", x1, dtype);
  Array b = cast("matmul", x2, dtype);
  if (x1.ndim() == 1) a = view_of(a, insert_axis(a.layout(), 0));
  if (x2.ndim() == 1) b = view_of(b, insert_axis(b.layout(), 1));
  const Array out = product("matmul", options.precision, a, b);
  Layout layout = out.layout();
  if (x2.ndim() == 1) layout = remove_axis(layout, layout.rank() - 1);
  if (x1.ndim() == 1) layout = remove_axis(layout, layout.rank() - (x2.ndim() == 1 ? 1 : 2));
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

Array vecdot(const Array& x1, const Array& x2, const VecdotOptions& options) {
  require_array("vecdot", "x1", x1);
  require_array("vecdot", "x2", x2);
  require_same_device("vecdot", {&x1, &x2});
  const DType dtype = product_dtype("vecdot", x1, x2);
  const Shape shape = broadcast_shapes("vecdot", x1.shape(), x2.shape());
  if (x1.ndim() == 0 || x2.ndim() == 0) {
    throw ShapeError(fmt::format("[vecdot] takes arrays of one dimension or more: x1 is {}, x2 is {}",
                                 describe(x1), describe(x2)));
  }
  const int axis = normalize_axis("vecdot", options.axis, shape.size());
  Dims order;
  for (int i = 0; i < shape.size(); ++i) {
    if (i != axis) order.push_back(i);
  }
  order.push_back(axis);
  const auto rows = [&](const Array& x) {
    const Array same = cast("vecdot", x, dtype);
    return view_of(same, permute(*broadcast(same.layout(), shape), order));
  };
  const Array left = rows(x1);
  const Array right = rows(x2);
  const Array out =
      product("vecdot", Precision::ieee, view_of(left, insert_axis(left.layout(), left.ndim() - 1)),
              view_of(right, insert_axis(right.layout(), right.ndim())));
  Layout layout = remove_axis(out.layout(), out.ndim() - 1);
  return view_of(out, remove_axis(layout, layout.rank() - 1));
}

}  // namespace tessera
