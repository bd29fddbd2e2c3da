#include <tessera/program.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tessera/error.hpp>

namespace tessera {
namespace {

using Kind = Program::Kind;
using Step = Program::Step;

// ---- views

std::byte* address(const View& view, std::int64_t element) {
  return view.as<std::byte>() + element * static_cast<std::int64_t>(itemsize(view.dtype));
}

View matrix_view(void* data, DType dtype, std::int64_t rows, std::int64_t columns) {
  return {.data = data, .dtype = dtype, .shape = {rows, columns}, .strides = {columns, 1}};
}

/// One element in host memory, which a view with strides of 0 spreads over any shape.
class HostScalar {
 public:
  HostScalar(Scalar value, DType dtype) : dtype_(dtype) {
    visit_dtype(dtype, [&]<class T>(T) {
      const T element = value.to<T>();
      std::memcpy(bytes_.data(), &element, sizeof element);
    });
  }
  View view(const Shape& shape) {
    return {.data = bytes_.data(),
            .dtype = dtype_,
            .shape = shape,
            .strides = Strides::filled(shape.size(), 0),
            .host_scalar = true};
  }

 private:
  DType dtype_;
  alignas(8) std::array<std::byte, 8> bytes_{};
};

// ---- check

/// Looks at a program step by step; `describe` names the step in messages.
class Checker {
 public:
  Checker(const Program& program, std::span<const View> inputs, std::span<const View> outputs)
      : program_(program), inputs_(inputs), outputs_(outputs), from_reduction_(program.steps.size(), false) {}

  void run() {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) check_step(i);
    if (outputs_.size() != program_.outputs.size()) {
      fail(fmt::format("it names {} outputs, but {} views were given", program_.outputs.size(),
                       outputs_.size()));
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) check_output(i);
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw ValueError("[program] the program is malformed: " + what);
  }
  [[noreturn]] static void fail(std::size_t step, const std::string& what) {
    fail(fmt::format("step {}: {}", step, what));
  }
  static void require(bool holds, std::size_t step, const char* what) {
    if (!holds) fail(step, what);
  }

  const Step& argument(std::size_t i, int number) const {
    return program_.steps[static_cast<std::size_t>(program_.steps[i].args[number])];
  }

  void check_view(const View& view, const Step& step, const std::string& what) const {
    const Shape shape{program_.rows, step.row ? 1 : program_.columns};
    if (view.dtype != step.dtype || !(view.shape == shape)) {
      fail(fmt::format("{} is {} {}, where {} {} was expected", what, to_string(view.shape), name(view.dtype),
                       to_string(shape), name(step.dtype)));
    }
  }

  void check_output(std::size_t number) const {
    const std::int32_t reg = program_.outputs[number];
    if (reg < 0 || static_cast<std::size_t>(reg) >= program_.steps.size()) {
      fail(fmt::format("output {} is register {} of {}", number, reg, program_.steps.size()));
    }
    check_view(outputs_[number], program_.steps[static_cast<std::size_t>(reg)],
               fmt::format("output {}", number));
  }

  void check_step(std::size_t i) {
    const Step& step = program_.steps[i];
    const int arguments = argument_count(step.kind);
    for (int a = 0; a < arguments; ++a) {
      if (step.args[a] < 0 || static_cast<std::size_t>(step.args[a]) >= i) {
        fail(i, fmt::format("it reads register {}, which no earlier step writes", step.args[a]));
      }
    }
    switch (step.kind) {
      case Kind::load: check_load(i); return;
      case Kind::constant: return;
      case Kind::reduce:
      case Kind::arg_reduce: check_reduction(i); return;
      default: check_elementwise(i, arguments);
    }
  }

  void check_load(std::size_t i) const {
    const Step& step = program_.steps[i];
    if (step.args[0] < 0 || static_cast<std::size_t>(step.args[0]) >= inputs_.size()) {
      fail(i, fmt::format("it loads input {} of {}", step.args[0], inputs_.size()));
    }
    check_view(inputs_[static_cast<std::size_t>(step.args[0])], step, fmt::format("input {}", step.args[0]));
  }

  void check_reduction(std::size_t i) {
    const Step& step = program_.steps[i];
    const Step& x = argument(i, 0);
    require(!x.row, i, "a reduction reads a value of the domain, not of the row");
    require(step.row, i, "a reduction gives a value of the row");
    from_reduction_[i] = true;
    if (step.kind == Kind::arg_reduce) {
      require(step.op < kArgReduceOpCount, i, "unknown operation");
      require(step.dtype == DType::int64, i, "argmin and argmax give int64");
      require(is_numeric(x.dtype), i, "argmin and argmax take a numeric dtype");
      require(program_.columns > 0, i, "argmin and argmax of nothing");
      return;
    }
    require(step.op < kReduceOpCount, i, "unknown operation");
    switch (static_cast<ReduceOp>(step.op)) {
      case ReduceOp::sum:
      case ReduceOp::prod:
        require(step.dtype == accumulation_dtype(x.dtype) ||
                    (x.dtype == DType::float32 && step.dtype == DType::float64),
                i, "sum and prod give the accumulation dtype of their operand");
        return;
      case ReduceOp::min:
      case ReduceOp::max:
        require(is_numeric(x.dtype) && step.dtype == x.dtype, i,
                "min and max take a numeric dtype and give it");
        require(program_.columns > 0, i, "min and max of nothing");
        return;
      case ReduceOp::any:
      case ReduceOp::all:
        require(x.dtype == DType::bool_ && step.dtype == DType::bool_, i, "any and all take and give bool");
    }
  }

  void check_elementwise(std::size_t i, int arguments) {
    const Step& step = program_.steps[i];
    bool row = true;
    bool reduced = false;
    for (int a = 0; a < arguments; ++a) {
      row = row && argument(i, a).row;
      reduced = reduced || from_reduction_[static_cast<std::size_t>(step.args[a])];
    }
    require(step.row == row, i, "it is of the row if and only if all that it reads is");
    require(row || !reduced, i,
            "a value from a reduction meets a value of the domain: that is a second pass");
    from_reduction_[i] = reduced;
    check_dtypes(i);
  }

  void check_dtypes(std::size_t i) const {
    const Step& step = program_.steps[i];
    const DType x = argument(i, 0).dtype;
    DType result = step.dtype;
    if (step.kind == Kind::unary) {
      require(step.op < kUnaryOpCount, i, "unknown operation");
      const auto op = static_cast<UnaryOp>(step.op);
      if (!accepted(accepts(op), x)) fail(i, fmt::format("{} does not take {}", name(op), name(x)));
      result = gives(op) == Gives::boolean ? DType::bool_ : x;
    } else if (step.kind == Kind::binary) {
      require(step.op < kBinaryOpCount, i, "unknown operation");
      const auto op = static_cast<BinaryOp>(step.op);
      require(x == argument(i, 1).dtype, i, "the operands' dtypes differ");
      if (!accepted(accepts(op), x)) fail(i, fmt::format("{} does not take {}", name(op), name(x)));
      result = gives(op) == Gives::boolean ? DType::bool_ : x;
    } else if (step.kind == Kind::where) {
      require(x == DType::bool_, i, "where takes a bool condition");
      require(argument(i, 1).dtype == argument(i, 2).dtype, i, "the operands' dtypes differ");
      result = argument(i, 1).dtype;
    }
    if (step.dtype != result) {
      fail(i, fmt::format("its register is {}, where {} was expected", name(step.dtype), name(result)));
    }
  }

  const Program& program_;
  std::span<const View> inputs_;
  std::span<const View> outputs_;
  std::vector<bool> from_reduction_;
};

// ---- run

/// Runs a program a kernel a step. A register is a view: of an input, of a constant on the host, of an
/// output, or of a temporary, which is let go after its last use.
class Runner {
 public:
  Runner(DeviceInterface& device, const Program& program, std::span<const View> inputs,
         std::span<const View> outputs)
      : device_(device),
        program_(program),
        inputs_(inputs),
        outputs_(outputs),
        registers_(program.steps.size()),
        temporaries_(program.steps.size()),
        output_of_(program.steps.size(), -1),
        ends_after_(program.steps.size()) {
    const std::size_t count = program.steps.size();
    constants_.reserve(count);  // views point into it
    for (std::size_t o = outputs.size(); o-- > 0;) {
      output_of_[static_cast<std::size_t>(program.outputs[o])] = static_cast<std::int32_t>(o);
    }
    std::vector<std::size_t> last_use(count);
    for (std::size_t i = 0; i < count; ++i) {
      last_use[i] = i;
      const Step& step = program.steps[i];
      for (int a = 0; a < argument_count(step.kind); ++a) {
        last_use[static_cast<std::size_t>(step.args[a])] = i;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (output_of_[i] < 0) ends_after_[last_use[i]].push_back(i);
    }
  }

  void run() {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      run_step(i);
      for (const std::size_t ended : ends_after_[i]) temporaries_[ended].reset();
    }
    // Registers that are two outputs, or that no kernel wrote.
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const View& value = registers_[static_cast<std::size_t>(program_.outputs[i])];
      if (value.data != outputs_[i].data) device_.copy(value, outputs_[i]);
    }
  }

 private:
  Shape shape(bool row) const { return {program_.rows, row ? 1 : program_.columns}; }

  const View& argument(const Step& step, int number) const {
    return registers_[static_cast<std::size_t>(step.args[number])];
  }

  /// The argument over the step's domain: a value of the row is the same in each column.
  View operand(const Step& step, int number) const {
    View view = argument(step, number);
    if (!step.row && program_.steps[static_cast<std::size_t>(step.args[number])].row) {
      view.shape = shape(false);
      view.strides = {view.strides[0], 0};
    }
    return view;
  }

  /// Where register i is written: the first output that it is, else a temporary.
  View target(std::size_t i) {
    const Step& step = program_.steps[i];
    if (output_of_[i] >= 0) return outputs_[static_cast<std::size_t>(output_of_[i])];
    return temporary(i, step.dtype, step.row);
  }

  View temporary(std::size_t i, DType dtype, bool row) {
    const Shape extents = shape(row);
    temporaries_[i].emplace(
        device_.workspace(static_cast<std::size_t>(element_count(extents)) * itemsize(dtype)));
    return matrix_view(temporaries_[i]->data(), dtype, extents[0], extents[1]);
  }

  void run_step(std::size_t i) {
    const Step& step = program_.steps[i];
    View& out = registers_[i];
    switch (step.kind) {
      case Kind::load: out = inputs_[static_cast<std::size_t>(step.args[0])]; return;
      case Kind::constant:
        out = constants_.emplace_back(step.value, step.dtype).view(shape(step.row));
        return;
      case Kind::unary:
        out = target(i);
        device_.unary(static_cast<UnaryOp>(step.op), operand(step, 0), out);
        return;
      case Kind::binary:
        out = target(i);
        device_.binary(static_cast<BinaryOp>(step.op), operand(step, 0), operand(step, 1), out);
        return;
      case Kind::where:
        out = target(i);
        device_.where(operand(step, 0), operand(step, 1), operand(step, 2), out);
        return;
      case Kind::cast:
        out = target(i);
        device_.copy(operand(step, 0), out);
        return;
      case Kind::reduce:
      case Kind::arg_reduce: run_reduction(i);
    }
  }

  void run_reduction(std::size_t i) {
    const Step& step = program_.steps[i];
    View x = argument(step, 0);
    if (x.host_scalar) {  // only element-wise kernels take those
      const auto constant = static_cast<std::size_t>(step.args[0]);
      const View filled = temporary(constant, x.dtype, false);
      device_.copy(x, filled);
      registers_[constant] = x = filled;
    }
    x.shape.push_back(1);
    x.strides.push_back(1);
    registers_[i] = target(i);
    if (step.kind == Kind::reduce) {
      device_.reduce(static_cast<ReduceOp>(step.op), x, registers_[i]);
    } else {
      device_.arg_reduce(static_cast<ArgReduceOp>(step.op), x, registers_[i]);
    }
  }

  DeviceInterface& device_;
  const Program& program_;
  std::span<const View> inputs_;
  std::span<const View> outputs_;
  std::vector<View> registers_;
  std::vector<std::optional<Workspace>> temporaries_;
  std::vector<std::int32_t> output_of_;               ///< the first output that a register is, or -1
  std::vector<std::vector<std::size_t>> ends_after_;  ///< of each step: registers that nothing needs then
  std::vector<HostScalar> constants_;
};

// ---- matmul_argmin

/// Rows of a tile of products that stays in cache between two kernels. Follows from shapes and fixed
/// properties alone, never from the number of threads.
std::int64_t tile_rows(std::int64_t cache_bytes, std::int64_t columns, DType dtype, std::int64_t rows) {
  constexpr std::int64_t kUnknownCache = std::int64_t{1} << 20;
  const std::int64_t bytes = cache_bytes > 0 ? cache_bytes : kUnknownCache;
  const std::int64_t row_bytes = columns * static_cast<std::int64_t>(itemsize(dtype));
  return std::clamp(bytes / row_bytes, std::int64_t{1}, rows);
}

}  // namespace

void check(const Program& program, std::span<const View> inputs, std::span<const View> outputs) {
  Checker(program, inputs, outputs).run();
}

void run_by_kernels(DeviceInterface& device, const Program& program, std::span<const View> inputs,
                    std::span<const View> outputs) {
  check(program, inputs, outputs);
  Runner(device, program, inputs, outputs).run();
}

bool may_write_over(const Program& program, std::size_t input, std::size_t output) {
  const auto written = static_cast<std::size_t>(program.outputs[output]);
  const Program::Step& writer = program.steps[written];
  // With one column, values of the row and of the domain lie alike.
  if (writer.row || program.columns < 2 || argument_count(writer.kind) == 0) return false;
  std::vector<bool> reads(program.steps.size(), false);  // registers that depend on the input by another way
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Program::Step& step = program.steps[i];
    if (step.kind == Program::Kind::load && static_cast<std::size_t>(step.args[0]) == input) {
      if (step.row || step.dtype != writer.dtype) return false;
      if (std::ranges::find(program.outputs, static_cast<std::int32_t>(i)) != program.outputs.end()) {
        return false;
      }
      reads[i] = true;
    }
    for (int a = 0; a < argument_count(step.kind); ++a) {
      const auto arg = static_cast<std::size_t>(step.args[a]);
      reads[i] = reads[i] || (arg != written && reads[arg]);
    }
    if (reads[i] && i > written) return false;
  }
  return true;
}

void DeviceInterface::program(const Program& program, std::span<const View> inputs,
                              std::span<const View> outputs) {
  run_by_kernels(*this, program, inputs, outputs);
}

std::string_view DeviceInterface::matmul_argmin_way(Precision /*precision*/, DType /*dtype*/,
                                                    std::int64_t /*features*/,
                                                    std::int64_t /*centers*/) const {
  return {};
}

void DeviceInterface::matmul_argmin(Precision precision, Scalar alpha, const View& x, const View& y,
                                    const View& bias, const View& index, const View& score) {
  const std::int64_t m = x.shape[0];
  const std::int64_t k = x.shape[1];
  const std::int64_t n = y.shape[0];
  if (m == 0) return;
  const std::int64_t rows = tile_rows(properties().cache_bytes, n, x.dtype, m);
  const Workspace products = workspace(static_cast<std::size_t>(rows * n) * itemsize(x.dtype));
  HostScalar factor(alpha, x.dtype);
  const View y_transposed{
      .data = y.data, .dtype = y.dtype, .shape = {1, k, n}, .strides = {0, y.strides[1], y.strides[0]}};

  for (std::int64_t first = 0; first < m; first += rows) {
    const std::int64_t count = std::min(rows, m - first);
    const View samples{.data = address(x, first * x.strides[0]),
                       .dtype = x.dtype,
                       .shape = {1, count, k},
                       .strides = {0, x.strides[0], x.strides[1]}};
    View tile = matrix_view(products.data(), x.dtype, count, n);
    View product = tile;
    product.shape.insert(0, 1);
    product.strides.insert(0, count * n);
    matmul(precision, samples, y_transposed, product);

    View row_bias = bias;
    row_bias.shape = tile.shape;
    row_bias.strides = {0, bias.strides[0]};
    binary(BinaryOp::multiply, factor.view(tile.shape), tile, tile);
    binary(BinaryOp::add, row_bias, tile, tile);

    tile.shape.push_back(1);
    tile.strides.push_back(1);
    View winners{.data = address(index, first * index.strides[0]),
                 .dtype = index.dtype,
                 .shape = {count, 1},
                 .strides = {index.strides[0], 1}};
    arg_reduce(ArgReduceOp::argmin, tile, winners);

    winners.shape.push_back(1);
    winners.strides.push_back(1);
    const View minima{.data = address(score, first * score.strides[0]),
                      .dtype = score.dtype,
                      .shape = {count, 1, 1},
                      .strides = {score.strides[0], 1, 1}};
    take_along(tile, winners, minima);
  }
}

}  // namespace tessera
