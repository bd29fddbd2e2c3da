#pragma once

// Internal to core. What a traced function does, as a list of kernel calls on values.

#include <cstdint>
#include <memory>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/funnel.hpp>
#include <tessera/layout.hpp>

namespace tessera {
struct DeviceState;
struct Program;
}  // namespace tessera

namespace tessera::trace {

/// One version of one buffer. A value never changes: a call that writes into a part of a buffer makes a new
/// value from the one before.
struct Value {
  enum class Source : std::uint8_t {
    argument,
    constant,  ///< an array that the function captured, or that was computed while compiling
    empty,     ///< a fresh buffer, not yet written
    computed,
  };
  Source source = Source::computed;
  DType dtype{};
  std::int64_t elements = 0;
  DeviceState* device = nullptr;
  int argument = -1;
  Array constant;

  std::int64_t bytes() const { return elements * static_cast<std::int64_t>(itemsize(dtype)); }
};

/// A value as a call sees it. For arguments the offset counts from the argument's own.
struct Access {
  int value = -1;  ///< -1: a number, which the node's `scalars` hold
  Layout layout;
};

/// One kernel call.
struct Node {
  Kernel kernel{};
  const char* operation = "";
  std::uint8_t op = 0;
  bool flags[2] = {false, false};
  Precision precision = Precision::ieee;
  std::uint64_t key = 0;
  std::uint64_t counter = 0;
  Scalar scalars[3];
  std::vector<Access> inputs;
  std::vector<Access> outputs;  ///< one but for fused kernels
  int base = -1;                ///< the value of which this one is a new version; -1: written whole
  std::shared_ptr<const Program> program;
};

struct Graph {
  std::vector<Value> values;
  std::vector<Node> nodes;  ///< in an order in which they can run
  std::vector<Access> outputs;
  int argument_count = 0;
  bool grouped_in_part = false;  ///< too large for grouping to look through all of it

  int add(const Value& value) {
    values.push_back(value);
    return static_cast<int>(values.size()) - 1;
  }
  Value& value(int id) { return values[static_cast<std::size_t>(id)]; }
  const Value& value(int id) const { return values[static_cast<std::size_t>(id)]; }
};

/// Whether a layout is all of a buffer of so many elements, in row-major order.
bool is_whole(const Layout& layout, std::int64_t elements);

bool is_elementwise(Kernel kernel);

/// The node that makes each value; -1 where none does.
std::vector<int> producers(const Graph& graph);

/// How often each value is read: by nodes (as input or base) and as an output.
std::vector<int> use_counts(const Graph& graph);

}  // namespace tessera::trace
