#pragma once

// Internal to core. Each pass is a function over a graph that leaves the values of its outputs as they are,
// to the bit.

#include <tessera/trace/graph.hpp>

namespace tessera::trace {

/// Calls whose results nothing needs go.
void remove_dead_code(Graph& graph);

/// Calls that do the same to the same values become one.
void merge_common_calls(Graph& graph);

/// What depends on constants alone is computed now, where it is small; a filled array that an element-wise
/// call reads becomes a number.
void fold_constants(Graph& graph);

/// Copies that move nothing (a row-major array of the same dtype) go.
void remove_copies(Graph& graph);

/// argmin and argmax of bias + alpha * product become matmul_argmin.
void use_matmul_argmin(Graph& graph);

/// Element-wise calls, the reductions of their values over the same rows, and the element-wise work on what
/// those give become programs.
void group_into_programs(Graph& graph);

/// All passes, in order.
void optimise(Graph& graph);

}  // namespace tessera::trace
