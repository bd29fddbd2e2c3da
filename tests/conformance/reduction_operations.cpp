#include "conformance/operation_case.hpp"
#include "conformance/tolerances.hpp"

#include <fmt/format.h>

namespace tessera::test {

namespace {

using Cases = std::vector<OperationCase>;

struct NamedAxes {
  const char* name;
  Axes axes;
};
const std::vector<NamedAxes>& axes_of_three() {
  static const std::vector<NamedAxes> axes = {{"all axes", {}},
                                              {"axis 0", 0},
                                              {"axis 1", 1},
                                              {"axis -1", -1},
                                              {"axes 0 and 1", {0, 1}},
                                              {"axes 1 and 2", {1, 2}},
                                              {"axes 0 and -1", {0, -1}},
                                              {"no axes", std::initializer_list<int>{}}};
  return axes;
}

template <class F>
void add(Cases& cases, const char* operation, const std::string& label, HostArray x, F function,
         Tolerance tolerance = kExact, bool by_magnitude = false) {
  cases.push_back(
      {.operation = operation,
       .name = label,
       .inputs = {std::move(x)},
       .call = [function](const Arrays& in, const Device&) -> Arrays { return {function(in[0])}; },
       .tolerance = tolerance,
       .by_magnitude = by_magnitude});
}

void add_sums(Cases& cases, DType dtype) {
  const Shape shape = {4, 5, 6};
  const DType result = accumulation_dtype(dtype);
  for (const NamedAxes& a : axes_of_three()) {
    for (const bool keepdims : {false, true}) {
      const std::string label = fmt::format("{}{}", a.name, keepdims ? ", kept" : "");
      const SumOptions options = {.axis = a.axes, .keepdims = keepdims};
      const ReduceOptions plain = {.axis = a.axes, .keepdims = keepdims};
      add(
          cases, "sum", label, make_values(dtype, shape, Values::plain),
          [=](const Array& x) { return sum(x, options); }, sum_tolerance(result), true);
      add(
          cases, "prod", label, make_values(dtype, shape, Values::near_one),
          [=](const Array& x) { return prod(x, options); }, product_tolerance(result, 120));
      if (!is_floating(dtype)) continue;
      add(
          cases, "mean", label, make_values(dtype, shape, Values::plain),
          [=](const Array& x) { return mean(x, plain); }, sum_tolerance(dtype), true);
      add(cases, "var", label, make_values(dtype, shape, Values::plain),
          [=](const Array& x) { return var(x, {.axis = a.axes, .keepdims = keepdims}); },
          {64 * unit(dtype), 64 * unit(dtype)});
      add(cases, "var", label + ", corrected", make_values(dtype, shape, Values::plain),
          [=](const Array& x) { return var(x, {.axis = a.axes, .correction = 0.5, .keepdims = keepdims}); },
          {64 * unit(dtype), 64 * unit(dtype)});
    }
  }
  for (const DType to : {float32, float64, int64, uint64}) {
    const bool meant = kind(to) == kind(result) || is_floating(to);
    if (!meant || (is_floating(dtype) && to == float32 && dtype == float64)) continue;
    const Tolerance allowed = is_floating(to) ? Tolerance{64 * unit(to)} : kExact;
    add(
        cases, "sum", fmt::format("in {}", name(to)), make_values(dtype, shape, Values::positive),
        [to](const Array& x) { return sum(x, {.axis = 1, .dtype = to}); }, allowed);
    add(
        cases, "prod", fmt::format("in {}", name(to)), make_values(dtype, shape, Values::near_one),
        [to](const Array& x) { return prod(x, {.axis = 1, .dtype = to}); }, allowed);
  }
}

void add_choices(Cases& cases, DType dtype, Values values) {
  const Shape shape = {4, 5, 6};
  for (const NamedAxes& a : axes_of_three()) {
    const ReduceOptions options = {.axis = a.axes};
    const ReduceOptions kept = {.axis = a.axes, .keepdims = true};
    const HostArray x = make_values(dtype, shape, values);
    if (is_numeric(dtype)) {
      add(cases, "min", a.name, x, [=](const Array& in) { return min(in, options); });
      add(cases, "max", a.name, x, [=](const Array& in) { return max(in, kept); });
    }
    add(cases, "any", a.name, x, [=](const Array& in) { return any(in, options); });
    add(cases, "all", a.name, x, [=](const Array& in) { return all(in, kept); });
    add(cases, "count_nonzero", a.name, x, [=](const Array& in) { return count_nonzero(in, options); });
  }
  for (const std::optional<int> axis :
       {std::optional<int>(), std::optional<int>(0), std::optional<int>(1), std::optional<int>(-1)}) {
    const HostArray x = make_values(dtype, shape, values);
    const std::string label = axis ? fmt::format("axis {}", *axis) : "flattened";
    if (!is_bool(dtype)) {
      add(cases, "argmin", label, x, [=](const Array& in) { return argmin(in, {.axis = axis}); });
      add(cases, "argmax", label, x,
          [=](const Array& in) { return argmax(in, {.axis = axis, .keepdims = true}); });
    }
  }
}

void add_scans(Cases& cases, DType dtype) {
  const DType result = accumulation_dtype(dtype);
  for (const int axis : {0, 1, -1}) {
    const CumulativeOptions options = {.axis = axis};
    add(
        cases, "cumulative_sum", fmt::format("axis {}", axis), make_values(dtype, {4, 5, 6}, Values::plain),
        [=](const Array& x) { return cumulative_sum(x, options); }, sum_tolerance(result), true);
    add(
        cases, "cumulative_prod", fmt::format("axis {}", axis),
        make_values(dtype, {4, 5, 6}, Values::near_one),
        [=](const Array& x) { return cumulative_prod(x, options); }, product_tolerance(result, 6));
  }
  add(
      cases, "cumulative_sum", "1-d", make_values(dtype, {37}, Values::plain),
      [](const Array& x) { return cumulative_sum(x); }, sum_tolerance(result), true);
}

void add_sorts(Cases& cases, DType dtype) {
  for (const Values values : {Values::few, Values::special}) {
    for (const int axis : {0, 1, -1}) {
      for (const bool descending : {false, true}) {
        const SortOptions options = {.axis = axis, .descending = descending};
        const std::string label =
            fmt::format("axis {}{}, {}", axis, descending ? " descending" : "", name(values));
        add(cases, "sort", label, make_values(dtype, {4, 9, 6}, values),
            [=](const Array& x) { return sort(x, options); });
        add(cases, "argsort", label, make_values(dtype, {4, 9, 6}, values),
            [=](const Array& x) { return argsort(x, options); });
      }
    }
  }
  for (const Side side : {Side::left, Side::right}) {
    cases.push_back(
        {.operation = "searchsorted",
         .name = side == Side::left ? "left" : "right",
         .inputs = {make_values(dtype, {31}, Values::few), make_values(dtype, {3, 7}, Values::few, 2)},
         .call = [side](const Arrays& in, const Device&) -> Arrays {
           return {searchsorted(sort(in[0]), in[1], {.side = side})};
         }});
  }
}

void add_empties(Cases& cases, DType dtype) {
  const HostArray x = make_values(dtype, {3, 0, 2}, Values::plain);
  for (const int axis : {0, 1, 2}) {
    const std::string label = fmt::format("nothing, axis {}", axis);
    const ReduceOptions options = {.axis = axis};
    add(cases, "sum", label, x, [=](const Array& in) { return sum(in, {.axis = axis}); });
    add(cases, "prod", label, x, [=](const Array& in) { return prod(in, {.axis = axis}); });
    add(cases, "any", label, x, [=](const Array& in) { return any(in, options); });
    add(cases, "all", label, x, [=](const Array& in) { return all(in, options); });
    add(cases, "cumulative_sum", label, x,
        [=](const Array& in) { return cumulative_sum(in, {.axis = axis}); });
    add(cases, "sort", label, x, [=](const Array& in) { return sort(in, {.axis = axis}); });
    if (is_floating(dtype)) {
      add(cases, "mean", label, x, [=](const Array& in) { return mean(in, options); });
      add(cases, "var", label, x, [=](const Array& in) { return var(in, {.axis = axis}); });
    }
    if (axis == 1) continue;
    if (is_numeric(dtype)) add(cases, "min", label, x, [=](const Array& in) { return min(in, options); });
    add(cases, "argmax", label, x, [=](const Array& in) { return argmax(in, {.axis = axis}); });
  }
}

}  // namespace

std::vector<OperationCase> reduction_operations() {
  Cases cases;
  for (const DType dtype : kAllDTypes) {
    if (is_numeric(dtype)) {
      add_sums(cases, dtype);
      add_scans(cases, dtype);
      add_sorts(cases, dtype);
      add_empties(cases, dtype);
    }
    for (const Values values : {Values::few, Values::special}) add_choices(cases, dtype, values);
  }
  // Past the cut-offs of tiles and threads.
  for (const Shape& shape : {Shape{300, 257}, Shape{2, 40001}}) {
    for (const int axis : {0, 1}) {
      add(
          cases, "sum", "large", make_values(float32, shape, Values::plain),
          [=](const Array& x) { return sum(x, {.axis = axis}); }, sum_tolerance(float32), true);
      add(cases, "argmin", "large", make_values(float32, shape, Values::few),
          [=](const Array& x) { return argmin(x, {.axis = axis}); });
    }
  }
  return cases;
}

}  // namespace tessera::test
