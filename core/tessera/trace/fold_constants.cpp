#include <algorithm>
#include <vector>

#include <tessera/trace/passes.hpp>
#include <tessera/trace/plan.hpp>

namespace tessera::trace {
namespace {

constexpr std::int64_t kMostBytes = 1 << 20;
/// Of what is made of nothing: reading it costs nearly as much as making it.
constexpr std::int64_t kMostMadeBytes = 1 << 16;

/// Kernels that cannot fail for the values that they read.
bool may_run_early(Kernel kernel) {
  switch (kernel) {
    case Kernel::copy:
    case Kernel::unary:
    case Kernel::binary:
    case Kernel::where:
    case Kernel::iota:
    case Kernel::random_bits:
    case Kernel::reduce:
    case Kernel::arg_reduce:
    case Kernel::scan:
    case Kernel::sort:
    case Kernel::matmul:
    case Kernel::searchsorted: return true;
    default: return false;
  }
}

bool reads_constants_alone(const Graph& graph, const Node& node, const std::vector<bool>& constant) {
  if (node.base >= 0 || !may_run_early(node.kernel)) return false;
  const std::int64_t most = node.inputs.empty() ? kMostMadeBytes : kMostBytes;
  if (graph.value(node.outputs[0].value).bytes() > most) return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Access& in) {
    return in.value < 0 || constant[static_cast<std::size_t>(in.value)];
  });
}

void compute_constants(Graph& graph) {
  std::vector<bool> constant(graph.values.size(), false);
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    constant[i] = graph.values[i].source == Value::Source::constant;
  }
  Graph early;
  std::vector<Node> rest;
  for (Node& node : graph.nodes) {
    if (reads_constants_alone(graph, node, constant)) {
      constant[static_cast<std::size_t>(node.outputs[0].value)] = true;
      early.nodes.push_back(std::move(node));
    } else {
      rest.push_back(std::move(node));
    }
  }
  graph.nodes = std::move(rest);
  if (early.nodes.empty()) return;
  early.values = graph.values;
  const std::vector<int> uses = use_counts(graph);
  for (const Node& node : early.nodes) {
    const int value = node.outputs[0].value;
    if (uses[static_cast<std::size_t>(value)] == 0) continue;
    early.outputs.push_back({value, row_major({graph.value(value).elements})});
  }
  const std::vector<Access> wanted = early.outputs;
  const std::vector<Array> arrays = run(make_plan(std::move(early)), {});
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Value& value = graph.value(wanted[i].value);
    value.source = Value::Source::constant;
    value.constant = arrays[i];
  }
}

void turn_fills_into_numbers(Graph& graph) {
  const std::vector<int> made_by = producers(graph);
  const auto filled = [&](const Access& in) -> const Node* {
    if (in.value < 0 || made_by[static_cast<std::size_t>(in.value)] < 0) return nullptr;
    const Node& node = graph.nodes[static_cast<std::size_t>(made_by[static_cast<std::size_t>(in.value)])];
    return node.kernel == Kernel::fill && node.base < 0 ? &node : nullptr;
  };
  for (Node& node : graph.nodes) {
    const std::size_t first = node.kernel == Kernel::binary ? 0 : node.kernel == Kernel::where ? 1 : 3;
    for (std::size_t i = first; i < node.inputs.size(); ++i) {
      const Node* const fill = filled(node.inputs[i]);
      const Access& other = node.inputs[i + 1 < node.inputs.size() ? i + 1 : first];
      // A number takes the dtype of the arrays beside it, so there must be one (where: the result's).
      if (fill == nullptr || (node.kernel == Kernel::binary && other.value < 0)) continue;
      node.scalars[i] = fill->scalars[0];
      node.inputs[i] = {};
    }
  }
}

}  // namespace

void fold_constants(Graph& graph) {
  compute_constants(graph);
  turn_fills_into_numbers(graph);
}

}  // namespace tessera::trace
