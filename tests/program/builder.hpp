#pragma once

// Programs, a step a call, and views of arrays for those who speak to a device itself.

#include <cstdint>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/buffer.hpp>
#include <tessera/device_state.hpp>
#include <tessera/kernel_ops.hpp>
#include <tessera/program.hpp>

namespace tessera::test {

inline View view_of_array(const Array& x) {
  const ArrayNode& node = x.node();
  View view;
  view.data = static_cast<std::byte*>(node.buffer->data()) +
              x.layout().offset * static_cast<std::int64_t>(itemsize(x.dtype()));
  view.dtype = x.dtype();
  view.shape = x.shape();
  view.strides = x.strides();
  return view;
}

inline DeviceInterface& kernels_of(const Device& device) {
  return device.state().device;
}

/// Each function adds a step and gives its register.
class Builder {
 public:
  using Kind = Program::Kind;
  Builder(std::int64_t rows, std::int64_t columns) {
    program_.rows = rows;
    program_.columns = columns;
  }

  std::int32_t load(std::int32_t input, DType dtype, bool row = false) {
    return add({.kind = Kind::load, .row = row, .dtype = dtype, .args = {input}, .value = {}});
  }
  std::int32_t constant(Scalar value, DType dtype, bool row = false) {
    return add({.kind = Kind::constant, .row = row, .dtype = dtype, .args = {}, .value = value});
  }
  std::int32_t unary(UnaryOp op, std::int32_t x) {
    const DType dtype = gives(op) == Gives::boolean ? bool_ : step(x).dtype;
    return element_wise(Kind::unary, static_cast<std::uint8_t>(op), dtype, {x, x, x});
  }
  std::int32_t binary(BinaryOp op, std::int32_t a, std::int32_t b) {
    const DType dtype = gives(op) == Gives::boolean ? bool_ : step(a).dtype;
    return element_wise(Kind::binary, static_cast<std::uint8_t>(op), dtype, {a, b, b});
  }
  std::int32_t where(std::int32_t condition, std::int32_t a, std::int32_t b) {
    return element_wise(Kind::where, 0, step(a).dtype, {condition, a, b});
  }
  std::int32_t cast(std::int32_t x, DType dtype) { return element_wise(Kind::cast, 0, dtype, {x, x, x}); }
  std::int32_t reduce(ReduceOp op, std::int32_t x, DType dtype) {
    return add({.kind = Kind::reduce,
                .op = static_cast<std::uint8_t>(op),
                .row = true,
                .dtype = dtype,
                .args = {x},
                .value = {}});
  }
  std::int32_t arg_reduce(ArgReduceOp op, std::int32_t x) {
    return add({.kind = Kind::arg_reduce,
                .op = static_cast<std::uint8_t>(op),
                .row = true,
                .dtype = int64,
                .args = {x},
                .value = {}});
  }
  std::int32_t add(const Program::Step& step) {
    program_.steps.push_back(step);
    return static_cast<std::int32_t>(program_.steps.size()) - 1;
  }

  Program::Step& step(std::int32_t reg) { return program_.steps[static_cast<std::size_t>(reg)]; }

  /// The program whose outputs are these registers.
  Program giving(const std::vector<std::int32_t>& outputs) const {
    Program program = program_;
    program.outputs = outputs;
    return program;
  }

 private:
  std::int32_t element_wise(Kind kind, std::uint8_t op, DType dtype, const std::vector<std::int32_t>& args) {
    const bool row = step(args[0]).row && step(args[1]).row && step(args[2]).row;
    return add({.kind = kind,
                .op = op,
                .row = row,
                .dtype = dtype,
                .args = {args[0], args[1], args[2]},
                .value = {}});
  }

  Program program_;
};

}  // namespace tessera::test
