#include <tessera/ops/sorting.hpp>

#include <fmt/format.h>

#include <tessera/error.hpp>
#include <tessera/funnel.hpp>
#include <tessera/ops/manipulation.hpp>

namespace tessera {
namespace {

Array sort_along(const char* operation, const Array& x, const SortOptions& options, bool indices) {
  require_array(operation, "x", x);
  const int axis = normalize_axis(operation, options.axis, x.ndim());
  const Array out = make_array(operation, x.shape(), indices ? DType::int64 : x.dtype(), x.device());
  kernels::sort(operation, options.descending, indices, around_axis(operation, x, axis),
                around_axis(operation, out, axis));
  return out;
}

}  // namespace

Array sort(const Array& x, const SortOptions& options) {
  return sort_along("sort", x, options, false);
}

Array argsort(const Array& x, const SortOptions& options) {
  return sort_along("argsort", x, options, true);
}

Array searchsorted(const Array& sorted, const Array& values, const SearchOptions& options) {
  constexpr const char* kOperation = "searchsorted";
  require_array(kOperation, "sorted", sorted);
  require_array(kOperation, "values", values);
  require_same_device(kOperation, {&sorted, &values});
  if (sorted.ndim() != 1) {
    throw ShapeError(
        fmt::format("[searchsorted] sorted is {}; it must be 1-d and ascending", describe(sorted)));
  }
  if (!can_promote(sorted.dtype(), values.dtype())) {
    throw DTypeError(fmt::format("[searchsorted] sorted is {}, values are {}; cast one of them with astype",
                                 describe(sorted), describe(values)));
  }
  const DType dtype = result_type(sorted.dtype(), values.dtype());
  const Array out = make_array(kOperation, values.shape(), DType::int64, values.device());
  kernels::searchsorted(kOperation, options.side == Side::right, cast(kOperation, sorted, dtype),
                        reshape(cast(kOperation, values, dtype), {-1}),
                        view_of(out, row_major({out.size()})));
  return out;
}

}  // namespace tessera
