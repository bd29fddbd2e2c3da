#include <utility>

#include <tessera/buffer.hpp>
#include <tessera/device_state.hpp>
#include <tessera/trace/plan.hpp>

namespace tessera::trace {
namespace {

class Replay {
 public:
  Replay(const Plan& plan, std::span<const Array> arguments) : plan_(plan), slots_(plan.values.size()) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const Value& value = plan.values[i];
      if (value.source == Value::Source::argument) {
        // Constants are computed without any.
        if (!arguments.empty()) slots_[i] = arguments[static_cast<std::size_t>(value.argument)];
      } else if (value.source == Value::Source::constant) {
        slots_[i] = value.constant;
      }
    }
  }

  void run(const Step& step) {
    const Node& node = step.node;
    for (const int value : step.allocate) allocate(node.operation, value);
    for (std::size_t o = 0; o < step.taken.size(); ++o) {
      if (step.taken[o] >= 0) slot(node.outputs[o].value) = slot(step.taken[o]);
    }
    if (step.copy_base) kernels::copy(node.operation, slot(node.base), slot(node.outputs[0].value));
    node.program != nullptr || node.kernel == Kernel::matmul_argmin ? run_fused(node) : run_plain(node);
    for (const int value : step.taken) {
      if (value >= 0) slot(value) = Array();
    }
    for (const int value : step.release) slot(value) = Array();
  }

  std::vector<Array> outputs() {
    std::vector<Array> results;
    results.reserve(plan_.outputs.size());
    for (const Access& out : plan_.outputs) {
      if (!slot(out.value).valid()) allocate("empty", out.value);
      results.push_back(array(out));
    }
    return results;
  }

 private:
  Array& slot(int value) { return slots_[static_cast<std::size_t>(value)]; }

  void allocate(const char* operation, int value) {
    const Value& info = plan_.values[static_cast<std::size_t>(value)];
    slot(value) = make_array(operation, {info.elements}, info.dtype, Device(*info.device));
  }

  Array array(const Access& access) {
    const Array& x = slot(access.value);
    Layout layout = access.layout;
    if (plan_.values[static_cast<std::size_t>(access.value)].source == Value::Source::argument) {
      layout.offset += x.layout().offset;
    }
    return view_of(x, layout);
  }

  static Call call_of(const Node& node) {
    Call call;
    call.kernel = node.kernel;
    call.operation = node.operation;
    call.op = node.op;
    call.flags[0] = node.flags[0];
    call.flags[1] = node.flags[1];
    call.precision = node.precision;
    call.key = node.key;
    call.counter = node.counter;
    std::copy(std::begin(node.scalars), std::end(node.scalars), std::begin(call.scalars));
    return call;
  }

  void run_plain(const Node& node) {
    Call call = call_of(node);
    Array inputs[3];
    for (const Access& in : node.inputs) {
      Array& x = inputs[call.input_count];
      if (in.value >= 0) x = array(in);
      call.inputs[call.input_count++] = in.value >= 0 ? &x : nullptr;
    }
    const Array out = array(node.outputs[0]);
    call.output = &out;
    submit(call);
  }

  void run_fused(const Node& node) {
    Call call = call_of(node);
    std::vector<Array> inputs;
    std::vector<Array> outputs;
    inputs.reserve(node.inputs.size());
    outputs.reserve(node.outputs.size());
    for (const Access& in : node.inputs) inputs.push_back(array(in));
    for (const Access& out : node.outputs) outputs.push_back(array(out));
    call.program = node.program.get();
    call.fused_inputs = inputs;
    call.fused_outputs = outputs;
    call.output = outputs.data();
    submit(call);
  }

  const Plan& plan_;
  std::vector<Array> slots_;
};

}  // namespace

std::vector<Array> run(const Plan& plan, std::span<const Array> arguments) {
  Replay replay(plan, arguments);
  for (const Step& step : plan.steps) replay.run(step);
  return replay.outputs();
}

}  // namespace tessera::trace
