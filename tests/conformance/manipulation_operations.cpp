#include "conformance/operation_case.hpp"

namespace tessera::test {

namespace {

using Cases = std::vector<OperationCase>;
using Call = std::function<Arrays(const Arrays&, const Device&)>;

void add(Cases& cases, const char* operation, std::string label, std::vector<HostArray> inputs, Call call,
         Tolerance tolerance = kExact) {
  cases.push_back({.operation = operation,
                   .name = std::move(label),
                   .inputs = std::move(inputs),
                   .call = std::move(call),
                   .tolerance = tolerance});
}

void add_shapes(Cases& cases, DType dtype) {
  const HostArray x = make_values(dtype, {4, 3, 6}, Values::special);
  const HostArray y = make_values(dtype, {4, 2, 6}, Values::special, 2);
  add(cases, "concat", "axis 1", {x, y}, [](const Arrays& in, const Device&) -> Arrays {
    return {concat({in[0], in[1], in[0]}, {.axis = 1})};
  });
  add(cases, "concat", "axis 0", {x, x}, [](const Arrays& in, const Device&) -> Arrays {
    return {concat({in[0], in[1]})};
  });
  add(cases, "concat", "flattened", {x, y}, [](const Arrays& in, const Device&) -> Arrays {
    return {concat({in[0], in[1]}, {.axis = std::nullopt})};
  });
  add(cases, "stack", "axes", {x, x}, [](const Arrays& in, const Device&) -> Arrays {
    return {stack({in[0], in[1]}), stack({in[0], in[1]}, {.axis = -1}), stack({in[0]}, {.axis = 1})};
  });
  add(cases, "reshape", "all", {x}, [](const Arrays& in, const Device&) -> Arrays {
    return {reshape(in[0], {12, 6}), reshape(in[0], {-1}), reshape(in[0], {2, 2, 1, 18}),
            reshape(in[0], {4, -1})};
  });
  add(cases, "broadcast_to", "all", {make_values(dtype, {4, 1, 6}, Values::special)},
      [](const Arrays& in, const Device&) -> Arrays {
        return {broadcast_to(in[0], {4, 3, 6}), copy(broadcast_to(in[0], {2, 4, 5, 6}))};
      });
  add(cases, "permute_dims", "all", {x}, [](const Arrays& in, const Device&) -> Arrays {
    return {permute_dims(in[0], {2, 0, 1}), copy(permute_dims(in[0], {1, 0, 2})),
            permute_dims(in[0], {0, 1, 2})};
  });
  add(cases, "matrix_transpose", "all", {x}, [](const Arrays& in, const Device&) -> Arrays {
    return {matrix_transpose(in[0]), copy(matrix_transpose(in[0]))};
  });
  add(cases, "expand_dims", "all", {x}, [](const Arrays& in, const Device&) -> Arrays {
    return {expand_dims(in[0], 0), expand_dims(in[0], -1), expand_dims(in[0], 2)};
  });
  add(cases, "squeeze", "all", {make_values(dtype, {3, 1, 4, 1}, Values::special)},
      [](const Arrays& in, const Device&) -> Arrays {
        return {squeeze(in[0], 1), squeeze(in[0], {1, 3}), squeeze(in[0], -1)};
      });
  add(cases, "flip", "all", {x}, [](const Arrays& in, const Device&) -> Arrays {
    return {flip(in[0]), flip(in[0], 1), copy(flip(in[0], {0, -1}))};
  });
  add(cases, "index", "all", {x}, [](const Arrays& in, const Device&) -> Arrays {
    return {index(in[0], {1}),
            index(in[0], {ellipsis, -1}),
            index(in[0], {slice(1, 4, 2), newaxis, slice({}, {}, -1)}),
            copy(index(in[0], {slice(3, 0, -1), ellipsis, slice(-4, {}, 3)})),
            index(in[0], {0, 1, 2}),
            index(in[0], {slice(2, 2)})};
  });
}

void add_indexing(Cases& cases, DType dtype) {
  const HostArray x = make_values(dtype, {4, 7, 6}, Values::special);
  for (const int axis : {0, 1, -1}) {
    const std::int64_t length = x.shape[axis < 0 ? 2 : axis];
    const std::string label = "axis " + std::to_string(axis);
    add(cases, "take", label, {x, make_indices({5}, length)},
        [axis](const Arrays& in, const Device&) -> Arrays {
          return {take(in[0], in[1], {.axis = axis}), take(in[0], astype(in[1], int32), {.axis = axis})};
        });
    Shape shape = x.shape;
    shape[axis < 0 ? 2 : axis] = 3;
    add(cases, "take_along_axis", label, {x, make_indices(shape, length)},
        [axis](const Arrays& in, const Device&) -> Arrays {
          return {take_along_axis(in[0], in[1], {.axis = axis})};
        });
    shape[axis < 0 ? 2 : axis] = 9;
    using Scatter = Array (*)(Array, const Array&, Operand, const ScatterOptions&);
    for (const auto& [operation, function] : {std::pair<const char*, Scatter>{"scatter_set", &scatter_set},
                                              {"scatter_add", &scatter_add},
                                              {"scatter_min", &scatter_min},
                                              {"scatter_max", &scatter_max}}) {
      if (is_bool(dtype) && function != &scatter_set) continue;
      const bool float_sum = is_floating(dtype) && function == &scatter_add;
      const Values values = float_sum ? Values::positive : Values::special;
      const Scalar number = is_bool(dtype) ? Scalar(true) : Scalar(1);
      add(
          cases, operation, label,
          {make_values(dtype, x.shape, values), make_indices({9}, length),
           make_values(dtype, shape, values, 2)},
          [=, scatter = function](const Arrays& in, const Device&) -> Arrays {
            return {scatter(in[0], in[1], in[2], {.axis = axis}),
                    scatter(in[0], in[1], number, {.axis = axis})};
          },
          float_sum ? Tolerance{4 * (dtype == float32 ? 0x1p-23 : 0x1p-52)} : kExact);
    }
  }
  add(cases, "take", "1-d", {make_values(dtype, {9}, Values::special), make_indices({20}, 9)},
      [](const Arrays& in, const Device&) -> Arrays { return {take(in[0], in[1])}; });
  add(cases, "nonzero", "all", {make_values(dtype, {4, 7}, Values::few)},
      [](const Arrays& in, const Device&) -> Arrays { return nonzero(in[0]); });
  if (is_integer(dtype)) {
    add(cases, "one_hot", "all", {make_values(dtype, {3, 5}, Values::few)},
        [](const Arrays& in, const Device&) -> Arrays {
          return {one_hot(in[0], 2), one_hot(in[0], 4, {.dtype = int64}),
                  one_hot(in[0], 3, {.dtype = bool_})};
        });
  }
}

void add_mixed_scatter(Cases& cases) {
  add(cases, "scatter_add", "float32 into float64",
      {make_values(float64, {5, 3}, Values::positive), make_indices({50}, 5),
       make_values(float32, {50, 3}, Values::positive)},
      [](const Arrays& in, const Device&) -> Arrays { return {scatter_add(in[0], in[1], in[2])}; },
      {0x1p-48});
}

}  // namespace

std::vector<OperationCase> manipulation_operations() {
  Cases cases;
  for (const DType dtype : kAllDTypes) {
    add_shapes(cases, dtype);
    add_indexing(cases, dtype);
  }
  add_mixed_scatter(cases);
  return cases;
}

}  // namespace tessera::test
