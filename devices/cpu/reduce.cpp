#include <algorithm>
#include <cstdlib>
#include <span>

#include "devices/cpu/cpu_device.hpp"
#include "devices/cpu/move.hpp"
#include "devices/cpu/reducers.hpp"
#include "devices/cpu/row_reduction.hpp"
#include "devices/cpu/threads.hpp"

namespace tessera::cpu {
namespace {

constexpr std::int64_t kTaskElements = kReduceBlock;
/// Rows shorter than this are reduced many at a time, as columns of a small transposed tile.
constexpr std::int64_t kShortAxis = kShortRow;
/// Elements of such a tile, and of a buffer that a strided row goes through.
constexpr std::int64_t kTile = 4096;
/// Columns that are reduced together: their accumulators stay in the first-level cache.
constexpr std::int64_t kColumnTile = 1024;
/// Fewer columns than this are put together, several rows to a longer one.
constexpr std::int64_t kNarrow = 32;
/// Into how many blocks a long axis is split at most, and from how many tiles on it is not.
constexpr std::int64_t kAxisBlocks = kFewLongRows;

/// A reduction as its kernels see it; strides in bytes.
struct Problem {
  const Reducer* reducer;
  const std::byte* x;
  std::size_t item;
  std::int64_t outer, axis, inner;
  std::int64_t outer_stride, axis_stride, inner_stride;
  std::byte* out;
  DType out_dtype;
  std::int64_t out_outer_stride, out_inner_stride;

  std::int64_t elements() const { return outer * axis * inner; }
  const std::byte* at(std::int64_t o, std::int64_t a, std::int64_t i) const {
    return x + o * outer_stride + a * axis_stride + i * inner_stride;
  }
  std::byte* out_at(std::int64_t o, std::int64_t i) const {
    return out + o * out_outer_stride + i * out_inner_stride;
  }
  /// Stores n results of outer position o, from inner position i on.
  void finish(const void* accumulators, std::int64_t o, std::int64_t i, std::int64_t n) const {
    const auto out_item = static_cast<std::int64_t>(itemsize(out_dtype));
    reducer->finish(accumulators, out_at(o, i), out_dtype, out_inner_stride / out_item, n);
  }
};

/// Moves a tile of x to a buffer without gaps: `rows` steps of `row_stride` bytes, `columns` of
/// `column_stride`.
void pack(const Problem& p, const std::byte* from, std::int64_t row_stride, std::int64_t column_stride,
          std::byte* buffer, std::int64_t rows, std::int64_t columns) {
  const auto item = static_cast<std::int64_t>(p.item);
  move_block(p.item, {const_cast<std::byte*>(from), row_stride, column_stride},  // only read
             {buffer, columns * item, item}, rows, columns);
}

// ---- along rows: the axis is the dimension whose elements lie closest

/// One accumulator takes the elements [begin, end) of a row.
void reduce_row(const Problem& p, const std::byte* row, std::int64_t begin, std::int64_t end,
                void* accumulator) {
  if (p.axis_stride == static_cast<std::int64_t>(p.item)) {
    reduce_whole_row(*p.reducer, accumulator, row + begin * p.axis_stride, end - begin, p.item);
    return;
  }
  alignas(64) std::byte buffer[kTile * 8];
  RowReduction reduction(*p.reducer);
  for (std::int64_t at = begin; at < end; at += kTile) {
    const std::int64_t n = std::min(kTile, end - at);
    pack(p, row + at * p.axis_stride, 0, p.axis_stride, buffer, 1, n);
    reduction.take(buffer, n, p.item);
  }
  reduction.give(accumulator);
}

/// Few rows, each long enough for several tasks.
void reduce_long_rows(DeviceInterface& device, const Problem& p) {
  const Reducer& reducer = *p.reducer;
  const std::int64_t rows = p.outer * p.inner;
  const std::int64_t blocks = block_count(p.axis, kTaskElements);
  const Workspace workspace = device.workspace(static_cast<std::size_t>(rows * blocks) * reducer.size);
  auto* partials = workspace.as<std::byte>();
  const auto size = static_cast<std::int64_t>(reducer.size);
  parallel_for(rows * blocks, p.elements(), [&](std::int64_t task) {
    const std::int64_t row = task / blocks;
    const BlockRange range = block_range(task % blocks, kTaskElements, p.axis);
    std::byte* accumulator = partials + task * size;
    reducer.start(accumulator, 1);
    reduce_row(p, p.at(row / p.inner, 0, row % p.inner), range.begin, range.end, accumulator);
  });
  for (std::int64_t row = 0; row < rows; ++row) {
    std::byte* mine = partials + row * blocks * size;
    merge_blocks(reducer, mine, blocks, 1);
    p.finish(mine, row / p.inner, row % p.inner, 1);
  }
}

void reduce_rows(const Problem& p) {
  const std::int64_t rows = p.outer * p.inner;
  const std::int64_t rows_a_task = std::max<std::int64_t>(1, kTaskElements / p.axis);
  parallel_for(block_count(rows, rows_a_task), p.elements(), [&](std::int64_t task) {
    const BlockRange mine = block_range(task, rows_a_task, rows);
    for (std::int64_t row = mine.begin; row < mine.end; ++row) {
      alignas(8) std::byte accumulator[kAccumulatorSize];
      p.reducer->start(accumulator, 1);
      reduce_row(p, p.at(row / p.inner, 0, row % p.inner), 0, p.axis, accumulator);
      p.finish(accumulator, row / p.inner, row % p.inner, 1);
    }
  });
}

/// Rows of few elements: a tile of them is transposed, and its columns reduced. `p.outer` is 1 and the rows
/// lie along inner, or the other way round.
void reduce_short_rows(const Problem& p) {
  const bool along_inner = p.inner > 1;
  const std::int64_t rows = along_inner ? p.inner : p.outer;
  const std::int64_t repeats = along_inner ? p.outer : 1;
  const std::int64_t row_stride = along_inner ? p.inner_stride : p.outer_stride;
  const auto out_item = static_cast<std::int64_t>(itemsize(p.out_dtype));
  const std::int64_t out_stride = (along_inner ? p.out_inner_stride : p.out_outer_stride) / out_item;
  const auto item = static_cast<std::int64_t>(p.item);
  const bool side_by_side = p.axis_stride == item && row_stride == p.axis * item;
  const std::int64_t tile = kTile / p.axis;
  const std::int64_t tiles = block_count(rows, tile);
  const std::int64_t tiles_a_task = kTaskElements / kTile;
  parallel_for(block_count(repeats * tiles, tiles_a_task), p.elements(), [&](std::int64_t task) {
    alignas(64) std::byte buffer[kTile * 8];
    alignas(64) std::byte accumulators[kTile * kAccumulatorSize];
    const BlockRange mine = block_range(task, tiles_a_task, repeats * tiles);
    for (std::int64_t index = mine.begin; index < mine.end; ++index) {
      const std::int64_t repeat = index / tiles;
      const BlockRange range = block_range(index % tiles, tile, rows);
      const std::int64_t n = range.size();
      const std::byte* from = p.x + repeat * p.outer_stride + range.begin * row_stride;
      p.reducer->start(accumulators, n);
      if (!side_by_side || !p.reducer->tuples(accumulators, from, p.axis, n)) {
        pack(p, from, p.axis_stride, row_stride, buffer, p.axis, n);
        p.reducer->columns(accumulators, buffer, n, p.axis, n);
      }
      std::byte* to = p.out + repeat * p.out_outer_stride + range.begin * out_stride * out_item;
      p.reducer->finish(accumulators, to, p.out_dtype, out_stride, n);
    }
  });
}

// ---- down columns: inner is the dimension whose elements lie closest

/// Accumulators take rows whose elements lie side by side; `stride` in elements.
void reduce_packed(const Problem& p, const std::byte* from, std::int64_t stride, std::int64_t rows,
                   std::int64_t width, std::byte* accumulators) {
  const Reducer& reducer = *p.reducer;
  if (width < kNarrow && stride == width) {
    // Several rows make one long row; its parts are merged in order.
    const std::int64_t group = 2 * kNarrow / width;
    const std::int64_t wide = group * width;
    alignas(64) std::byte lanes[2 * kNarrow * kAccumulatorSize];
    reducer.start(lanes, wide);
    reducer.columns(lanes, from, wide, rows / group, wide);
    for (std::int64_t g = 0; g < group; ++g) {
      reducer.merge(accumulators, lanes + g * width * static_cast<std::int64_t>(reducer.size), width);
    }
    from += rows / group * wide * static_cast<std::int64_t>(p.item);
    rows %= group;
  }
  reducer.columns(accumulators, from, stride, rows, width);
}

/// Accumulators of a tile of columns take the elements [rows.begin, rows.end) of the axis.
void reduce_columns_tile(const Problem& p, std::int64_t o, BlockRange rows, BlockRange columns,
                         std::byte* accumulators) {
  const auto item = static_cast<std::int64_t>(p.item);
  const std::int64_t width = columns.size();
  p.reducer->start(accumulators, width);
  const bool gaps = width < kNarrow && p.axis_stride != width * item;
  if (p.inner_stride == item && !gaps) {
    reduce_packed(p, p.at(o, rows.begin, columns.begin), p.axis_stride / item, rows.size(), width,
                  accumulators);
    return;
  }
  alignas(64) std::byte buffer[kTile * 8];
  const std::int64_t height = kTile / width;
  for (std::int64_t a = rows.begin; a < rows.end; a += height) {
    const std::int64_t n = std::min(height, rows.end - a);
    pack(p, p.at(o, a, columns.begin), p.axis_stride, p.inner_stride, buffer, n, width);
    reduce_packed(p, buffer, width, n, width, accumulators);
  }
}

void reduce_columns(DeviceInterface& device, const Problem& p) {
  const Reducer& reducer = *p.reducer;
  const auto size = static_cast<std::int64_t>(reducer.size);
  const std::int64_t width = std::min(p.inner, kColumnTile);
  const std::int64_t tiles = block_count(p.inner, width);
  // The axis is split only where there are few tiles.
  std::int64_t axis_block = p.axis;
  if (p.outer * tiles < kAxisBlocks / 4) {
    const std::int64_t least = std::max<std::int64_t>(1, kTaskElements / width);
    axis_block = std::max(least, block_count(p.axis, kAxisBlocks));
  }
  const std::int64_t blocks = block_count(p.axis, axis_block);
  if (blocks == 1) {
    const std::int64_t tiles_a_task = std::max<std::int64_t>(1, kTaskElements / (p.axis * width));
    parallel_for(block_count(p.outer * tiles, tiles_a_task), p.elements(), [&](std::int64_t task) {
      alignas(64) std::byte accumulators[kColumnTile * kAccumulatorSize];
      const BlockRange mine = block_range(task, tiles_a_task, p.outer * tiles);
      for (std::int64_t index = mine.begin; index < mine.end; ++index) {
        const std::int64_t o = index / tiles;
        const BlockRange columns = block_range(index % tiles, width, p.inner);
        reduce_columns_tile(p, o, {0, p.axis}, columns, accumulators);
        p.finish(accumulators, o, columns.begin, columns.size());
      }
    });
    return;
  }
  // Partial results lie as [outer, tile, block, column]: those of a tile are merged in place.
  const std::int64_t tile_bytes = blocks * width * size;
  const Workspace workspace = device.workspace(static_cast<std::size_t>(p.outer * tiles * tile_bytes));
  auto* partials = workspace.as<std::byte>();
  parallel_for(p.outer * tiles * blocks, p.elements(), [&](std::int64_t task) {
    const std::int64_t index = task / blocks;
    const std::int64_t block = task % blocks;
    const BlockRange columns = block_range(index % tiles, width, p.inner);
    reduce_columns_tile(p, index / tiles, block_range(block, axis_block, p.axis), columns,
                        partials + index * tile_bytes + block * columns.size() * size);
  });
  parallel_for(p.outer * tiles, p.outer * p.inner * blocks, [&](std::int64_t index) {
    const BlockRange columns = block_range(index % tiles, width, p.inner);
    std::byte* mine = partials + index * tile_bytes;
    merge_blocks(reducer, mine, blocks, columns.size());
    p.finish(mine, index / tiles, columns.begin, columns.size());
  });
}

/// Nothing to reduce: what the operation gives for it.
void reduce_nothing(const Problem& p) {
  alignas(8) std::byte accumulator[kAccumulatorSize];
  p.reducer->start(accumulator, 1);
  for (std::int64_t o = 0; o < p.outer; ++o) {
    for (std::int64_t i = 0; i < p.inner; ++i) p.finish(accumulator, o, i, 1);
  }
}

}  // namespace

void CpuDevice::reduce(ReduceOp op, const View& x, const View& out) {
  const auto item = static_cast<std::int64_t>(itemsize(x.dtype));
  const auto out_item = static_cast<std::int64_t>(itemsize(out.dtype));
  Problem p{.reducer = &reducer(op, x.dtype),
            .x = x.as<std::byte>(),
            .item = itemsize(x.dtype),
            .outer = x.shape[0],
            .axis = x.shape[1],
            .inner = x.shape[2],
            .outer_stride = x.strides[0] * item,
            .axis_stride = x.strides[1] * item,
            .inner_stride = x.strides[2] * item,
            .out = out.as<std::byte>(),
            .out_dtype = out.dtype,
            .out_outer_stride = out.strides[0] * out_item,
            .out_inner_stride = out.strides[1] * out_item};
  if (p.outer == 0 || p.inner == 0) return;
  if (p.axis == 0) return reduce_nothing(p);
  const std::int64_t rows = p.outer * p.inner;
  const bool along_rows = p.inner == 1 || (p.axis > 1 && std::abs(p.axis_stride) < std::abs(p.inner_stride) &&
                                           p.axis_stride != 0);
  if (!along_rows) {
    reduce_columns(*this, p);
  } else if (sums_short_rows(p.inner > 1 ? p.inner : p.outer, p.axis)) {
    reduce_short_rows(p);
  } else if (sums_long_rows(rows, p.axis)) {
    reduce_long_rows(*this, p);
  } else {
    reduce_rows(p);
  }
}

}  // namespace tessera::cpu
