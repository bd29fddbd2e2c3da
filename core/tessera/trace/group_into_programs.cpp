#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

#include <tessera/trace/groups.hpp>
#include <tessera/trace/passes.hpp>

namespace tessera::trace {
namespace {

/// The values that something outside of a group reads.
std::vector<bool> needed_outside(const Graph& graph, const std::vector<int>& unit_of,
                                 const std::vector<int>& made_by) {
  std::vector<bool> needed(graph.values.size(), false);
  for (const Access& out : graph.outputs) needed[static_cast<std::size_t>(out.value)] = true;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto read = [&](int value) {
      if (value < 0 || made_by[static_cast<std::size_t>(value)] < 0) return;
      const auto producer = static_cast<std::size_t>(made_by[static_cast<std::size_t>(value)]);
      if (unit_of[producer] != unit_of[i]) needed[static_cast<std::size_t>(value)] = true;
    };
    for (const Access& in : graph.nodes[i].inputs) read(in.value);
    read(graph.nodes[i].base);
  }
  return needed;
}

/// Nodes in an order in which they can run, those with a low rank first.
std::vector<Node> in_order(std::vector<Node> nodes, const std::vector<int>& ranks, std::size_t value_count) {
  std::vector<int> made_by(value_count, -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const Access& out : nodes[i].outputs)
      made_by[static_cast<std::size_t>(out.value)] = static_cast<int>(i);
  }
  std::vector<std::vector<std::size_t>> readers(nodes.size());
  std::vector<int> waits(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto wait = [&](int value) {
      const int producer = value < 0 ? -1 : made_by[static_cast<std::size_t>(value)];
      if (producer < 0) return;
      readers[static_cast<std::size_t>(producer)].push_back(i);
      ++waits[i];
    };
    for (const Access& in : nodes[i].inputs) wait(in.value);
    wait(nodes[i].base);
  }
  using Ranked = std::pair<int, std::size_t>;
  std::priority_queue<Ranked, std::vector<Ranked>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (waits[i] == 0) ready.emplace(ranks[i], i);
  }
  std::vector<Node> sorted;
  sorted.reserve(nodes.size());
  while (!ready.empty()) {
    const std::size_t i = ready.top().second;
    ready.pop();
    sorted.push_back(std::move(nodes[i]));
    for (const std::size_t reader : readers[i]) {
      if (--waits[reader] == 0) ready.emplace(ranks[reader], reader);
    }
  }
  return sorted;
}

}  // namespace

void group_into_programs(Graph& graph) {
  const std::vector<Candidate> candidates = find_candidates(graph);
  auto [groups, in_part] = find_groups(graph, candidates);
  graph.grouped_in_part = in_part;
  // A program of one call is that call.
  std::erase_if(groups, [](const Group& group) { return group.nodes.size() < 2; });
  if (groups.empty()) return;

  std::vector<int> unit_of(graph.nodes.size());
  for (std::size_t i = 0; i < unit_of.size(); ++i) unit_of[i] = static_cast<int>(i);
  for (const Group& group : groups) {
    for (const int node : group.nodes) unit_of[static_cast<std::size_t>(node)] = group.nodes.back();
  }
  const std::vector<int> made_by = producers(graph);
  const std::vector<bool> needed = needed_outside(graph, unit_of, made_by);
  std::vector<Node> nodes;
  std::vector<int> ranks;
  std::vector<bool> grouped(graph.nodes.size(), false);
  for (const Group& group : groups) {
    for (const int node : group.nodes) grouped[static_cast<std::size_t>(node)] = true;
    nodes.push_back(lower_group(graph, candidates, made_by, group, needed));
    ranks.push_back(group.nodes.back());
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (grouped[i]) continue;
    nodes.push_back(std::move(graph.nodes[i]));
    ranks.push_back(static_cast<int>(i));
  }
  graph.nodes = in_order(std::move(nodes), ranks, graph.values.size());
}

}  // namespace tessera::trace
