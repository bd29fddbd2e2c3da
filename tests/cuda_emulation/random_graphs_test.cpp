// Hundreds of functions drawn at random: compiled to kernels of their own they give the bits of plain
// kernels. All of their sources are compiled together, as the host's compiler takes half a second for each
// translation unit.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <tessera/tessera.hpp>

#include "controls.hpp"
#include "program/draw.hpp"
#include "support/arrays.hpp"
#include "trace/random_graph.hpp"

namespace tessera::test {
namespace {

using Arrays = std::vector<Array>;

struct Case {
  std::string name;
  std::vector<Instruction> graph;
  Arrays arguments;
  std::function<Arrays(const Arrays&)> compiled;
  std::function<std::string()> explain;
};

Case draw(std::uint64_t seed, std::int64_t rows, std::int64_t columns, const Device& device) {
  Numbers numbers(seed);
  const auto number = [&] { return static_cast<std::uint32_t>(numbers.next() % 65536); };
  std::vector<Instruction> graph(static_cast<std::size_t>(numbers.between(5, 40)));
  std::ostringstream name;
  name << "seed " << seed << ", " << rows << " x " << columns << ":";
  for (Instruction& instruction : graph) {
    instruction = {number(), number(), number(), number()};
    name << " " << instruction;
  }
  const auto function = [graph](const Arrays& x) { return run_graph(x, graph); };
  const auto compiled = std::make_shared<decltype(compile(function))>(compile(function));
  return {name.str(), graph, graph_arguments(seed, rows, columns, device),
          [compiled](const Arrays& x) { return (*compiled)(x); }, [compiled] { return compiled->explain(); }};
}

TEST(CudaRandomGraphs, CompiledGivesTheBitsOfThePlainFunctions) {
  struct Domain {
    std::int64_t rows, columns;
    int count;
  };
  const Device device = tessera::device("cuda-emulated");
  const CudaControls controls(CUDA_EMULATED_MODULE);
  std::vector<Case> cases;
  std::uint64_t seed = 1;
  for (const Domain& domain : {Domain{7, 5, 200}, {33, 1, 60}, {1, 40, 60}, {70, 37, 30}}) {
    for (int i = 0; i < domain.count; ++i) {
      cases.push_back(draw(seed++, domain.rows, domain.columns, device));
    }
  }
  const long before = controls.compilations();
  controls.compile_from(1);
  controls.collect_programs(true);
  for (const Case& x : cases) x.compiled(x.arguments);
  controls.collect_programs(false);
  EXPECT_GE(controls.compilations() - before, 300) << "they were compiled";
  for (const Case& x : cases) {
    const Arrays actual = x.compiled(x.arguments);
    const Arrays expected = run_graph(x.arguments, x.graph);
    ASSERT_EQ(actual.size(), expected.size()) << x.name;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      ASSERT_TRUE(same_but_for_nan(actual[i], expected[i])) << "result " << i << " of " << x.name << "\n"
                                                            << x.explain();
    }
  }
  controls.compile_from(std::numeric_limits<long>::max());
}

}  // namespace
}  // namespace tessera::test
