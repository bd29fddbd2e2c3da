#include <tessera/trace/graph.hpp>

namespace tessera::trace {

bool is_whole(const Layout& layout, std::int64_t elements) {
  return layout.offset == 0 && layout.size() == elements && is_contiguous(layout);
}

bool is_elementwise(Kernel kernel) {
  return kernel == Kernel::copy || kernel == Kernel::unary || kernel == Kernel::binary ||
         kernel == Kernel::where;
}

std::vector<int> producers(const Graph& graph) {
  std::vector<int> made_by(graph.values.size(), -1);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const Access& out : graph.nodes[i].outputs) {
      made_by[static_cast<std::size_t>(out.value)] = static_cast<int>(i);
    }
  }
  return made_by;
}

std::vector<int> use_counts(const Graph& graph) {
  std::vector<int> uses(graph.values.size(), 0);
  const auto count = [&](int value) {
    if (value >= 0) ++uses[static_cast<std::size_t>(value)];
  };
  for (const Node& node : graph.nodes) {
    for (const Access& in : node.inputs) count(in.value);
    count(node.base);
  }
  for (const Access& out : graph.outputs) count(out.value);
  return uses;
}

}  // namespace tessera::trace
