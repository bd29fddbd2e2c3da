#include <tessera/ops/reduction.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include <tessera/error.hpp>
#include <tessera/funnel.hpp>
#include <tessera/ops/elementwise.hpp>
#include <tessera/ops/manipulation.hpp>

namespace tessera {
namespace {

// A reduction in the kernel's form, and the shape that its result has for the user.
struct Plan {
  Array x;                  ///< [outer, axis, inner]
  Shape kept;               ///< the extents that stay
  Shape keepdims;           ///< the same with 1 for each that went
  bool of_nothing = false;  ///< a reduced axis has length 0
};

std::array<bool, kMaxRank> reduced_axes(const char* operation, const Axes& axes, int rank) {
  std::array<bool, kMaxRank> reduced{};
  if (axes.all()) reduced.fill(true);
  for (const std::int64_t axis : axes.axes()) {
    bool& flag = reduced[static_cast<std::size_t>(normalize_axis(operation, static_cast<int>(axis), rank))];
    if (flag) throw ValueError(fmt::format("[{}] axis {} is named twice", operation, axis));
    flag = true;
  }
  return reduced;
}

// The kept dimensions in order, then the reduced ones; those may come in any order, so by falling stride.
Layout reduced_last(const Layout& layout, const std::array<bool, kMaxRank>& reduced, int& kept_count) {
  Dims axes;
  for (int i = 0; i < layout.rank(); ++i) {
    if (!reduced[static_cast<std::size_t>(i)]) axes.push_back(i);
  }
  kept_count = axes.size();
  for (int i = 0; i < layout.rank(); ++i) {
    if (reduced[static_cast<std::size_t>(i)]) axes.push_back(i);
  }
  std::stable_sort(axes.begin() + kept_count, axes.end(), [&](std::int64_t a, std::int64_t b) {
    return std::abs(layout.strides[static_cast<int>(a)]) > std::abs(layout.strides[static_cast<int>(b)]);
  });
  return permute(layout, axes);
}

// The reduced dimensions where they are neighbours, with what is before and behind them merged.
std::optional<Layout> in_place_form(const Layout& layout, const std::array<bool, kMaxRank>& reduced) {
  int first = layout.rank();
  int last = layout.rank();
  for (int i = layout.rank() - 1; i >= 0; --i) {
    if (!reduced[static_cast<std::size_t>(i)]) continue;
    if (first == layout.rank()) {
      last = i + 1;
    } else if (first != i + 1) {
      return std::nullopt;
    }
    first = i;
  }
  return merge_around(layout, first, last);
}

// [outer, axis, inner] with an inner dimension that is farther apart in memory than the axis is a row
// reduction: hand it over as one.
Layout rows_first(const Layout& form) {
  if (form.shape[0] != 1 || form.shape[2] <= 1) return form;
  if (std::abs(form.strides[2]) < std::abs(form.strides[1])) return form;
  return permute(form, {2, 1, 0});
}

Plan plan(const char* operation, const Array& x, const Axes& axes) {
  require_array(operation, "x", x);
  const auto reduced = reduced_axes(operation, axes, x.ndim());
  Plan result;
  for (int i = 0; i < x.ndim(); ++i) {
    const bool gone = reduced[static_cast<std::size_t>(i)];
    const std::int64_t extent = x.shape()[i];
    if (gone) {
      result.of_nothing = result.of_nothing || extent == 0;
    } else {
      result.kept.push_back(extent);
    }
    result.keepdims.push_back(gone ? 1 : extent);
  }
  element_count(result.kept);  // of an array without elements it may be too many
  if (const auto form = in_place_form(x.layout(), reduced)) {
    result.x = view_of(x, rows_first(*form));
    return result;
  }
  int kept_count = 0;
  const Layout turned = reduced_last(x.layout(), reduced, kept_count);
  const auto merge = [&](const Layout& layout) { return merge_around(layout, kept_count, layout.rank()); };
  if (const auto form = merge(turned)) {
    result.x = view_of(x, *form);
  } else {
    const Array packed = contiguous(operation, view_of(x, turned));
    result.x = view_of(packed, *merge(packed.layout()));
  }
  return result;
}

Array with_shape(const Array& flat, const Plan& plan, bool keepdims) {
  return view_of(flat, row_major(keepdims ? plan.keepdims : plan.kept));
}

// A fresh result as the kernel sees it: [outer, inner].
Array output_of(const char* operation, const Plan& plan, DType dtype) {
  return make_array(operation, {plan.x.shape()[0], plan.x.shape()[2]}, dtype, plan.x.device());
}

Array reduce(const char* operation, ReduceOp op, const Array& x, const Axes& axes, bool keepdims,
             DType dtype) {
  const Plan form = plan(operation, x, axes);
  if (form.of_nothing && (op == ReduceOp::min || op == ReduceOp::max) && element_count(form.kept) > 0) {
    throw ValueError(fmt::format("[{}] of nothing has no value: x is {}, and the axis reduced has length 0",
                                 operation, describe(x)));
  }
  const Array out = output_of(operation, form, dtype);
  kernels::reduce(operation, op, form.x, out);
  return with_shape(out, form, keepdims);
}

void require_numeric(const char* operation, const Array& x) {
  require_array(operation, "x", x);
  if (!is_numeric(x.dtype())) {
    throw DTypeError(fmt::format("[{}] takes a numeric dtype, not bool; cast with astype", operation));
  }
}

void require_floating(const char* operation, const Array& x) {
  require_array(operation, "x", x);
  if (!is_floating(x.dtype())) {
    throw DTypeError(
        fmt::format("[{}] takes a floating-point dtype, not {}; cast with astype(x, float64) first",
                    operation, name(x.dtype())));
  }
}

// sum, prod and the scans: x in a dtype that the kernels turn into the result's.
Array accumulation_input(const char* operation, const Array& x, DType result) {
  const bool direct =
      result == accumulation_dtype(x.dtype()) || (x.dtype() == DType::float32 && result == DType::float64);
  if (direct) return x;
  const bool narrow = accumulation_dtype(result) != result;  // int8 and the like: accumulate wide, then wrap
  return cast(operation, x, narrow ? accumulation_dtype(result) : result);
}

Array accumulate(const char* operation, ReduceOp op, const Array& x, const SumOptions& options) {
  require_array(operation, "x", x);
  const DType result = options.dtype.value_or(accumulation_dtype(x.dtype()));
  if (is_bool(result))
    throw DTypeError(fmt::format("[{}] takes a numeric dtype for the result, not bool", operation));
  const Array input = accumulation_input(operation, x, result);
  const DType wide = accumulation_dtype(result);
  return cast(operation, reduce(operation, op, input, options.axis, options.keepdims, wide), result);
}

Array truth(const char* operation, const Array& x) {
  require_array(operation, "x", x);
  if (is_bool(x.dtype())) return x;
  const Array out = make_array(operation, x.shape(), DType::bool_, x.device());
  kernels::binary(operation, BinaryOp::not_equal, x, Scalar(is_floating(x.dtype()) ? Scalar(0.0) : Scalar(0)),
                  out);
  return out;
}

// As a float: of an array without elements it may be past 2^63.
double reduced_length(const char* operation, const Array& x, const Axes& axes) {
  const auto reduced = reduced_axes(operation, axes, x.ndim());
  double length = 1;
  for (int i = 0; i < x.ndim(); ++i) {
    if (reduced[static_cast<std::size_t>(i)]) length *= static_cast<double>(x.shape()[i]);
  }
  return length;
}

Array arg_reduce(const char* operation, ArgReduceOp op, const Array& x, const ArgOptions& options) {
  require_numeric(operation, x);
  const Array input = options.axis ? x : reshape(x, {x.size()});
  const int axis = options.axis ? normalize_axis(operation, *options.axis, x.ndim()) : 0;
  Shape kept = input.shape();
  kept.erase(axis);
  if (input.shape()[axis] == 0 && element_count(kept) > 0) {
    throw ValueError(fmt::format("[{}] of nothing has no position: x is {}, and the axis has length 0",
                                 operation, describe(x)));
  }
  Array form = around_axis(operation, input, axis);
  form = view_of(form, rows_first(form.layout()));
  const Array out = make_array(operation, {form.shape()[0], form.shape()[2]}, DType::int64, x.device());
  kernels::arg_reduce(operation, op, form, out);
  if (options.keepdims) {
    if (options.axis) {
      kept.insert(axis, 1);
    } else {
      kept = Dims::filled(x.ndim(), 1);
    }
  }
  return view_of(out, row_major(kept));
}

Array scan(const char* operation, ScanOp op, const Array& x, const CumulativeOptions& options) {
  require_numeric(operation, x);
  if (!options.axis && x.ndim() != 1) {
    throw ValueError(fmt::format("[{}] axis is needed: x is {}, and only a 1-d array has just one", operation,
                                 describe(x)));
  }
  const int axis = normalize_axis(operation, options.axis.value_or(0), x.ndim());
  const DType result = options.dtype.value_or(accumulation_dtype(x.dtype()));
  if (is_bool(result))
    throw DTypeError(fmt::format("[{}] takes a numeric dtype for the result, not bool", operation));
  const Array form = around_axis(operation, accumulation_input(operation, x, result), axis);
  const Array out = make_array(operation, form.shape(), accumulation_dtype(result), x.device());
  kernels::scan(operation, op, form, out);
  return cast(operation, view_of(out, row_major(x.shape())), result);
}

}  // namespace

Array sum(const Array& x, const SumOptions& options) {
  return accumulate("sum", ReduceOp::sum, x, options);
}
Array prod(const Array& x, const SumOptions& options) {
  return accumulate("prod", ReduceOp::prod, x, options);
}

Array mean(const Array& x, const ReduceOptions& options) {
  require_floating("mean", x);
  const double length = reduced_length("mean", x, options.axis);
  // In float64 to the end: one rounding, and no overflow of a sum whose mean is finite.
  const Array total = reduce("mean", ReduceOp::sum, x, options.axis, options.keepdims, DType::float64);
  kernels::binary("mean", BinaryOp::divide, total, Scalar(length), total);
  return cast("mean", total, x.dtype());
}

Array var(const Array& x, const VarOptions& options) {
  require_floating("var", x);
  const double length = reduced_length("var", x, options.axis);
  const Array deviation = subtract(x, mean(x, {.axis = options.axis, .keepdims = true}));
  kernels::unary("var", UnaryOp::square, deviation, deviation);
  const Array total = reduce("var", ReduceOp::sum, deviation, options.axis, options.keepdims, x.dtype());
  const double divisor = length - options.correction;
  // As NumPy: no degrees of freedom give NaN, or inf where something was spread.
  kernels::binary("var", BinaryOp::divide, total, Scalar(std::max(divisor, 0.0)), total);
  return total;
}

Array min(const Array& x, const ReduceOptions& options) {
  require_numeric("min", x);
  return reduce("min", ReduceOp::min, x, options.axis, options.keepdims, x.dtype());
}
Array max(const Array& x, const ReduceOptions& options) {
  require_numeric("max", x);
  return reduce("max", ReduceOp::max, x, options.axis, options.keepdims, x.dtype());
}
Array any(const Array& x, const ReduceOptions& options) {
  return reduce("any", ReduceOp::any, truth("any", x), options.axis, options.keepdims, DType::bool_);
}
Array all(const Array& x, const ReduceOptions& options) {
  return reduce("all", ReduceOp::all, truth("all", x), options.axis, options.keepdims, DType::bool_);
}
Array count_nonzero(const Array& x, const ReduceOptions& options) {
  return reduce("count_nonzero", ReduceOp::sum, truth("count_nonzero", x), options.axis, options.keepdims,
                DType::int64);
}

Array argmin(const Array& x, const ArgOptions& options) {
  return arg_reduce("argmin", ArgReduceOp::argmin, x, options);
}
Array argmax(const Array& x, const ArgOptions& options) {
  return arg_reduce("argmax", ArgReduceOp::argmax, x, options);
}

Array cumulative_sum(const Array& x, const CumulativeOptions& options) {
  return scan("cumulative_sum", ScanOp::sum, x, options);
}
Array cumulative_prod(const Array& x, const CumulativeOptions& options) {
  return scan("cumulative_prod", ScanOp::prod, x, options);
}

}  // namespace tessera
