#include "conformance/kernel_case.hpp"
#include "conformance/tolerances.hpp"

namespace tessera::test {

namespace {

KernelCase unary_case(UnaryOp op, std::string label, KernelOperand x, KernelOperand result) {
  const DType dtype = x.dtype;
  return {.kernel = "unary " + std::string(name(op)),
          .name = std::move(label),
          .operands = {std::move(x), std::move(result)},
          .call = [op](DeviceInterface& device, std::span<const View> v) { device.unary(op, v[0], v[1]); },
          .tolerance = tolerance(op, dtype)};
}

KernelCase binary_case(BinaryOp op, std::string label, KernelOperand a, KernelOperand b,
                       KernelOperand result) {
  const DType dtype = a.dtype;
  return {
      .kernel = "binary " + std::string(name(op)),
      .name = std::move(label),
      .operands = {std::move(a), std::move(b), std::move(result)},
      .call = [op](DeviceInterface& device, std::span<const View> v) { device.binary(op, v[0], v[1], v[2]); },
      .tolerance = tolerance(op, dtype)};
}

/// The dtypes whose loops pass every layout; the others go by the plain cases.
bool is_main(DType dtype) {
  return dtype == float32 || dtype == float64 || dtype == int32 || dtype == uint8;
}

/// One dtype of each operation passes the cut-offs of threads and tiles, and all main ones for operations
/// that stand for the rest: the way from one loop to the next is the same for all.
bool runs_large(Accepts accepts, DType dtype, bool stands_for_others) {
  if (stands_for_others) return is_main(dtype);
  return dtype == (accepted(accepts, float32) ? float32 : accepted(accepts, int32) ? int32 : bool_);
}

void add_unary(std::vector<KernelCase>& cases, UnaryOp op, DType dtype) {
  const DType result = gives(op) == Gives::boolean ? bool_ : dtype;
  for (const std::int64_t length : {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 211, 1003}) {
    cases.push_back(
        unary_case(op, "special values", in(dtype, {length}, Values::special), out(result, {length})));
  }
  cases.push_back(unary_case(op, "0-d", in(dtype, {}), out(result, {})));
  if (result == dtype) {
    cases.push_back(
        unary_case(op, "in place", in(dtype, {211}, Values::special), out_same_as(0, dtype, {211})));
    cases.push_back(unary_case(op, "in place, stepped",
                               in(dtype, {9, 11}, Values::special, LayoutKind::stepped),
                               out_same_as(0, dtype, {9, 11}, LayoutKind::stepped)));
  }
  cases.push_back(unary_case(op, "stepped into backwards",
                             in(dtype, {7, 35}, Values::special, LayoutKind::stepped),
                             out(result, {7, 35}, LayoutKind::negative)));
  if (!is_main(dtype) && !is_bool(dtype)) return;
  for (const LayoutKind layout : kAllLayouts) {
    cases.push_back(
        unary_case(op, "layout", in(dtype, {7, 35}, Values::special, layout), out(result, {7, 35})));
    cases.push_back(unary_case(op, "layout, 3-d", in(dtype, {3, 5, 19}, Values::special, layout),
                               out(result, {3, 5, 19})));
  }
  for (const LayoutKind layout : kOutputLayouts) {
    cases.push_back(unary_case(op, "layout of the output", in(dtype, {7, 35}, Values::special),
                               out(result, {7, 35}, layout)));
  }
  if (!runs_large(accepts(op), dtype, op == UnaryOp::negative || op == UnaryOp::isnan)) return;
  cases.push_back(unary_case(op, "large", in(dtype, {5, 70001}, Values::special), out(result, {5, 70001})));
  cases.push_back(unary_case(op, "large, transposed",
                             in(dtype, {1000, 257}, Values::special, LayoutKind::transposed),
                             out(result, {1000, 257})));
}

void add_binary_layouts(std::vector<KernelCase>& cases, BinaryOp op, DType dtype, DType result) {
  const Shape shape = {7, 35};
  for (const LayoutKind layout : kAllLayouts) {
    const LayoutKind result_layout = layout == LayoutKind::broadcast ? LayoutKind::contiguous : layout;
    cases.push_back(binary_case(op, "a's layout", in(dtype, shape, Values::special, layout),
                                in(dtype, shape, Values::special), out(result, shape)));
    cases.push_back(binary_case(op, "b's layout", in(dtype, shape, Values::special),
                                in(dtype, shape, Values::special, layout), out(result, shape)));
    cases.push_back(binary_case(op, "all layouts", in(dtype, shape, Values::special, layout),
                                in(dtype, shape, Values::special, layout),
                                out(result, shape, result_layout)));
  }
  // A column against rows: stride 0 along the last axis.
  KernelOperand column = in(dtype, {35, 7}, Values::special, LayoutKind::broadcast);
  cases.push_back(binary_case(op, "row against a matrix", column, in(dtype, {35, 7}, Values::special),
                              out(result, {35, 7})));
  const bool stands_for_others = op == BinaryOp::subtract || op == BinaryOp::less;
  if (!runs_large(accepts(op), dtype, stands_for_others)) return;
  const Shape large = {1000, 257};
  cases.push_back(binary_case(op, "large", in(dtype, large, Values::special),
                              in(dtype, large, Values::special), out(result, large)));
  cases.push_back(binary_case(op, "large, a scalar", in(dtype, {2, 70001}, Values::special),
                              scalar_in(dtype, {2, 70001}, Values::plain), out(result, {2, 70001})));
  if (!stands_for_others) return;
  cases.push_back(binary_case(op, "large, a row", in(dtype, large, Values::special),
                              in(dtype, large, Values::special, LayoutKind::broadcast), out(result, large)));
  cases.push_back(binary_case(op, "large, transposed", in(dtype, large, Values::special),
                              in(dtype, large, Values::special, LayoutKind::transposed), out(result, large)));
}

void add_binary(std::vector<KernelCase>& cases, BinaryOp op, DType dtype) {
  const DType result = gives(op) == Gives::boolean ? bool_ : dtype;
  for (const std::int64_t length : {0, 1, 3, 8, 17, 33, 65, 1501}) {
    cases.push_back(binary_case(op, "special values", in(dtype, {length}, Values::special),
                                in(dtype, {length}, Values::special), out(result, {length})));
  }
  cases.push_back(binary_case(op, "ties", in(dtype, {211}, Values::few), in(dtype, {211}, Values::few),
                              out(result, {211})));
  cases.push_back(binary_case(op, "plain values", in(dtype, {1003}), in(dtype, {1003}), out(result, {1003})));
  cases.push_back(binary_case(op, "0-d", in(dtype, {}), in(dtype, {}), out(result, {})));
  cases.push_back(binary_case(op, "scalar b", in(dtype, {211}, Values::special),
                              scalar_in(dtype, {211}, Values::positive), out(result, {211})));
  cases.push_back(binary_case(op, "scalar a", scalar_in(dtype, {211}, Values::positive),
                              in(dtype, {211}, Values::special), out(result, {211})));
  if (result == dtype) {
    cases.push_back(binary_case(op, "in place of a", in(dtype, {211}, Values::special),
                                in(dtype, {211}, Values::special), out_same_as(0, dtype, {211})));
    cases.push_back(binary_case(op, "in place of b", in(dtype, {211}, Values::special),
                                in(dtype, {211}, Values::special), out_same_as(1, dtype, {211})));
    cases.push_back(binary_case(op, "in place, scalar", in(dtype, {211}, Values::special),
                                scalar_in(dtype, {211}, Values::positive), out_same_as(0, dtype, {211})));
  }
  cases.push_back(binary_case(op, "stepped, backwards",
                              in(dtype, {7, 35}, Values::special, LayoutKind::stepped),
                              in(dtype, {7, 35}, Values::special, LayoutKind::negative),
                              out(result, {7, 35}, LayoutKind::transposed)));
  if (is_main(dtype) || is_bool(dtype)) add_binary_layouts(cases, op, dtype, result);
}

}  // namespace

std::vector<KernelCase> operator_cases() {
  std::vector<KernelCase> cases;
  for (const DType dtype : kAllDTypes) {
    for (int i = 0; i < kUnaryOpCount; ++i) {
      const auto op = static_cast<UnaryOp>(i);
      if (accepted(accepts(op), dtype)) add_unary(cases, op, dtype);
    }
    for (int i = 0; i < kBinaryOpCount; ++i) {
      const auto op = static_cast<BinaryOp>(i);
      if (accepted(accepts(op), dtype)) add_binary(cases, op, dtype);
    }
  }
  return cases;
}

}  // namespace tessera::test
