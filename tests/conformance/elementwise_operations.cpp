#include "conformance/operation_case.hpp"
#include "conformance/tolerances.hpp"

#include <fmt/format.h>

namespace tessera::test {

namespace {

using Cases = std::vector<OperationCase>;
using Unary = Array (*)(Array);
using Binary = Array (*)(Operand, Operand);

const std::vector<std::pair<UnaryOp, Unary>>& unary_functions() {
#define TESSERA_ROW(name, accepts, gives) {UnaryOp::name, &tessera::name},
  static const std::vector<std::pair<UnaryOp, Unary>> functions = {TESSERA_UNARY_OPS(TESSERA_ROW)};
#undef TESSERA_ROW
  return functions;
}

const std::vector<std::pair<BinaryOp, Binary>>& binary_functions() {
#define TESSERA_ROW(name, accepts, gives) {BinaryOp::name, &tessera::name},
  static const std::vector<std::pair<BinaryOp, Binary>> functions = {TESSERA_BINARY_OPS(TESSERA_ROW)};
#undef TESSERA_ROW
  return functions;
}

void add_unary(Cases& cases, UnaryOp op, Unary function, DType dtype) {
  for (const Shape& shape : {Shape{5, 7}, Shape{}, Shape{0, 3}, Shape{3, 5, 2}}) {
    cases.push_back(
        {.operation = std::string(name(op)),
         .name = "special values",
         .inputs = {make_values(dtype, shape, Values::special)},
         .call = [function](const Arrays& x, const Device&) -> Arrays { return {function(x[0])}; },
         .tolerance = tolerance(op, dtype)});
  }
}

void add_binary_case(Cases& cases, BinaryOp op, Binary function, const HostArray& a, const HostArray& b) {
  cases.push_back(
      {.operation = std::string(name(op)),
       .name = "two arrays",
       .inputs = {a, b},
       .call = [function](const Arrays& x, const Device&) -> Arrays { return {function(x[0], x[1])}; },
       .tolerance = tolerance(op, result_type(a.dtype, b.dtype))});
}

void add_binary(Cases& cases, BinaryOp op, Binary function, DType dtype) {
  struct Shapes {
    Shape a, b;
  };
  for (const Shapes& shapes : {Shapes{{5, 7}, {5, 7}}, Shapes{{5, 7}, {7}}, Shapes{{5, 1}, {1, 7}},
                               Shapes{{}, {3, 4}}, Shapes{{2, 1, 3}, {4, 1}}, Shapes{{0, 3}, {1, 3}}}) {
    add_binary_case(cases, op, function, make_values(dtype, shapes.a, Values::special, 1),
                    make_values(dtype, shapes.b, Values::special, 2));
  }
  const Scalar number = is_bool(dtype) ? Scalar(true) : Scalar(2);
  cases.push_back({.operation = std::string(name(op)),
                   .name = "a number on the right",
                   .inputs = {make_values(dtype, {5, 7}, Values::special)},
                   .call = [=](const Arrays& x, const Device&) -> Arrays { return {function(x[0], number)}; },
                   .tolerance = tolerance(op, dtype)});
  cases.push_back({.operation = std::string(name(op)),
                   .name = "a number on the left",
                   .inputs = {make_values(dtype, {5, 7}, Values::special)},
                   .call = [=](const Arrays& x, const Device&) -> Arrays { return {function(number, x[0])}; },
                   .tolerance = tolerance(op, dtype)});
}

void add_promotions(Cases& cases) {
  for (const auto& [op, function] : binary_functions()) {
    for (const DType a : kAllDTypes) {
      for (const DType b : kAllDTypes) {
        if (a == b || !can_promote(a, b) || !accepted(accepts(op), result_type(a, b))) continue;
        add_binary_case(cases, op, function, make_values(a, {3, 4}, Values::special, 1),
                        make_values(b, {4}, Values::special, 2));
      }
    }
  }
}

void add_selections(Cases& cases, DType dtype) {
  const HostArray condition = make_values(bool_, {5, 7}, Values::plain);
  const HostArray a = make_values(dtype, {5, 7}, Values::special, 2);
  const HostArray b = make_values(dtype, {7}, Values::special, 3);
  const Scalar number = is_bool(dtype) ? Scalar(true) : Scalar(3);
  cases.push_back(
      {.operation = "where",
       .name = "arrays",
       .inputs = {condition, a, b},
       .call = [](const Arrays& x, const Device&) -> Arrays { return {where(x[0], x[1], x[2])}; }});
  cases.push_back({.operation = "where",
                   .name = "a number",
                   .inputs = {condition, a},
                   .call = [=](const Arrays& x, const Device&) -> Arrays {
                     return {where(x[0], x[1], number), where(x[0], number, x[1])};
                   }});
  if (!is_numeric(dtype)) return;
  cases.push_back(
      {.operation = "clip",
       .name = "numbers",
       .inputs = {a},
       .call = [](const Arrays& x, const Device&) -> Arrays {
         return {clip(x[0], {.min = 1, .max = 3}), clip(x[0], {.min = 1}), clip(x[0], {.max = 3})};
       }});
  cases.push_back(
      {.operation = "clip",
       .name = "arrays",
       .inputs = {a, b},
       .call = [](const Arrays& x, const Device&) -> Arrays { return {clip(x[0], {.min = x[1]})}; }});
}

void add_casts(Cases& cases, DType from) {
  const HostArray x = make_values(from, {5, 7}, Values::special);
  for (const DType to : kAllDTypes) {
    cases.push_back(
        {.operation = "astype",
         .name = fmt::format("to {}", name(to)),
         .inputs = {x},
         .call = [to](const Arrays& in, const Device&) -> Arrays { return {astype(in[0], to)}; }});
  }
  cases.push_back({.operation = "copy",
                   .name = "all",
                   .inputs = {x},
                   .call = [](const Arrays& in, const Device&) -> Arrays { return {copy(in[0])}; }});
  cases.push_back(
      {.operation = "ascontiguousarray",
       .name = "all",
       .inputs = {x},
       .call = [](const Arrays& in, const Device&) -> Arrays { return {ascontiguousarray(in[0])}; }});
}

}  // namespace

std::vector<OperationCase> elementwise_operations() {
  Cases cases;
  for (const DType dtype : kAllDTypes) {
    for (const auto& [op, function] : unary_functions()) {
      if (accepted(accepts(op), dtype)) add_unary(cases, op, function, dtype);
    }
    for (const auto& [op, function] : binary_functions()) {
      if (accepted(accepts(op), dtype)) add_binary(cases, op, function, dtype);
    }
    add_selections(cases, dtype);
    add_casts(cases, dtype);
  }
  add_promotions(cases);
  return cases;
}

}  // namespace tessera::test
