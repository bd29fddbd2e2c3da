#include <algorithm>
#include <vector>

#include <tessera/trace/passes.hpp>

namespace tessera::trace {
namespace {

/// Whether a value is written on, or is a result: a copy of its own then.
bool must_stay(const Graph& graph, int value) {
  const auto is_it = [&](const Access& out) { return out.value == value; };
  return std::any_of(graph.outputs.begin(), graph.outputs.end(), is_it) ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const Node& node) { return node.base == value; });
}

}  // namespace

void remove_copies(Graph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.kernel != Kernel::copy || node.base >= 0) continue;
    const Access in = node.inputs[0];
    const int out = node.outputs[0].value;
    const Value& value = graph.value(out);
    const bool moves_nothing = graph.value(in.value).dtype == value.dtype && is_contiguous(in.layout) &&
                               in.layout.size() == value.elements;
    if (moves_nothing && !must_stay(graph, out)) replace_value(graph, out, in.value, in.layout.offset);
  }
}

}  // namespace tessera::trace
