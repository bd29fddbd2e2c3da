#include "conformance/kernel_case.hpp"
#include "conformance/tolerances.hpp"

#include <limits>

namespace tessera::test {

namespace {

const std::vector<Shape>& row_shapes() {
  static const std::vector<Shape> shapes = {
      {1, 1, 1},   {1, 7, 1},    {5, 1, 3},    {3, 5, 7},   {1, 64, 1}, {1, 1000, 1}, {33, 17, 1},
      {129, 2, 1}, {2, 129, 16}, {1, 130, 33}, {4, 3, 257}, {0, 3, 2},  {2, 3, 0}};
  return shapes;
}
/// Past the cut-offs of threads and tiles, along each of the dimensions.
const std::vector<Shape>& large_shapes() {
  static const std::vector<Shape> shapes = {{1, 70001, 1},  {5, 70001, 1}, {1, 1000, 257},
                                            {1000, 257, 1}, {70001, 3, 1}, {3, 1001, 65}};
  return shapes;
}

KernelCase reduce_case(ReduceOp op, std::string label, KernelOperand x, KernelOperand result) {
  const double axis = static_cast<double>(x.shape[1]);
  Tolerance allowed = kExact;
  if (op == ReduceOp::sum) allowed = sum_tolerance(result.dtype);
  if (op == ReduceOp::prod) allowed = product_tolerance(result.dtype, axis);
  return {.kernel = "reduce " + std::string(name(op)),
          .name = std::move(label),
          .operands = {std::move(x), std::move(result)},
          .call = [op](DeviceInterface& device, std::span<const View> v) { device.reduce(op, v[0], v[1]); },
          .tolerance = allowed,
          .by_magnitude = op == ReduceOp::sum};
}

KernelCase arg_case(ArgReduceOp op, std::string label, KernelOperand x, KernelOperand result) {
  return {
      .kernel = "arg_reduce " + std::string(name(op)),
      .name = std::move(label),
      .operands = {std::move(x), std::move(result)},
      .call = [op](DeviceInterface& device, std::span<const View> v) { device.arg_reduce(op, v[0], v[1]); }};
}

KernelCase scan_case(ScanOp op, std::string label, KernelOperand x, KernelOperand result) {
  const double axis = static_cast<double>(x.shape[1]);
  const bool sum = op == ScanOp::sum;
  const Tolerance allowed = sum ? sum_tolerance(result.dtype) : product_tolerance(result.dtype, axis);
  return {.kernel = "scan " + std::string(name(op)),
          .name = std::move(label),
          .operands = {std::move(x), std::move(result)},
          .call = [op](DeviceInterface& device, std::span<const View> v) { device.scan(op, v[0], v[1]); },
          .tolerance = allowed,
          .by_magnitude = sum};
}

Shape without_axis(const Shape& shape) {
  return {shape[0], shape[2]};
}

bool takes(ReduceOp op, DType dtype) {
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::prod: return true;
    case ReduceOp::min:
    case ReduceOp::max: return is_numeric(dtype);
    case ReduceOp::any:
    case ReduceOp::all: break;
  }
  return is_bool(dtype);
}

DType result_of(ReduceOp op, DType dtype) {
  return op == ReduceOp::sum || op == ReduceOp::prod ? accumulation_dtype(dtype) : dtype;
}

bool is_main(DType dtype) {
  return dtype == float32 || dtype == float64 || dtype == int32 || dtype == bool_;
}

/// Rows of floats where order must not matter: NaN, infinities of one sign and of both, in every corner.
HostArray rows_with_specials(DType dtype, const Shape& shape) {
  HostArray x = make_values(dtype, shape, Values::plain);
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T inf = std::numeric_limits<T>::infinity();
      constexpr T values[] = {std::numeric_limits<T>::quiet_NaN(), inf, -inf};
      const std::int64_t size = x.size();
      const std::int64_t row = shape[1] * shape[2];
      for (std::int64_t i = 0; i < size; ++i) {
        const std::int64_t o = i / row;
        // Row o holds one special value at a place that moves, and for some rows a second.
        if (i % row == (o * 5) % row && o % 4 != 3) x.set<T>(i, values[o % 3]);
        if (i % row == (o * 7 + 11) % row && o % 5 == 1) x.set<T>(i, values[(o + 1) % 3]);
      }
    }
  });
  return x;
}

void add_reduction(std::vector<KernelCase>& cases, ReduceOp op, DType dtype, DType result) {
  const bool product = op == ReduceOp::prod;
  const Values values = product ? Values::near_one : Values::plain;
  const bool exact = op != ReduceOp::sum && !product;
  for (const Shape& shape : row_shapes()) {
    cases.push_back(reduce_case(op, "shape", in(dtype, shape, values), out(result, without_axis(shape))));
    if (exact || !is_floating(dtype)) {
      cases.push_back(reduce_case(op, "special values", in(dtype, shape, Values::special),
                                  out(result, without_axis(shape))));
    }
  }
  if (op != ReduceOp::min && op != ReduceOp::max) {
    cases.push_back(reduce_case(op, "nothing to reduce", in(dtype, {5, 0, 3}), out(result, {5, 3})));
    cases.push_back(reduce_case(op, "nothing to reduce", in(dtype, {5, 0, 1}), out(result, {5, 1})));
  }
  cases.push_back(reduce_case(op, "short", in(dtype, {7, 5, 1}, product ? Values::positive : Values::few),
                              out(result, {7, 1})));
  if (is_floating(dtype)) {
    for (const Shape& shape : {Shape{40, 19, 1}, Shape{40, 300, 1}, Shape{40, 9, 33}}) {
      cases.push_back(reduce_case(op, "NaN and infinities", in(rows_with_specials(dtype, shape)),
                                  out(result, without_axis(shape))));
    }
  }
  if (!is_main(dtype)) return;
  for (const LayoutKind layout : kAllLayouts) {
    for (const Shape& shape : {Shape{5, 37, 1}, Shape{3, 17, 9}, Shape{1, 21, 35}}) {
      cases.push_back(
          reduce_case(op, "layout", in(dtype, shape, values, layout), out(result, without_axis(shape))));
    }
  }
  for (const LayoutKind layout : kOutputLayouts) {
    cases.push_back(
        reduce_case(op, "layout of the output", in(dtype, {6, 37, 9}, values), out(result, {6, 9}, layout)));
  }
  if (dtype != float32 && op != ReduceOp::sum && op != ReduceOp::any) return;
  for (const Shape& shape : large_shapes()) {
    cases.push_back(reduce_case(op, "large", in(dtype, shape, values), out(result, without_axis(shape))));
  }
  cases.push_back(reduce_case(op, "large, transposed",
                              in(dtype, {1000, 257, 1}, values, LayoutKind::transposed),
                              out(result, {1000, 1})));
  cases.push_back(reduce_case(op, "large, backwards", in(dtype, {5, 70001, 1}, values, LayoutKind::negative),
                              out(result, {5, 1})));
}

void add_arg_reduction(std::vector<KernelCase>& cases, ArgReduceOp op, DType dtype) {
  for (const Values values : {Values::few, Values::special, Values::plain}) {
    for (const Shape& shape : row_shapes()) {
      cases.push_back(arg_case(op, name(values), in(dtype, shape, values), out(int64, without_axis(shape))));
    }
    if (!is_main(dtype)) continue;
    if (dtype == float32 || (op == ArgReduceOp::argmin && values == Values::few)) {
      for (const Shape& shape : large_shapes()) {
        cases.push_back(
            arg_case(op, name(values), in(dtype, shape, values), out(int64, without_axis(shape))));
      }
    }
    for (const LayoutKind layout : kAllLayouts) {
      for (const Shape& shape : {Shape{5, 37, 1}, Shape{3, 17, 9}, Shape{1, 21, 35}, Shape{1, 2000, 1}}) {
        cases.push_back(
            arg_case(op, name(values), in(dtype, shape, values, layout), out(int64, without_axis(shape))));
      }
    }
  }
  for (const LayoutKind layout : kOutputLayouts) {
    cases.push_back(
        arg_case(op, "layout of the output", in(dtype, {6, 37, 9}, Values::few), out(int64, {6, 9}, layout)));
  }
}

void add_scan(std::vector<KernelCase>& cases, ScanOp op, DType dtype, DType result) {
  const Values values = op == ScanOp::sum ? Values::plain : Values::near_one;
  for (const Shape& shape : row_shapes()) {
    cases.push_back(scan_case(op, "shape", in(dtype, shape, values), out(result, shape)));
  }
  cases.push_back(scan_case(op, "empty axis", in(dtype, {5, 0, 3}), out(result, {5, 0, 3})));
  if (!is_main(dtype)) return;
  for (const LayoutKind layout : kAllLayouts) {
    cases.push_back(scan_case(op, "layout", in(dtype, {3, 17, 9}, values, layout), out(result, {3, 17, 9})));
    cases.push_back(scan_case(op, "layout", in(dtype, {4, 37, 1}, values, layout), out(result, {4, 37, 1})));
  }
  for (const LayoutKind layout : kOutputLayouts) {
    cases.push_back(scan_case(op, "layout of the output", in(dtype, {6, 37, 9}, values),
                              out(result, {6, 37, 9}, layout)));
  }
  if (dtype != float32 && op != ScanOp::sum) return;
  cases.push_back(scan_case(op, "large", in(dtype, {5, 70001, 1}, values), out(result, {5, 70001, 1})));
  cases.push_back(scan_case(op, "large", in(dtype, {1, 1000, 257}, values), out(result, {1, 1000, 257})));
}

}  // namespace

std::vector<KernelCase> reduction_cases() {
  std::vector<KernelCase> cases;
  for (const DType dtype : kAllDTypes) {
    for (int i = 0; i < kReduceOpCount; ++i) {
      const auto op = static_cast<ReduceOp>(i);
      if (takes(op, dtype)) add_reduction(cases, op, dtype, result_of(op, dtype));
    }
    for (int i = 0; i < kArgReduceOpCount; ++i) add_arg_reduction(cases, static_cast<ArgReduceOp>(i), dtype);
    for (int i = 0; i < kScanOpCount; ++i)
      add_scan(cases, static_cast<ScanOp>(i), dtype, accumulation_dtype(dtype));
  }
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod}) add_reduction(cases, op, float32, float64);
  for (const ScanOp op : {ScanOp::sum, ScanOp::prod}) add_scan(cases, op, float32, float64);
  return cases;
}

}  // namespace tessera::test
