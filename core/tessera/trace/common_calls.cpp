#include <bit>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include <tessera/trace/passes.hpp>

namespace tessera::trace {
namespace {

/// Everything that a call's result depends on, as bytes.
class Fingerprint {
 public:
  explicit Fingerprint(const Graph& graph) : graph_(graph) {}

  std::string of(const Node& node) {
    bytes_.clear();
    add(static_cast<std::int64_t>(node.kernel));
    add(node.op);
    add((node.flags[0] ? 1 : 0) + (node.flags[1] ? 2 : 0));
    add(static_cast<std::int64_t>(node.precision));
    add(static_cast<std::int64_t>(node.key));
    add(static_cast<std::int64_t>(node.counter));
    add(node.base);
    for (const Scalar& scalar : node.scalars) {
      add(static_cast<std::int64_t>(scalar.type()));
      add(scalar.is_floating() ? std::bit_cast<std::int64_t>(scalar.to<double>())
                               : static_cast<std::int64_t>(scalar.to<std::uint64_t>()));
    }
    for (const Access& in : node.inputs) add(in);
    const Access& out = node.outputs[0];
    const Value& value = graph_.value(out.value);
    add({static_cast<int>(value.dtype), out.layout});
    add(value.elements);
    add(std::bit_cast<std::int64_t>(value.device));
    // An index out of bounds is reported with the operation's name.
    if (node.kernel == Kernel::take || node.kernel == Kernel::take_along || node.kernel == Kernel::scatter) {
      bytes_.append(node.operation);
    }
    return bytes_;
  }

 private:
  void add(std::int64_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(const Access& access) {
    add(access.value);
    if (access.value < 0) return;
    add(access.layout.rank());
    for (const std::int64_t extent : access.layout.shape) add(extent);
    for (const std::int64_t stride : access.layout.strides) add(stride);
    add(access.layout.offset);
  }

  const Graph& graph_;
  std::string bytes_;
};

}  // namespace

void merge_common_calls(Graph& graph) {
  // The value that stands for each.
  std::vector<int> same(graph.values.size());
  for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<int>(i);
  const auto turn = [&](int& value) {
    if (value >= 0) value = same[static_cast<std::size_t>(value)];
  };
  std::unordered_map<std::string, int> first;
  Fingerprint fingerprint(graph);
  for (Node& node : graph.nodes) {
    for (Access& in : node.inputs) turn(in.value);
    turn(node.base);
    const int out = node.outputs[0].value;
    same[static_cast<std::size_t>(out)] = first.try_emplace(fingerprint.of(node), out).first->second;
  }
  for (Access& out : graph.outputs) turn(out.value);
}

}  // namespace tessera::trace
