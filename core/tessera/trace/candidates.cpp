#include <tessera/trace/groups.hpp>

namespace tessera::trace {
namespace {

Candidate of_elementwise(const Graph& graph, const Node& node) {
  Candidate candidate;
  const Access& out = node.outputs[0];
  candidate.size = graph.value(out.value).elements;
  for (const Access& in : node.inputs) {
    const auto flat = in.value < 0 ? Flat{} : flatten(in.layout, out.layout.shape);
    if (!flat) return {};
    candidate.reads.push_back(*flat);
  }
  candidate.usable = true;
  return candidate;
}

Candidate of_reduction(const Graph& graph, const Node& node) {
  Candidate candidate;
  const Layout& layout = node.inputs[0].layout;
  if (layout.shape[2] != 1 || layout.size() == 0 ||
      !is_whole(node.outputs[0].layout, graph.value(node.outputs[0].value).elements)) {
    return {};
  }
  const Layout matrix = remove_axis(layout, 2);
  const auto flat = flatten(matrix, matrix.shape);
  if (!flat) return {};
  candidate.reads.push_back(*flat);
  candidate.reduction = true;
  candidate.rows = layout.shape[0];
  candidate.columns = layout.shape[1];
  candidate.size = candidate.rows * candidate.columns;
  candidate.usable = true;
  return candidate;
}

}  // namespace

std::vector<Candidate> find_candidates(const Graph& graph) {
  std::vector<Candidate> candidates;
  candidates.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    Candidate candidate;
    if (node.base >= 0) {
      // A part of a buffer: no value of a program.
    } else if (is_elementwise(node.kernel)) {
      candidate = of_elementwise(graph, node);
    } else if (node.kernel == Kernel::reduce || node.kernel == Kernel::arg_reduce) {
      candidate = of_reduction(graph, node);
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace tessera::trace
