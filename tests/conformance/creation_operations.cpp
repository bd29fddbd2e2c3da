#include "conformance/operation_case.hpp"

#include <fmt/format.h>

namespace tessera::test {

namespace {

using Cases = std::vector<OperationCase>;
using Call = std::function<Arrays(const Arrays&, const Device&)>;

void add(Cases& cases, const char* operation, const std::string& label, Call call) {
  cases.push_back({.operation = operation, .name = label, .inputs = {}, .call = std::move(call)});
}

void add_creations(Cases& cases, DType dtype) {
  const std::string label(name(dtype));
  add(cases, "zeros", label, [=](const Arrays&, const Device& device) -> Arrays {
    return {zeros({3, 5}, {.dtype = dtype, .device = device}), zeros({}, {.dtype = dtype, .device = device}),
            zeros({0, 2}, {.dtype = dtype, .device = device})};
  });
  add(cases, "ones", label, [=](const Arrays&, const Device& device) -> Arrays {
    return {ones({3, 5}, {.dtype = dtype, .device = device})};
  });
  add(cases, "full", label, [=](const Arrays&, const Device& device) -> Arrays {
    return {full({3, 5}, is_bool(dtype) ? Scalar(true) : Scalar(7), {.dtype = dtype, .device = device})};
  });
  // Unspecified values: only that there is an array of that shape and dtype.
  add(cases, "empty", label, [=](const Arrays&, const Device& device) -> Arrays {
    return {zeros_like(empty({3, 5}, {.dtype = dtype, .device = device}))};
  });
  if (!is_numeric(dtype)) return;
  add(cases, "eye", label, [=](const Arrays&, const Device& device) -> Arrays {
    return {eye(4, {.dtype = dtype, .device = device}), eye(3, 5, 1, {.dtype = dtype, .device = device}),
            eye(5, 3, -2, {.dtype = dtype, .device = device}),
            eye(2, 2, 9, {.dtype = dtype, .device = device})};
  });
  add(cases, "arange", label, [=](const Arrays&, const Device& device) -> Arrays {
    return {arange(17, {.dtype = dtype, .device = device}),
            arange(3, 40, 5, {.dtype = dtype, .device = device}),
            arange(30, 3, -4, {.dtype = dtype, .device = device}),
            arange(5, 5, 1, {.dtype = dtype, .device = device})};
  });
}

void add_likes(Cases& cases, DType dtype) {
  using Like = Array (*)(const Array&, const LikeOptions&);
  for (const auto& [operation, function] :
       {std::pair<const char*, Like>{"zeros_like", &zeros_like}, {"ones_like", &ones_like}}) {
    cases.push_back({.operation = operation,
                     .name = "all",
                     .inputs = {make_values(dtype, {3, 4}, Values::special)},
                     .call = [like = function](const Arrays& x, const Device&) -> Arrays {
                       return {like(x[0], {}), like(x[0], {.dtype = int16})};
                     }});
  }
  cases.push_back({.operation = "full_like",
                   .name = "all",
                   .inputs = {make_values(dtype, {3, 4}, Values::special)},
                   .call = [](const Arrays& x, const Device&) -> Arrays {
                     return {full_like(x[0], is_bool(x[0].dtype()) ? Scalar(true) : Scalar(3))};
                   }});
  cases.push_back(
      {.operation = "empty_like",
       .name = "all",
       .inputs = {make_values(dtype, {3, 4}, Values::special)},
       .call = [](const Arrays& x, const Device&) -> Arrays { return {zeros_like(empty_like(x[0]))}; }});
}

}  // namespace

std::vector<OperationCase> creation_operations() {
  Cases cases;
  for (const DType dtype : kAllDTypes) {
    add_creations(cases, dtype);
    add_likes(cases, dtype);
  }
  for (const DType dtype : {float32, float64}) {
    add(cases, "arange", "steps of a float", [=](const Arrays&, const Device& device) -> Arrays {
      return {arange(0.5, 3.0, 0.25, {.dtype = dtype, .device = device})};
    });
    add(cases, "linspace", std::string(name(dtype)), [=](const Arrays&, const Device& device) -> Arrays {
      return {linspace(0, 1, 11, {.dtype = dtype, .device = device}),
              linspace(-2, 5, 100, {.endpoint = false, .dtype = dtype, .device = device}),
              linspace(3, 3, 1, {.dtype = dtype, .device = device}),
              linspace(0, 1, 0, {.dtype = dtype, .device = device}),
              linspace(5, -1, 33, {.dtype = dtype, .device = device})};
    });
  }
  return cases;
}

}  // namespace tessera::test
