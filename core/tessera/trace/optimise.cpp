#include <tessera/trace/passes.hpp>

namespace tessera::trace {

void optimise(Graph& graph) {
  remove_dead_code(graph);
  fold_constants(graph);
  merge_common_calls(graph);
  remove_copies(graph);
  remove_dead_code(graph);
  use_matmul_argmin(graph);
  remove_dead_code(graph);
  group_into_programs(graph);
  remove_dead_code(graph);
}

}  // namespace tessera::trace
