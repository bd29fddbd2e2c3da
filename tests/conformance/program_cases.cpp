#include "conformance/kernel_case.hpp"
#include "conformance/tolerances.hpp"

#include <tessera/program.hpp>

// The oracle of programs is run_by_kernels on the reference device: the default of DeviceInterface::program,
// which `reference` keeps.

namespace tessera::test {

namespace {

using Kind = Program::Kind;

/// Writes programs step by step; each function gives the register that it writes.
class Writer {
 public:
  Writer(std::int64_t rows, std::int64_t columns) {
    program_.rows = rows;
    program_.columns = columns;
  }
  int load(DType dtype, int input, bool row = false) {
    return step({.kind = Kind::load, .row = row, .dtype = dtype, .args = {input}, .value = {}});
  }
  int constant(DType dtype, Scalar value) {
    return step({.kind = Kind::constant, .row = true, .dtype = dtype, .value = value});
  }
  int unary(UnaryOp op, int x) {
    const DType dtype = gives(op) == Gives::boolean ? bool_ : at(x).dtype;
    return step({.kind = Kind::unary,
                 .op = static_cast<std::uint8_t>(op),
                 .row = at(x).row,
                 .dtype = dtype,
                 .args = {x},
                 .value = {}});
  }
  int binary(BinaryOp op, int a, int b) {
    const DType dtype = gives(op) == Gives::boolean ? bool_ : at(a).dtype;
    return step({.kind = Kind::binary,
                 .op = static_cast<std::uint8_t>(op),
                 .row = at(a).row && at(b).row,
                 .dtype = dtype,
                 .args = {a, b},
                 .value = {}});
  }
  int where(int condition, int a, int b) {
    const bool row = at(condition).row && at(a).row && at(b).row;
    return step(
        {.kind = Kind::where, .row = row, .dtype = at(a).dtype, .args = {condition, a, b}, .value = {}});
  }
  int cast(DType dtype, int x) {
    return step({.kind = Kind::cast, .row = at(x).row, .dtype = dtype, .args = {x}, .value = {}});
  }
  int reduce(ReduceOp op, DType dtype, int x) {
    return step({.kind = Kind::reduce,
                 .op = static_cast<std::uint8_t>(op),
                 .row = true,
                 .dtype = dtype,
                 .args = {x},
                 .value = {}});
  }
  int arg_reduce(ArgReduceOp op, int x) {
    return step({.kind = Kind::arg_reduce,
                 .op = static_cast<std::uint8_t>(op),
                 .row = true,
                 .dtype = int64,
                 .args = {x},
                 .value = {}});
  }
  Program giving(std::vector<std::int32_t> outputs) {
    program_.outputs = std::move(outputs);
    return program_;
  }

 private:
  int step(const Program::Step& step) {
    program_.steps.push_back(step);
    return static_cast<int>(program_.steps.size()) - 1;
  }
  const Program::Step& at(int reg) const { return program_.steps[static_cast<std::size_t>(reg)]; }

  Program program_;
};

KernelCase program_case(std::string label, Program program, std::vector<KernelOperand> inputs,
                        LayoutKind layout = LayoutKind::contiguous, Tolerance tolerance = kExact,
                        bool by_magnitude = false) {
  KernelCase result{.kernel = "program",
                    .name = std::move(label),
                    .operands = std::move(inputs),
                    .call = {},
                    .tolerance = tolerance,
                    .by_magnitude = by_magnitude};
  const std::size_t input_count = result.operands.size();
  for (const std::int32_t reg : program.outputs) {
    const auto& step = program.steps[static_cast<std::size_t>(reg)];
    result.operands.push_back(out(step.dtype, {program.rows, step.row ? 1 : program.columns}, layout));
  }
  result.call = [program = std::move(program), input_count](DeviceInterface& device,
                                                            std::span<const View> v) {
    device.program(program, v.first(input_count), v.subspan(input_count));
  };
  return result;
}

/// where(x < c, -x, cast(x) to float64 and back) * y: no reduction, several dtypes, two outputs.
KernelCase elementwise_program(const Shape& shape, LayoutKind layout) {
  Writer w(shape[0], shape[1]);
  const int x = w.load(float32, 0);
  const int y = w.load(float32, 1);
  const int small = w.binary(BinaryOp::less, x, w.constant(float32, 0.5));
  const int chosen = w.where(small, w.unary(UnaryOp::negative, x), w.cast(float32, w.cast(float64, x)));
  const int product = w.binary(BinaryOp::multiply, chosen, y);
  const LayoutKind result = layout == LayoutKind::broadcast ? LayoutKind::contiguous : layout;
  return program_case(
      "element-wise", w.giving({product, small}),
      {in(float32, shape, Values::special, layout), in(float32, shape, Values::plain, layout)}, result);
}

/// Row sums of x * x and maxima of x, then their quotient.
KernelCase reduction_program(const Shape& shape, LayoutKind layout) {
  Writer w(shape[0], shape[1]);
  const int x = w.load(float32, 0);
  const int sum = w.reduce(ReduceOp::sum, float32, w.binary(BinaryOp::multiply, x, x));
  const int most = w.reduce(ReduceOp::max, float32, x);
  const int quotient = w.binary(BinaryOp::divide, most, sum);
  return program_case("reductions and work on rows", w.giving({sum, most, quotient}),
                      {in(float32, shape, Values::positive, layout)}, LayoutKind::contiguous,
                      {64 * unit(float32)});
}

/// The nearest center by scores: argmin and min of n - 2 g.
KernelCase scores_program(const Shape& shape, LayoutKind layout) {
  Writer w(shape[0], shape[1]);
  const int products = w.load(float64, 0);
  const int norms = w.load(float64, 1);
  const int scores =
      w.binary(BinaryOp::subtract, norms, w.binary(BinaryOp::multiply, w.constant(float64, 2), products));
  return program_case(
      "scores",
      w.giving({w.arg_reduce(ArgReduceOp::argmin, scores), w.reduce(ReduceOp::min, float64, scores)}),
      {in(float64, shape, Values::few, layout), in(float64, shape, Values::few, LayoutKind::broadcast)});
}

/// A value of the row that meets the domain, integers, and logic.
KernelCase integer_program(const Shape& shape) {
  Writer w(shape[0], shape[1]);
  const int x = w.load(int32, 0);
  const int weight = w.load(int32, 1, true);
  const int scaled = w.binary(BinaryOp::multiply, x, weight);
  const int total = w.reduce(ReduceOp::sum, int64, scaled);
  const int all_positive =
      w.reduce(ReduceOp::all, bool_, w.binary(BinaryOp::greater, scaled, w.constant(int32, -100)));
  const int last = w.arg_reduce(ArgReduceOp::argmax, scaled);
  return program_case("integers, a weight a row", w.giving({scaled, total, all_positive, last}),
                      {in(int32, shape), in(int32, {shape[0], 1})});
}

}  // namespace

std::vector<KernelCase> program_cases() {
  std::vector<KernelCase> cases;
  for (const Shape& shape :
       {Shape{1, 1}, Shape{7, 5}, Shape{33, 129}, Shape{1, 1000}, Shape{1000, 3}, Shape{257, 1000}}) {
    cases.push_back(elementwise_program(shape, LayoutKind::contiguous));
    cases.push_back(reduction_program(shape, LayoutKind::contiguous));
    cases.push_back(scores_program(shape, LayoutKind::contiguous));
    cases.push_back(integer_program(shape));
  }
  for (const LayoutKind layout : kAllLayouts) {
    cases.push_back(elementwise_program({9, 37}, layout));
    cases.push_back(reduction_program({9, 37}, layout));
    cases.push_back(scores_program({9, 37}, layout));
  }
  cases.push_back(elementwise_program({0, 7}, LayoutKind::contiguous));
  cases.push_back(elementwise_program({7, 0}, LayoutKind::contiguous));
  return cases;
}

}  // namespace tessera::test
