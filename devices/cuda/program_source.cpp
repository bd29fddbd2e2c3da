#include "devices/cuda/program_source.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include <tessera/scalar.hpp>

#include "devices/cuda/program_arguments.hpp"

namespace tessera::cuda {
namespace {

using Kind = Program::Kind;
using Step = Program::Step;

const char* type_of(DType dtype) {
  switch (dtype) {
    case DType::bool_: return "bool";
    case DType::int8: return "std::int8_t";
    case DType::int16: return "std::int16_t";
    case DType::int32: return "std::int32_t";
    case DType::int64: return "std::int64_t";
    case DType::uint8: return "std::uint8_t";
    case DType::uint16: return "std::uint16_t";
    case DType::uint32: return "std::uint32_t";
    case DType::uint64: return "std::uint64_t";
    case DType::float32: return "float";
    case DType::float64: break;
  }
  return "double";
}

/// Whether 32 bits count the elements.
bool is_narrow(const Program& program) {
  return program.rows * program.columns < std::numeric_limits<std::int32_t>::max();
}

std::uint64_t constant_bits(const Step& step) {
  std::uint64_t bits = 0;
  visit_dtype(step.dtype, [&]<class T>(T) {
    const T value = step.value.to<T>();
    std::memcpy(&bits, &value, sizeof value);
  });
  return bits;
}

class Writer {
 public:
  Writer(const Program& program, std::size_t inputs)
      : program_(program), inputs_(inputs), after_(program.steps.size(), false), constant_of_(after_.size()) {
    int constants = 0;
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      const Step& step = program.steps[i];
      if (step.kind == Kind::constant) constant_of_[i] = constants++;
      after_[i] = tessera::is_reduction(step.kind);
      for (int a = 0; a < argument_count(step.kind); ++a) {
        after_[i] = after_[i] || after_[static_cast<std::size_t>(step.args[a])];
      }
    }
  }

  std::string write() {
    const std::size_t views = inputs_ + program_.outputs.size();
    text_ = std::string("#include \"devices/cuda/program_kernel.hpp\"\n\nextern \"C\" __global__ void ") +
            kProgramKernel + "(TESSERA_ARGUMENT(tessera::cuda::ProgramArgumentsOf<" + std::to_string(views) +
            ">, arguments)) {\n"
            "  using namespace tessera;\n"
            "  using namespace tessera::cuda;\n";
    if (reduces(program_)) {
      write_rows();
    } else {
      write_elements();
    }
    return text_ + "}\n";
  }

 private:
  bool is_reduction(std::size_t i) const { return tessera::is_reduction(program_.steps[i].kind); }
  void line(const std::string& text) { text_ += "    " + text + "\n"; }
  static std::string reg(std::size_t i) { return "r" + std::to_string(i); }
  std::string argument(const Step& step, int number) const {
    return reg(static_cast<std::size_t>(step.args[number]));
  }
  std::string argument_type(const Step& step) const {
    return type_of(program_.steps[static_cast<std::size_t>(step.args[0])].dtype);
  }

  void write_elements() {
    text_ += std::string("  for_each_position<") + (is_narrow(program_) ? "std::uint32_t" : "std::int64_t") +
             ">(arguments, [&](std::int64_t row, std::int64_t column) {\n";
    for (std::size_t i = 0; i < program_.steps.size(); ++i) write_step(i);
    write_stores(false, "");
    write_stores(true, "if (column == 0) ");
    text_ += "  });\n";
  }

  void write_rows() {
    text_ += "  const int lanes = static_cast<int>(arguments.lanes);\n";
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      if (is_reduction(i)) declare_shared(i);
    }
    text_ += "  for_each_row(arguments, [&](std::int64_t row, int lane) {\n";
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      if (program_.steps[i].row && !after_[i]) write_step(i);
      if (is_reduction(i)) write_start(i);
    }
    line("for (std::int64_t column = lane; column < arguments.columns; column += lanes) {");
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      if (!program_.steps[i].row) write_step(i);
      if (is_reduction(i)) write_accumulation(i);
    }
    write_stores(false, "");
    line("}");
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      if (is_reduction(i)) write_combination(i);
    }
    line("if (lane == 0) {");
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      if (program_.steps[i].row && after_[i]) write_step(i);
    }
    write_stores(true, "");
    line("}");
    text_ += "  });\n";
  }

  // ---- reductions

  /// What a reduction accumulates in, as the plain kernel does.
  const char* accumulator(const Step& step) const {
    const DType x = program_.steps[static_cast<std::size_t>(step.args[0])].dtype;
    const auto op = static_cast<ReduceOp>(step.op);
    if (op != ReduceOp::sum && op != ReduceOp::prod) return type_of(x);
    if (is_floating(x)) return "double";
    return is_unsigned_integer(x) ? "std::uint64_t" : "std::int64_t";
  }
  static std::string reduce_op(const Step& step) {
    return "ReduceOp::" + std::string(name(static_cast<ReduceOp>(step.op)));
  }
  static std::string arg_op(const Step& step) {
    return "ArgReduceOp::" + std::string(name(static_cast<ArgReduceOp>(step.op)));
  }

  void declare_shared(std::size_t i) {
    const Step& step = program_.steps[i];
    const std::string number = std::to_string(i);
    const bool arg = step.kind == Kind::arg_reduce;
    text_ += "  TESSERA_SHARED(" + (arg ? argument_type(step) : std::string(accumulator(step))) + ", shared" +
             number + ", kThreads / kWarpSize);\n";
    if (arg) text_ += "  TESSERA_SHARED(std::int64_t, indices" + number + ", kThreads / kWarpSize);\n";
  }

  void write_start(std::size_t i) {
    const Step& step = program_.steps[i];
    const std::string total = "t" + std::to_string(i);
    if (step.kind == Kind::arg_reduce) {
      line("Candidate<" + argument_type(step) + "> " + total + "{{}, -1};");
    } else {
      const std::string type = accumulator(step);
      line(type + " " + total + " = start<" + reduce_op(step) + ", " + type + ">();");
    }
  }

  void write_accumulation(std::size_t i) {
    const Step& step = program_.steps[i];
    const std::string total = "t" + std::to_string(i);
    if (step.kind == Kind::arg_reduce) {
      line("offer(" + arg_op(step) + ", " + total + ", " + argument(step, 0) + ", column);");
    } else {
      line(total + " = combined<" + reduce_op(step) + ">(" + total + ", convert<" + accumulator(step) + ">(" +
           argument(step, 0) + "));");
    }
  }

  void write_combination(std::size_t i) {
    const Step& step = program_.steps[i];
    const std::string number = std::to_string(i);
    if (step.kind == Kind::arg_reduce) {
      line("t" + number + " = better_of_lanes(" + arg_op(step) + ", t" + number + ", lanes, lane, shared" +
           number + ", indices" + number + ");");
    } else {
      line("t" + number + " = combine_lanes(t" + number + ", lanes, lane, shared" + number + ", combined<" +
           reduce_op(step) + ", " + accumulator(step) + ">);");
    }
  }

  // ---- steps

  void write_step(std::size_t i) {
    const Step& step = program_.steps[i];
    const std::string type = type_of(step.dtype);
    line("const " + type + " " + reg(i) + " = " + expression(i, type) + ";");
  }

  static std::string view(std::size_t number) { return "arguments.views[" + std::to_string(number) + "]"; }

  std::string constant(std::size_t i) const {
    if (constant_of_[i] < kMostProgramConstants) {
      return "arguments.constants[" + std::to_string(constant_of_[i]) + "]";
    }
    return std::to_string(constant_bits(program_.steps[i])) + "ULL";
  }

  std::string expression(std::size_t i, const std::string& type) const {
    const Step& step = program_.steps[i];
    switch (step.kind) {
      case Kind::load:
        return "element_at<" + type + ">(" + view(static_cast<std::size_t>(step.args[0])) + ", row, " +
               (step.row ? "0)" : "column)");
      case Kind::constant: return "constant<" + type + ">(" + constant(i) + ")";
      case Kind::unary:
        return "element::unary<UnaryOp::" + std::string(name(static_cast<UnaryOp>(step.op))) + ">(" +
               argument(step, 0) + ")";
      case Kind::binary:
        return "element::binary<BinaryOp::" + std::string(name(static_cast<BinaryOp>(step.op))) + ">(" +
               argument(step, 0) + ", " + argument(step, 1) + ")";
      case Kind::where: return argument(step, 0) + " ? " + argument(step, 1) + " : " + argument(step, 2);
      case Kind::cast: return "convert<" + type + ">(" + argument(step, 0) + ")";
      case Kind::reduce: return "convert<" + type + ">(t" + std::to_string(i) + ")";
      case Kind::arg_reduce: break;
    }
    return "t" + std::to_string(i) + ".index";
  }

  void write_stores(bool of_rows, const std::string& condition) {
    for (std::size_t o = 0; o < program_.outputs.size(); ++o) {
      const auto source = static_cast<std::size_t>(program_.outputs[o]);
      const Step& step = program_.steps[source];
      if (step.row != of_rows) continue;
      line(condition + "element_at<" + type_of(step.dtype) + ">(" + view(inputs_ + o) + ", row, " +
           (of_rows ? "0" : "column") + ") = " + reg(source) + ";");
    }
  }

  const Program& program_;
  std::size_t inputs_;
  std::vector<bool> after_;  ///< waits for a reduction
  std::vector<int> constant_of_;
  std::string text_;
};

}  // namespace

std::string write_program(const Program& program, std::size_t inputs) {
  return Writer(program, inputs).write();
}

std::string outline(const Program& program, std::size_t inputs) {
  std::string text;
  const auto put = [&](auto value) { text.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(inputs);
  put(program.steps.size());
  int constants = 0;
  for (const Step& step : program.steps) {
    put(step.kind);
    put(step.op);
    put(step.row);
    put(step.dtype);
    const int numbers = step.kind == Kind::load ? 1 : argument_count(step.kind);
    for (int a = 0; a < numbers; ++a) put(step.args[a]);
    if (step.kind == Kind::constant && constants++ >= kMostProgramConstants) put(constant_bits(step));
  }
  for (const std::int32_t output : program.outputs) put(output);
  put(!reduces(program) && is_narrow(program));
  return text;
}

std::vector<std::uint64_t> constants_of(const Program& program) {
  std::vector<std::uint64_t> bits;
  for (const Step& step : program.steps) {
    if (step.kind == Kind::constant) bits.push_back(constant_bits(step));
  }
  return bits;
}

bool reduces(const Program& program) {
  return std::any_of(program.steps.begin(), program.steps.end(),
                     [](const Step& step) { return is_reduction(step.kind); });
}

}  // namespace tessera::cuda
