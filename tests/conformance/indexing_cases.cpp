#include "conformance/kernel_case.hpp"
#include "conformance/tolerances.hpp"

namespace tessera::test {

namespace {

/// [outer, axis, inner] and how many positions are asked for.
struct Extents {
  std::int64_t outer, axis, inner, count;
};
const std::vector<Extents>& small_extents() {
  static const std::vector<Extents> extents = {{1, 1, 1, 1},   {1, 7, 1, 5},  {3, 5, 7, 4}, {1, 9, 33, 20},
                                               {4, 17, 1, 30}, {1, 3, 64, 2}, {2, 5, 3, 0}, {0, 5, 3, 2},
                                               {2, 5, 0, 2},   {2, 0, 3, 0}};
  return extents;
}

KernelCase take_case(std::string label, DType dtype, const Extents& e, LayoutKind x = LayoutKind::contiguous,
                     LayoutKind indices = LayoutKind::contiguous,
                     LayoutKind result = LayoutKind::contiguous) {
  return {.kernel = "take",
          .name = std::move(label),
          .operands = {in(dtype, {e.outer, e.axis, e.inner}, Values::special, x),
                       in(make_indices({e.count}, e.axis), indices),
                       out(dtype, {e.outer, e.count, e.inner}, result)},
          .call = [](DeviceInterface& device, std::span<const View> v) { device.take(v[0], v[1], v[2]); }};
}

KernelCase take_along_case(std::string label, DType dtype, const Extents& e,
                           LayoutKind x = LayoutKind::contiguous, LayoutKind indices = LayoutKind::contiguous,
                           LayoutKind result = LayoutKind::contiguous) {
  return {
      .kernel = "take_along",
      .name = std::move(label),
      .operands = {in(dtype, {e.outer, e.axis, e.inner}, Values::special, x),
                   in(make_indices({e.outer, e.count, e.inner}, e.axis), indices),
                   out(dtype, {e.outer, e.count, e.inner}, result)},
      .call = [](DeviceInterface& device, std::span<const View> v) { device.take_along(v[0], v[1], v[2]); }};
}

KernelOperand in_place(DType dtype, const Shape& shape, Values values, LayoutKind layout) {
  KernelOperand operand = in(dtype, shape, values, layout);
  operand.role = KernelOperand::Role::in_place;
  return operand;
}

struct ScatterLayouts {
  LayoutKind indices = LayoutKind::contiguous;
  LayoutKind updates = LayoutKind::contiguous;
  LayoutKind target = LayoutKind::contiguous;
};

KernelCase scatter_case(ScatterOp op, std::string label, DType from, DType to, const Extents& e,
                        const ScatterLayouts& layouts = {}) {
  // Float sums: near 1, so that a tolerance relative to the values means something.
  const bool float_sum = op == ScatterOp::add && is_floating(to);
  const Values values = float_sum ? Values::positive : Values::special;
  return {.kernel = "scatter " + std::string(name(op)),
          .name = std::move(label),
          .operands = {in(make_indices({e.count}, e.axis), layouts.indices),
                       in(from, {e.outer, e.count, e.inner}, values, layouts.updates),
                       in_place(to, {e.outer, e.axis, e.inner}, values, layouts.target)},
          .call = [op](DeviceInterface& device,
                       std::span<const View> v) { device.scatter(op, v[0], v[1], v[2]); },
          .tolerance = float_sum ? scatter_add_tolerance(to) : kExact};
}

void add_takes(std::vector<KernelCase>& cases, DType dtype) {
  for (const Extents& e : small_extents()) {
    cases.push_back(take_case("shape", dtype, e));
    cases.push_back(take_along_case("shape", dtype, e));
  }
  const Extents e = {3, 11, 9, 7};
  for (const LayoutKind layout : kAllLayouts) {
    cases.push_back(take_case("x's layout", dtype, e, layout));
    cases.push_back(take_along_case("x's layout", dtype, e, layout));
    cases.push_back(take_case("layout of indices", dtype, e, LayoutKind::contiguous, layout));
    cases.push_back(take_along_case("layout of indices", dtype, e, LayoutKind::contiguous, layout));
  }
  for (const LayoutKind layout : kOutputLayouts) {
    cases.push_back(
        take_case("layout of the output", dtype, e, LayoutKind::contiguous, LayoutKind::contiguous, layout));
    cases.push_back(take_along_case("layout of the output", dtype, e, LayoutKind::contiguous,
                                    LayoutKind::contiguous, layout));
  }
  // One dtype for each size of an element.
  if (dtype != uint8 && dtype != int16 && dtype != float32 && dtype != float64) return;
  for (const Extents& large :
       {Extents{1, 1000, 257, 1003}, {1, 70001, 1, 70001}, {70001, 3, 1, 2}, {5, 100, 33, 1000}}) {
    cases.push_back(take_case("large", dtype, large));
    cases.push_back(take_along_case("large", dtype, large));
  }
}

void add_scatters(std::vector<KernelCase>& cases, ScatterOp op, DType from, DType to) {
  for (const Extents& e : small_extents()) cases.push_back(scatter_case(op, "shape", from, to, e));
  const Extents e = {3, 11, 9, 27};
  for (const LayoutKind layout : kAllLayouts) {
    cases.push_back(scatter_case(op, "layout of updates", from, to, e, {.updates = layout}));
    cases.push_back(scatter_case(op, "layout of indices", from, to, e, {.indices = layout}));
  }
  for (const LayoutKind layout : kOutputLayouts) {
    cases.push_back(scatter_case(op, "layout of the target", from, to, e, {.target = layout}));
  }
  if (to != float32 && !(op == ScatterOp::add && to == float64) && !(op == ScatterOp::add && to == int64))
    return;
  for (const Extents& large : {Extents{1, 10, 64, 5000},
                               {1, 1000, 257, 1003},
                               {1, 50, 1, 70001},
                               {70001, 3, 1, 2},
                               {1, 1, 3, 70001},
                               {1, 5000, 2, 20011}}) {
    cases.push_back(scatter_case(op, "large", from, to, large));
  }
  cases.push_back(scatter_case(op, "large, transposed updates", from, to, {1, 10, 64, 5000},
                               {.updates = LayoutKind::swapped}));
}

}  // namespace

std::vector<KernelCase> indexing_cases() {
  std::vector<KernelCase> cases;
  for (const DType dtype : kAllDTypes) {
    add_takes(cases, dtype);
    for (int i = 0; i < kScatterOpCount; ++i) {
      const auto op = static_cast<ScatterOp>(i);
      if (op == ScatterOp::set || is_numeric(dtype)) add_scatters(cases, op, dtype, dtype);
    }
  }
  add_scatters(cases, ScatterOp::add, float32, float64);
  return cases;
}

}  // namespace tessera::test
