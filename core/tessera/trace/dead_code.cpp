#include <algorithm>
#include <vector>

#include <tessera/trace/passes.hpp>

namespace tessera::trace {

void remove_dead_code(Graph& graph) {
  std::vector<bool> needed(graph.values.size(), false);
  const auto need = [&](int value) {
    if (value >= 0) needed[static_cast<std::size_t>(value)] = true;
  };
  const auto is_needed = [&](const Access& out) { return bool{needed[static_cast<std::size_t>(out.value)]}; };
  for (const Access& out : graph.outputs) need(out.value);
  std::vector<Node> kept;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    Node& node = graph.nodes[i];
    if (std::none_of(node.outputs.begin(), node.outputs.end(), is_needed)) continue;
    for (const Access& in : node.inputs) need(in.value);
    need(node.base);
    kept.push_back(std::move(node));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    if (!needed[i]) graph.values[i].constant = Array();
  }
}

}  // namespace tessera::trace
