#include <tessera/trace/plan.hpp>

#include <algorithm>
#include <limits>

#include <tessera/program.hpp>

namespace tessera::trace {
namespace {

constexpr int kForever = std::numeric_limits<int>::max();
/// Steps of programs that are looked through for inputs to write over, in all.
constexpr std::int64_t kMostWork = 5'000'000;

/// The last node that needs each value; kForever for results, -1 where none does.
std::vector<int> last_uses(const Graph& graph) {
  std::vector<int> last(graph.values.size(), -1);
  const auto use = [&](int value, int at) {
    if (value >= 0) last[static_cast<std::size_t>(value)] = at;
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const Access& in : graph.nodes[i].inputs) use(in.value, static_cast<int>(i));
    use(graph.nodes[i].base, static_cast<int>(i));
  }
  for (const Access& out : graph.outputs) use(out.value, kForever);
  return last;
}

class Planner {
 public:
  explicit Planner(Graph& graph)
      : graph_(graph), last_(last_uses(graph)), has_buffer_(graph.values.size(), false) {}

  std::vector<Step> run() {
    std::vector<Step> steps;
    steps.reserve(graph_.nodes.size());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      steps.push_back(step(static_cast<int>(i)));
    }
    // An array that was made, but never written, and is a result.
    for (const Access& out : graph_.outputs) {
      if (graph_.value(out.value).source == Value::Source::empty) allocate(out.value);
    }
    return steps;
  }

  const std::vector<std::pair<DeviceState*, std::int64_t>>& peaks() const { return peaks_; }

 private:
  int last(int value) const { return last_[static_cast<std::size_t>(value)]; }
  /// Whether the plan made the value's buffer, and may let it go.
  bool owned(int value) const { return has_buffer_[static_cast<std::size_t>(value)]; }
  bool dies(int value, int at) const { return owned(value) && last(value) == at; }

  bool allocate(int value) {
    if (owned(value)) return false;
    has_buffer_[static_cast<std::size_t>(value)] = true;
    const Value& info = graph_.value(value);
    count(info.device, info.bytes());
    return true;
  }

  void count(DeviceState* device, std::int64_t bytes) {
    auto found = std::find_if(peaks_.begin(), peaks_.end(), [&](const auto& p) { return p.first == device; });
    if (found == peaks_.end()) {
      peaks_.emplace_back(device, 0);
      in_use_.push_back(0);
      found = peaks_.end() - 1;
    }
    std::int64_t& in_use = in_use_[static_cast<std::size_t>(found - peaks_.begin())];
    in_use += bytes;
    found->second = std::max(found->second, in_use);
  }

  /// The input that an element-wise result can be written over: it dies here and is read just so.
  int overwritable(const Node& node, int at) const {
    if (!is_elementwise(node.kernel) || node.kernel == Kernel::copy) return -1;
    const Value& out = graph_.value(node.outputs[0].value);
    for (const Access& in : node.inputs) {
      if (in.value < 0 || !dies(in.value, at)) continue;
      const Value& value = graph_.value(in.value);
      if (value.dtype != out.dtype || value.elements != out.elements) continue;
      const bool whole_only = std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Access& other) {
        return other.value != in.value || is_whole(other.layout, value.elements);
      });
      if (whole_only) return in.value;
    }
    return -1;
  }

  /// Whether the input is as much memory as the output, read element by element where the output is written.
  bool lies_alike(const Node& node, int value, const Access& out) const {
    const Value& input = graph_.value(value);
    const Value& output = graph_.value(out.value);
    return input.dtype == output.dtype && input.elements == output.elements &&
           is_whole(out.layout, output.elements) &&
           std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Access& in) {
             return in.value != value || (in.layout.offset == 0 && in.layout.shape == out.layout.shape &&
                                          in.layout.strides == out.layout.strides);
           });
  }

  /// The inputs of a program that its outputs can be written over: those that end here, each by one. The last
  /// outputs come first, since less follows them.
  void overwrite_inputs(const Node& node, int at, std::vector<int>& taken) {
    for (std::size_t o = taken.size(); o-- > 0;) {
      for (std::size_t i = 0; i < node.inputs.size() && taken[o] < 0; ++i) {
        const int value = node.inputs[i].value;
        if (!dies(value, at) || std::find(taken.begin(), taken.end(), value) != taken.end() ||
            !lies_alike(node, value, node.outputs[o])) {
          continue;
        }
        work_ += static_cast<std::int64_t>(node.program->steps.size());
        if (work_ > kMostWork) return;
        if (may_write_over(*node.program, i, o)) taken[o] = value;
      }
    }
  }

  static bool reads(const Node& node, int value) {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](const Access& in) { return in.value == value; });
  }

  Step step(int at) {
    Step result;
    result.node = std::move(graph_.nodes[static_cast<std::size_t>(at)]);
    const Node& node = result.node;
    for (const Access& in : node.inputs) {
      if (in.value >= 0 && graph_.value(in.value).source == Value::Source::empty && allocate(in.value)) {
        result.allocate.push_back(in.value);
      }
    }
    const bool written_before = node.base >= 0 && graph_.value(node.base).source != Value::Source::empty;
    result.taken.assign(node.outputs.size(), -1);
    if (written_before && dies(node.base, at) && !reads(node, node.base)) {
      result.taken[0] = node.base;
    } else if (written_before) {
      result.copy_base = true;
    } else if (node.kernel == Kernel::program) {
      overwrite_inputs(node, at, result.taken);
    } else {
      result.taken[0] = overwritable(node, at);
    }
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      const int out = node.outputs[o].value;
      if (result.taken[o] >= 0) {
        has_buffer_[static_cast<std::size_t>(out)] = true;
        has_buffer_[static_cast<std::size_t>(result.taken[o])] = false;
      } else {
        allocate(out);
        result.allocate.push_back(out);
      }
    }
    release(result, at);
    return result;
  }

  void release(Step& step, int at) {
    const auto let_go = [&](int value) {
      if (value < 0 || !owned(value)) return;
      has_buffer_[static_cast<std::size_t>(value)] = false;
      const Value& info = graph_.value(value);
      count(info.device, -info.bytes());
      step.release.push_back(value);
    };
    for (const Access& in : step.node.inputs) {
      if (in.value >= 0 && last(in.value) == at) let_go(in.value);
    }
    if (step.node.base >= 0 && last(step.node.base) == at) let_go(step.node.base);
    for (const Access& out : step.node.outputs) {
      if (last(out.value) < 0) let_go(out.value);
    }
  }

  Graph& graph_;
  std::vector<int> last_;
  std::vector<bool> has_buffer_;
  std::vector<std::pair<DeviceState*, std::int64_t>> peaks_;
  std::vector<std::int64_t> in_use_;
  std::int64_t work_ = 0;
};

}  // namespace

Plan make_plan(Graph graph) {
  Planner planner(graph);
  Plan plan;
  plan.steps = planner.run();
  plan.peaks = planner.peaks();
  plan.values = std::move(graph.values);
  plan.outputs = std::move(graph.outputs);
  plan.grouped_in_part = graph.grouped_in_part;
  return plan;
}

}  // namespace tessera::trace
