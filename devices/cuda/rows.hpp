#pragma once

// Reductions along the middle axis of [outer, axis, inner]: which threads work on which part, in an order
// that follows from the shape alone.

#include <algorithm>
#include <cstdlib>

#include "devices/cuda/axes.hpp"
#include "devices/cuda/lanes.hpp"

namespace tessera::cuda {

/// A task is a piece of an axis; 1, 32 or kThreads neighbouring threads (`lanes`) share one. A long axis is
/// cut into pieces where there are few of them, and the pieces' results are reduced by a second launch.
/// out_strides are those of [outer, piece, inner].
struct Rows : Axes {
  std::int64_t tasks = 0;
  std::int64_t pieces = 1;  ///< of one axis
  std::int64_t piece = 0;   ///< elements of one
  int lanes = 1;
};

/// Where a task reads and writes.
struct Task {
  std::int64_t first;  ///< position on the axis
  std::int64_t count;
  std::int64_t in;  ///< offset of the first element
  std::int64_t out;
};

__device__ inline Task task_of(const Rows& rows, std::int64_t task) {
  if (rows.inner == 1 && rows.pieces == 1) {  // mostly so; divisions would take longer than short rows
    return {0, rows.length, task * rows.strides[0], task * rows.out_strides[0]};
  }
  const std::int64_t i = task % rows.inner;
  const std::int64_t piece = task / rows.inner % rows.pieces;
  const std::int64_t o = task / rows.inner / rows.pieces;
  const std::int64_t first = piece * rows.piece;
  const std::int64_t rest = rows.length - first;
  return {first, rest < rows.piece ? rest : rows.piece,
          o * rows.strides[0] + first * rows.strides[1] + i * rows.strides[2],
          o * rows.out_strides[0] + piece * rows.out_strides[1] + i * rows.out_strides[2]};
}

// An axis this short is one thread's work.
inline constexpr std::int64_t kThreadAxis = 16;
// An axis longer than this is a block's work, not a warp's.
inline constexpr std::int64_t kWarpAxis = 2048;
// Tasks that keep a device busy, and the shortest piece worth a task of its own.
inline constexpr std::int64_t kThreadTasks = 65536;
inline constexpr std::int64_t kThreadPiece = 256;
inline constexpr std::int64_t kBlockTasks = 2048;
inline constexpr std::int64_t kBlockPiece = 4096;

/// `may_cut`: whether there is a second launch for pieces.
inline Rows plan_rows(const Shape& shape, const Strides& strides, bool may_cut) {
  Rows rows;
  rows.count = shape[0] * shape[2];
  rows.length = shape[1];
  rows.inner = shape[2];
  for (int i = 0; i < 3; ++i) rows.strides[i] = strides[i];
  const bool side_by_side = rows.inner > 1 && std::abs(strides[2]) <= std::abs(strides[1]);
  if (rows.length <= kThreadAxis || (side_by_side && (may_cut || rows.count >= kThreadTasks))) {
    rows.lanes = 1;
  } else {
    rows.lanes = rows.length <= kWarpAxis ? kWarpSize : kThreads;
  }
  if (may_cut && rows.lanes != kWarpSize && rows.count > 0) {
    const bool thread = rows.lanes == 1;
    const std::int64_t most = std::max<std::int64_t>(1, (thread ? kThreadTasks : kBlockTasks) / rows.count);
    const std::int64_t shortest = thread ? kThreadPiece : kBlockPiece;
    rows.pieces = std::clamp<std::int64_t>((rows.length + shortest - 1) / shortest, 1, most);
  }
  rows.piece = rows.pieces == 1 ? rows.length : (rows.length + rows.pieces - 1) / rows.pieces;
  if (rows.pieces > 1) rows.pieces = (rows.length + rows.piece - 1) / rows.piece;  // none is empty
  rows.tasks = rows.count * rows.pieces;
  return rows;
}

/// Results go to [outer, inner] with the given strides.
inline void set_output(Rows& rows, const Strides& strides) {
  rows.out_strides[0] = strides[0];
  rows.out_strides[1] = 0;
  rows.out_strides[2] = strides[1];
}

/// Results of pieces go to [outer, pieces, inner], without gaps.
inline void set_partial_output(Rows& rows) {
  rows.out_strides[0] = rows.pieces * rows.inner;
  rows.out_strides[1] = rows.inner;
  rows.out_strides[2] = 1;
}

/// Work that the launch has: tasks times lanes threads.
inline std::int64_t threads_of(const Rows& rows) {
  return rows.tasks * rows.lanes;
}

// ---- in kernels

/// Calls body(task number, lane) for each task of the calling thread. Threads of one task come together.
template <class Body>
__device__ void for_each_task(const Rows& rows, const Body& body) {
  const auto lanes = static_cast<unsigned>(rows.lanes);
  const unsigned groups = blockDim.x / lanes;
  const int lane = static_cast<int>(threadIdx.x % lanes);
  for (std::int64_t task = static_cast<std::int64_t>(blockIdx.x) * groups + threadIdx.x / lanes;
       task < rows.tasks; task += static_cast<std::int64_t>(gridDim.x) * groups) {
    body(task, lane);
  }
}

}  // namespace tessera::cuda
