#pragma once

// Internal to core. When each value of a graph has memory, known before anything runs.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/trace/graph.hpp>

namespace tessera::trace {

struct Step {
  Node node;
  std::vector<int> allocate;  ///< values that get a fresh buffer before the call
  std::vector<int> taken;     ///< of each output: the value whose buffer it takes over, or -1
  bool copy_base = false;     ///< the base lives on: it is copied before the call writes into the copy
  std::vector<int> release;   ///< values whose buffer goes after the call
};

struct Plan {
  std::vector<Value> values;
  std::vector<Step> steps;
  std::vector<Access> outputs;
  bool grouped_in_part = false;  ///< of the graph
  /// The most bytes that the plan's buffers take at a time, by device. What kernels take for themselves
  /// comes on top.
  std::vector<std::pair<DeviceState*, std::int64_t>> peaks;
};

Plan make_plan(Graph graph);

/// Runs the calls, through the funnel.
std::vector<Array> run(const Plan& plan, std::span<const Array> arguments);

}  // namespace tessera::trace
