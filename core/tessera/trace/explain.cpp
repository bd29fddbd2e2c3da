#include <tessera/trace/explain.hpp>

#include <fmt/format.h>

#include <tessera/device_state.hpp>
#include <tessera/program.hpp>

namespace tessera::trace {
namespace {

std::string op_name(const Node& node) {
  switch (node.kernel) {
    case Kernel::unary: return std::string(name(static_cast<UnaryOp>(node.op)));
    case Kernel::binary: return std::string(name(static_cast<BinaryOp>(node.op)));
    case Kernel::reduce: return std::string(name(static_cast<ReduceOp>(node.op)));
    case Kernel::arg_reduce: return std::string(name(static_cast<ArgReduceOp>(node.op)));
    case Kernel::scan: return std::string(name(static_cast<ScanOp>(node.op)));
    case Kernel::scatter: return std::string(name(static_cast<ScatterOp>(node.op)));
    default: return "";
  }
}

class Text {
 public:
  explicit Text(const Plan& plan) : plan_(plan) {}

  std::string access(const Access& access) const {
    const Value& value = plan_.values[static_cast<std::size_t>(access.value)];
    return fmt::format("{} {}{}", label(access.value), to_string(access.layout.shape), name(value.dtype));
  }

  std::string label(int id) const {
    const Value& value = plan_.values[static_cast<std::size_t>(id)];
    if (value.source == Value::Source::argument) return fmt::format("argument{}", value.argument);
    if (value.source == Value::Source::constant) return fmt::format("constant{}", id);
    return fmt::format("v{}", id);
  }

  std::string step(const Step& step) const {
    const Node& node = step.node;
    std::string text = "  ";
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      text += (i > 0 ? ", " : "") + access(node.outputs[i]);
    }
    text += fmt::format(" = {}", name(node.kernel));
    const std::string op = op_name(node);
    if (!op.empty()) text += ":" + op;
    text += "(";
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (i > 0) text += ", ";
      text += node.inputs[i].value >= 0 ? access(node.inputs[i]) : node.scalars[i].to_string();
    }
    text += ")";
    if (node.kernel == Kernel::matmul_argmin) text += winners(node);
    if (node.program == nullptr) text += fmt::format("  [{}]", node.operation);
    for (std::size_t o = 0; o < step.taken.size(); ++o) {
      if (step.taken[o] < 0) continue;
      text += node.outputs.size() == 1 ? "  in place of "
                                       : fmt::format("  {} in place of ", label(node.outputs[o].value));
      text += label(step.taken[o]);
    }
    if (step.copy_base) text += fmt::format("  after a copy of {}", label(node.base));
    text += "\n";
    if (node.program != nullptr) text += group(*node.program);
    return text;
  }

  std::string winners(const Node& node) const {
    const Layout& centers = node.inputs[1].layout;
    const Value& x = plan_.values[static_cast<std::size_t>(node.inputs[0].value)];
    const std::string_view way =
        x.device->device.matmul_argmin_way(node.precision, x.dtype, centers.shape[1], centers.shape[0]);
    return fmt::format(" alpha {}{}{}", node.scalars[0].to_string(), way.empty() ? "" : " ", way);
  }

  static std::string group(const Program& program) {
    std::string text = fmt::format("    {} rows x {} columns, {} steps:", program.rows, program.columns,
                                   program.steps.size());
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      if (i == kMostSteps) return text + fmt::format(" ... ({} more)\n", program.steps.size() - i);
      text += " " + program_step(program.steps[i], i);
    }
    return text + "\n";
  }

 private:
  static constexpr std::size_t kMostSteps = 24;

  static std::string program_step(const Program::Step& step, std::size_t i) {
    using Kind = Program::Kind;
    const auto& a = step.args;
    switch (step.kind) {
      case Kind::load: return fmt::format("r{}=in{}", i, a[0]);
      case Kind::constant: return fmt::format("r{}={}", i, step.value.to_string());
      case Kind::unary: return fmt::format("r{}={}(r{})", i, name(static_cast<UnaryOp>(step.op)), a[0]);
      case Kind::binary:
        return fmt::format("r{}={}(r{},r{})", i, name(static_cast<BinaryOp>(step.op)), a[0], a[1]);
      case Kind::where: return fmt::format("r{}=where(r{},r{},r{})", i, a[0], a[1], a[2]);
      case Kind::cast: return fmt::format("r{}={}(r{})", i, name(step.dtype), a[0]);
      case Kind::reduce: return fmt::format("r{}={}(r{})", i, name(static_cast<ReduceOp>(step.op)), a[0]);
      case Kind::arg_reduce: break;
    }
    return fmt::format("r{}={}(r{})", i, name(static_cast<ArgReduceOp>(step.op)), a[0]);
  }

  const Plan& plan_;
};

}  // namespace

std::string explain_plan(const std::string& name, const Plan& plan, std::size_t recorded_calls,
                         double seconds) {
  const Text words(plan);
  std::string text = fmt::format("{}: {} calls recorded, {} kernels to run, traced in {:.2f} ms\n", name,
                                 recorded_calls, plan.steps.size(), 1e3 * seconds);
  if (plan.grouped_in_part) text += "  too large to be grouped as a whole: compile it in pieces\n";
  for (std::size_t i = 0; i < plan.values.size(); ++i) {
    const Value& value = plan.values[i];
    if (value.source != Value::Source::constant || !value.constant.valid()) continue;
    text += fmt::format("  {}: {}, {} bytes\n", words.label(static_cast<int>(i)), describe(value.constant),
                        value.bytes());
  }
  for (const Step& step : plan.steps) text += words.step(step);
  text += "  gives";
  for (const Access& out : plan.outputs) text += " " + words.access(out);
  text += "\n";
  for (const auto& [device, bytes] : plan.peaks) {
    text += fmt::format("  planned peak on {}: {} bytes, and what kernels take for themselves\n",
                        device->name, bytes);
  }
  return text;
}

}  // namespace tessera::trace
