#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/device.hpp>

namespace tessera {

/// Element-wise code over a domain of [rows, columns], reductions of its values over the columns, and
/// element-wise work on what they give (one value a row): what a device can do in one pass over its inputs.
///
/// Steps are in order; step i writes register i, and reads earlier ones. A step is of the domain (one value
/// an element) or of the row (one value a row): constants and loads say which; unary, binary, where and
/// cast are of the row if all that they read is; a reduction reads a value of the domain and is of the row.
/// A value of the row that comes from a reduction must not meet a value of the domain (that would be a
/// second pass); one that comes from a load may. Views overlap only as `may_write_over` says.
struct Program {
  enum class Kind : std::uint8_t { load, constant, unary, binary, where, cast, reduce, arg_reduce };

  struct Step {
    Kind kind{};
    std::uint8_t op = 0;        ///< UnaryOp, BinaryOp, ReduceOp or ArgReduceOp
    bool row = false;           ///< of the row, not of the domain
    DType dtype{};              ///< of the register
    std::int32_t args[3] = {};  ///< registers read (where: condition, a, b); load: the input's number
    Scalar value;               ///< constant
  };

  std::vector<Step> steps;
  std::vector<std::int32_t> outputs;  ///< the register of each output view
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// How many registers a step reads.
constexpr int argument_count(Program::Kind kind) {
  switch (kind) {
    case Program::Kind::load:
    case Program::Kind::constant: return 0;
    case Program::Kind::unary:
    case Program::Kind::cast:
    case Program::Kind::reduce:
    case Program::Kind::arg_reduce: break;
    case Program::Kind::binary: return 2;
    case Program::Kind::where: return 3;
  }
  return 1;
}

constexpr bool is_reduction(Program::Kind kind) {
  return kind == Program::Kind::reduce || kind == Program::Kind::arg_reduce;
}

/// The program by the device's plain kernels, a temporary a step. Inputs and outputs are 2-d: [rows,
/// columns] for values of the domain (stride 0 where broadcast), [rows, 1] for values of the row.
TESSERA_API void run_by_kernels(DeviceInterface& device, const Program& program, std::span<const View> inputs,
                                std::span<const View> outputs);

/// Throws ValueError where a program breaks the rules above.
TESSERA_API void check(const Program& program, std::span<const View> inputs, std::span<const View> outputs);

/// Whether an output may be exactly an input, all of it (same data, same strides, no stride of 0): it is a
/// value of the domain that an element-wise step writes, no later step depends on the input but through what
/// that step writes, and the input itself is no output. Then each element is read before it is written: by a
/// kernel a step, by an element at a time, and in blocks in which some steps wait for steps that read them.
TESSERA_API bool may_write_over(const Program& program, std::size_t input, std::size_t output);

}  // namespace tessera
