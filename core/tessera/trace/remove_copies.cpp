#include <vector>

#include <tessera/trace/passes.hpp>

namespace tessera::trace {
namespace {

/// Where the elements of a value are instead.
struct Place {
  int value = -1;
  std::int64_t offset = 0;
};

/// Whether what is written on a copy may as well be written on what was copied: the plan copies it if it
/// lives on.
bool is_base_itself(const Graph& graph, const Access& in, const Value& copy) {
  const Value& value = graph.value(in.value);
  return value.source == Value::Source::computed && value.elements == copy.elements && in.layout.offset == 0;
}

}  // namespace

void remove_copies(Graph& graph) {
  std::vector<bool> is_base(graph.values.size(), false);
  std::vector<bool> is_result(graph.values.size(), false);
  for (const Node& node : graph.nodes) {
    if (node.base >= 0) is_base[static_cast<std::size_t>(node.base)] = true;
  }
  for (const Access& out : graph.outputs) is_result[static_cast<std::size_t>(out.value)] = true;
  std::vector<Place> places(graph.values.size());
  const auto place_of = [&](int value) -> const Place* {
    if (value < 0 || places[static_cast<std::size_t>(value)].value < 0) return nullptr;
    return &places[static_cast<std::size_t>(value)];
  };
  for (Node& node : graph.nodes) {
    for (Access& in : node.inputs) {
      const Place* const place = place_of(in.value);
      if (place == nullptr) continue;
      in.value = place->value;
      in.layout.offset += place->offset;
    }
    if (const Place* const place = place_of(node.base)) node.base = place->value;
    if (node.kernel != Kernel::copy || node.base >= 0) continue;
    const Access& in = node.inputs[0];
    const auto out = static_cast<std::size_t>(node.outputs[0].value);
    const Value& value = graph.values[out];
    const bool moves_nothing = graph.value(in.value).dtype == value.dtype && is_contiguous(in.layout) &&
                               in.layout.size() == value.elements;
    // A result is a copy of its own.
    if (!moves_nothing || is_result[out] || (is_base[out] && !is_base_itself(graph, in, value))) continue;
    places[out] = {in.value, in.layout.offset};
  }
}

}  // namespace tessera::trace
