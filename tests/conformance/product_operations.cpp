#include "conformance/operation_case.hpp"
#include "conformance/tolerances.hpp"

namespace tessera::test {

namespace {

struct Shapes {
  Shape a, b;
};

}  // namespace

std::vector<OperationCase> product_operations() {
  std::vector<OperationCase> cases;
  const std::vector<Shapes> products = {{{4, 5}, {5, 6}},
                                        {{5}, {5}},
                                        {{5}, {5, 3}},
                                        {{4, 5}, {5}},
                                        {{2, 4, 5}, {5, 3}},
                                        {{4, 5}, {3, 5, 2}},
                                        {{2, 1, 4, 5}, {3, 5, 2}},
                                        {{3, 0}, {0, 4}},
                                        {{0, 3}, {3, 2}},
                                        {{1, 20}, {20, 17}},
                                        {{33, 20}, {20, 17}},
                                        {{70, 31}, {31, 5}}};
  const std::vector<Shapes> dots = {{{4, 5}, {4, 5}},    {{5}, {5}},       {{4, 5}, {5}},
                                    {{3, 1, 7}, {4, 7}}, {{3, 0}, {3, 0}}, {{5, 300}, {5, 300}}};
  for (const DType dtype : kAllDTypes) {
    if (!is_numeric(dtype)) continue;
    for (const Shapes& s : products) {
      cases.push_back(
          {.operation = "matmul",
           .name = "shapes",
           .inputs = {make_values(dtype, s.a, Values::plain, 1), make_values(dtype, s.b, Values::plain, 2)},
           .call = [](const Arrays& x, const Device&) -> Arrays { return {matmul(x[0], x[1])}; },
           .tolerance = matmul_tolerance(dtype),
           .by_magnitude = true});
    }
    for (const Shapes& s : dots) {
      cases.push_back(
          {.operation = "vecdot",
           .name = "shapes",
           .inputs = {make_values(dtype, s.a, Values::plain, 1), make_values(dtype, s.b, Values::plain, 2)},
           .call = [](const Arrays& x, const Device&) -> Arrays { return {vecdot(x[0], x[1])}; },
           .tolerance = matmul_tolerance(dtype),
           .by_magnitude = true});
    }
    cases.push_back(
        {.operation = "vecdot",
         .name = "axis 0",
         .inputs = {make_values(dtype, {30, 4}, Values::plain, 1),
                    make_values(dtype, {30, 4}, Values::plain, 2)},
         .call = [](const Arrays& x, const Device&) -> Arrays { return {vecdot(x[0], x[1], {.axis = -2})}; },
         .tolerance = matmul_tolerance(dtype),
         .by_magnitude = true});
  }
  for (const DType dtype : {float32, float64}) {
    cases.push_back({.operation = "matmul",
                     .name = "large, transposed",
                     .inputs = {make_values(dtype, {130, 65}, Values::plain, 1),
                                make_values(dtype, {90, 65}, Values::plain, 2)},
                     .call = [](const Arrays& x, const Device&) -> Arrays {
                       return {matmul(x[0], matrix_transpose(x[1]))};
                     },
                     .tolerance = matmul_tolerance(dtype),
                     .by_magnitude = true});
    cases.push_back({.operation = "vecdot",
                     .name = "large",
                     .inputs = {make_values(dtype, {20011, 3}, Values::plain, 1),
                                make_values(dtype, {20011, 3}, Values::plain, 2)},
                     .call = [](const Arrays& x, const Device&) -> Arrays { return {vecdot(x[0], x[1])}; },
                     .tolerance = matmul_tolerance(dtype),
                     .by_magnitude = true});
  }
  return cases;
}

}  // namespace tessera::test
