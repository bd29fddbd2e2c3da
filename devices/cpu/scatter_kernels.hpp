#pragma once

#include <cstdint>

#include <tessera/device.hpp>

// The inner loops of scatter, for each instruction set. `order` and `rows` are how scatter.cpp has sorted the
// updates.

namespace tessera::cpu {

/// A run of neighbouring columns of one row of the target, and the rows of updates that go to it.
struct ScatterRun {
  const void* updates;  ///< row 0, at the run's first column
  std::int64_t update_row_stride;
  std::int64_t update_stride;
  void* target;  ///< the row, at the run's first column
  std::int64_t target_stride;
  const std::int64_t* order;  ///< the updates' row numbers, ascending
  std::int64_t count;         ///< of them, at least 1
  std::int64_t width;         ///< at most kScatterRun columns
};
inline constexpr std::int64_t kScatterRun = 2048;

using ScatterRunKernel = void (*)(const ScatterRun& run);
/// The loop for a dtype of updates and one of the target.
ScatterRunKernel scatter_run_kernel(ScatterOp op, DType update, DType target);

/// Rows of updates in their own order, added up in sums of [axis, inner], a dtype wide enough: float64 for
/// floats, the updates' own for integers.
struct ScatterSums {
  const void* updates;
  std::int64_t update_row_stride;
  std::int64_t update_stride;
  const std::int64_t* indices;
  std::int64_t index_stride;
  std::int64_t count;
  std::int64_t axis;
  std::int64_t inner;
  void* sums;
};
using ScatterSumsKernel = void (*)(const ScatterSums& task);
ScatterSumsKernel scatter_sums_kernel(DType update);

}  // namespace tessera::cpu
