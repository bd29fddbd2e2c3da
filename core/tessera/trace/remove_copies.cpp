#include <vector>

#include <tessera/trace/passes.hpp>

namespace tessera::trace {
namespace {

/// Where the elements of a value are instead.
struct Place {
  int value = -1;
  std::int64_t offset = 0;
};

/// Values that are written on, or are results: a copy of its own then.
std::vector<bool> values_that_stay(const Graph& graph) {
  std::vector<bool> stay(graph.values.size(), false);
  for (const Node& node : graph.nodes) {
    if (node.base >= 0) stay[static_cast<std::size_t>(node.base)] = true;
  }
  for (const Access& out : graph.outputs) stay[static_cast<std::size_t>(out.value)] = true;
  return stay;
}

}  // namespace

void remove_copies(Graph& graph) {
  const std::vector<bool> stay = values_that_stay(graph);
  std::vector<Place> places(graph.values.size());
  for (Node& node : graph.nodes) {
    for (Access& in : node.inputs) {
      if (in.value < 0 || places[static_cast<std::size_t>(in.value)].value < 0) continue;
      const Place& place = places[static_cast<std::size_t>(in.value)];
      in.value = place.value;
      in.layout.offset += place.offset;
    }
    if (node.kernel != Kernel::copy || node.base >= 0) continue;
    const Access& in = node.inputs[0];
    const int out = node.outputs[0].value;
    const Value& value = graph.value(out);
    const bool moves_nothing = graph.value(in.value).dtype == value.dtype && is_contiguous(in.layout) &&
                               in.layout.size() == value.elements;
    if (moves_nothing && !stay[static_cast<std::size_t>(out)]) {
      places[static_cast<std::size_t>(out)] = {in.value, in.layout.offset};
    }
  }
}

}  // namespace tessera::trace
