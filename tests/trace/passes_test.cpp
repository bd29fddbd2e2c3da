// Passes over graphs that no public function records.

#include <gtest/gtest.h>

#include <algorithm>

#include <tessera/device_state.hpp>
#include <tessera/tessera.hpp>
#include <tessera/trace/passes.hpp>

namespace tessera::trace {
namespace {

/// argmin(bias - 2 * x @ y) over 4 rows of 5 columns, and the lowest scores, written into a row of 2 x 4.
class ScoresGraph {
 public:
  ScoresGraph() {
    const int x = add(Value::Source::argument, 12);
    const int y = add(Value::Source::argument, 15);
    const int bias = add(Value::Source::argument, 5);
    const int target = add(Value::Source::computed, 8);
    const int product = add(Value::Source::computed, 20);
    const int scaled = add(Value::Source::computed, 20);
    const int scores = add(Value::Source::computed, 20);
    const int winners = add(Value::Source::computed, 4, DType::int64);
    const int lowest = add(Value::Source::computed, 8);
    const Layout matrix = row_major({4, 5});
    const Layout rows = row_major({4, 5, 1});
    node(Kernel::fill, {}, {target, row_major({8})});
    node(Kernel::matmul, {{x, row_major({1, 4, 3})}, {y, row_major({1, 3, 5})}},
         {product, row_major({1, 4, 5})});
    node(Kernel::binary, {{}, {product, matrix}}, {scaled, matrix}, BinaryOp::multiply).scalars[0] = -2.0;
    node(Kernel::binary, {{bias, {{4, 5}, {0, 1}, 0}}, {scaled, matrix}}, {scores, matrix}, BinaryOp::add);
    node(Kernel::arg_reduce, {{scores, rows}}, {winners, row_major({4, 1})}, ArgReduceOp::argmin);
    node(Kernel::reduce, {{scores, rows}}, {lowest, {{4, 1}, {1, 1}, 4}}, ReduceOp::min).base = target;
    graph.outputs = {{winners, row_major({4})}, {lowest, row_major({2, 4})}};
  }

  Graph graph;

 private:
  int add(Value::Source source, std::int64_t elements, DType dtype = DType::float32) {
    Value value;
    value.source = source;
    value.dtype = dtype;
    value.elements = elements;
    value.device = &device("reference").state();
    return graph.add(value);
  }
  template <class Op = BinaryOp>
  Node& node(Kernel kernel, const std::vector<Access>& inputs, const Access& output, Op op = {}) {
    Node& node = graph.nodes.emplace_back();
    node.kernel = kernel;
    node.operation = "test";
    node.op = static_cast<std::uint8_t>(op);
    node.inputs = inputs;
    node.outputs = {output};
    return node;
  }
};

bool runs(const Graph& graph, Kernel kernel) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const Node& node) { return node.kernel == kernel; });
}

TEST(Passes, AScoreThatIsAPartOfAnArrayIsNotTheWinners) {
  ScoresGraph part;
  use_matmul_argmin(part.graph);
  EXPECT_TRUE(runs(part.graph, Kernel::reduce));
  EXPECT_FALSE(runs(part.graph, Kernel::matmul_argmin));

  ScoresGraph whole;
  Graph& graph = whole.graph;
  graph.nodes.back().base = -1;
  use_matmul_argmin(graph);
  EXPECT_FALSE(runs(graph, Kernel::reduce));
  EXPECT_TRUE(runs(graph, Kernel::matmul_argmin));
}

}  // namespace
}  // namespace tessera::trace
