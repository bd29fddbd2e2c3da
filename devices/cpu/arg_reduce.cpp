#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "devices/cpu/arg_loops.hpp"
#include "devices/cpu/cpu_device.hpp"
#include "devices/cpu/move.hpp"
#include "devices/cpu/threads.hpp"

namespace tessera::cpu {
namespace {

/// Elements that one task takes.
constexpr std::int64_t kTaskElements = 32 * 1024;
/// Rows shorter than this are done many at a time, as columns of a small transposed tile.
constexpr std::int64_t kShortAxis = 16;
/// Fewer columns than this are done as rows.
constexpr std::int64_t kNarrow = 8;
/// Elements of such a tile, and of a buffer that a strided row goes through.
constexpr std::int64_t kTile = 4096;
/// Columns that are done together.
constexpr std::int64_t kColumnTile = 512;
/// Into how many blocks a long axis is split at most; and rows of a block that an int32 counts.
constexpr std::int64_t kAxisBlocks = 256;
constexpr std::int64_t kMostRows = std::int64_t{1} << 30U;

constexpr std::size_t kValueSize = 8;

/// Strides in bytes, but for those of the int64 results.
struct Problem {
  const ArgLoops* loops;
  const std::byte* x;
  std::int64_t item;
  std::int64_t outer, axis, inner;
  std::int64_t outer_stride, axis_stride, inner_stride;
  std::int64_t* out;
  std::int64_t out_outer_stride, out_inner_stride;

  std::int64_t elements() const { return outer * axis * inner; }
  const std::byte* at(std::int64_t o, std::int64_t a, std::int64_t i) const {
    return x + o * outer_stride + a * axis_stride + i * inner_stride;
  }
  std::int64_t& result(std::int64_t o, std::int64_t i) const {
    return out[o * out_outer_stride + i * out_inner_stride];
  }
  /// Moves a tile of x to a buffer without gaps.
  void pack(const std::byte* from, std::int64_t row_stride, std::int64_t column_stride, std::byte* buffer,
            std::int64_t rows, std::int64_t columns) const {
    move_block(static_cast<std::size_t>(item), {const_cast<std::byte*>(from), row_stride, column_stride},
               {buffer, columns * item, item}, rows, columns);
  }
};

/// The best of a part of an axis.
struct Winner {
  std::int64_t index;
  alignas(8) std::byte value[kValueSize];
};

/// The winner among the elements [begin, end) of a row.
Winner best_of_row(const Problem& p, const std::byte* row, std::int64_t begin, std::int64_t end) {
  Winner winner;
  if (p.axis_stride == p.item) {
    winner.index = begin + p.loops->row(row + begin * p.item, end - begin, winner.value);
    return winner;
  }
  alignas(64) std::byte buffer[kTile * 8];
  for (std::int64_t at = begin; at < end; at += kTile) {
    const std::int64_t n = std::min(kTile, end - at);
    p.pack(row + at * p.axis_stride, 0, p.axis_stride, buffer, 1, n);
    Winner later;
    later.index = at + p.loops->row(buffer, n, later.value);
    if (at == begin || p.loops->gives_way(winner.value, later.value)) winner = later;
  }
  return winner;
}

/// Few rows, each long enough for several tasks.
void long_rows(DeviceInterface& device, const Problem& p) {
  const std::int64_t rows = p.outer * p.inner;
  const std::int64_t blocks = block_count(p.axis, kTaskElements);
  const Workspace workspace = device.workspace(static_cast<std::size_t>(rows * blocks) * sizeof(Winner));
  auto* winners = workspace.as<Winner>();
  parallel_for(rows * blocks, p.elements(), [&](std::int64_t task) {
    const std::int64_t row = task / blocks;
    const BlockRange range = block_range(task % blocks, kTaskElements, p.axis);
    winners[task] = best_of_row(p, p.at(row / p.inner, 0, row % p.inner), range.begin, range.end);
  });
  for (std::int64_t row = 0; row < rows; ++row) {
    const Winner* mine = winners + row * blocks;
    const Winner* winner = mine;
    for (std::int64_t block = 1; block < blocks; ++block) {
      if (p.loops->gives_way(winner->value, mine[block].value)) winner = mine + block;
    }
    p.result(row / p.inner, row % p.inner) = winner->index;
  }
}

void each_row(const Problem& p) {
  const std::int64_t rows = p.outer * p.inner;
  const std::int64_t rows_a_task = std::max<std::int64_t>(1, kTaskElements / p.axis);
  parallel_for(block_count(rows, rows_a_task), p.elements(), [&](std::int64_t task) {
    const BlockRange mine = block_range(task, rows_a_task, rows);
    for (std::int64_t row = mine.begin; row < mine.end; ++row) {
      const std::int64_t o = row / p.inner;
      const std::int64_t i = row % p.inner;
      p.result(o, i) = best_of_row(p, p.at(o, 0, i), 0, p.axis).index;
    }
  });
}

/// Results of a tile of columns: indices relative to the tile's first row, as wide as ArgLoops says.
std::int64_t index_at(const Problem& p, const std::byte* indices, std::int64_t j) {
  if (p.item == 8) return reinterpret_cast<const std::int64_t*>(indices)[j];
  return reinterpret_cast<const std::int32_t*>(indices)[j];
}

/// Rows of few elements: a tile of them is transposed. They lie along inner, or along outer if inner is 1.
void short_rows(const Problem& p) {
  const bool along_inner = p.inner > 1;
  const std::int64_t rows = along_inner ? p.inner : p.outer;
  const std::int64_t repeats = along_inner ? p.outer : 1;
  const std::int64_t row_stride = along_inner ? p.inner_stride : p.outer_stride;
  const std::int64_t tile = std::min(kTile / p.axis, kColumnTile);
  const std::int64_t tiles = block_count(rows, tile);
  const std::int64_t tiles_a_task = std::max<std::int64_t>(1, kTaskElements / (tile * p.axis));
  parallel_for(block_count(repeats * tiles, tiles_a_task), p.elements(), [&](std::int64_t task) {
    alignas(64) std::byte buffer[kTile * 8];
    alignas(64) std::byte values[kColumnTile * 8];
    alignas(64) std::byte indices[kColumnTile * 8];
    const BlockRange mine = block_range(task, tiles_a_task, repeats * tiles);
    for (std::int64_t index = mine.begin; index < mine.end; ++index) {
      const std::int64_t repeat = index / tiles;
      const BlockRange range = block_range(index % tiles, tile, rows);
      const std::int64_t n = range.size();
      p.pack(p.x + repeat * p.outer_stride + range.begin * row_stride, p.axis_stride, row_stride, buffer,
             p.axis, n);
      p.loops->columns(values, indices, buffer, n, p.axis, n);
      for (std::int64_t j = 0; j < n; ++j) {
        const std::int64_t row = range.begin + j;
        p.result(along_inner ? repeat : row, along_inner ? row : 0) = index_at(p, indices, j);
      }
    }
  });
}

/// Values and indices of the winners of a tile of columns, among the rows [rows.begin, rows.end).
void best_of_columns(const Problem& p, std::int64_t o, BlockRange rows, BlockRange columns, std::byte* values,
                     std::int64_t* positions) {
  const std::int64_t width = columns.size();
  alignas(64) std::byte indices[kColumnTile * 8];
  if (p.inner_stride == p.item) {
    p.loops->columns(values, indices, p.at(o, rows.begin, columns.begin), p.axis_stride / p.item, rows.size(),
                     width);
    for (std::int64_t j = 0; j < width; ++j) positions[j] = rows.begin + index_at(p, indices, j);
    return;
  }
  alignas(64) std::byte buffer[kTile * 8];
  alignas(64) std::byte later[kColumnTile * 8];
  const std::int64_t height = kTile / width;
  for (std::int64_t a = rows.begin; a < rows.end; a += height) {
    const std::int64_t n = std::min(height, rows.end - a);
    p.pack(p.at(o, a, columns.begin), p.axis_stride, p.inner_stride, buffer, n, width);
    p.loops->columns(later, indices, buffer, width, n, width);
    for (std::int64_t j = 0; j < width; ++j) {
      std::byte* held = values + j * p.item;
      if (a != rows.begin && !p.loops->gives_way(held, later + j * p.item)) continue;
      std::memcpy(held, later + j * p.item, static_cast<std::size_t>(p.item));
      positions[j] = a + index_at(p, indices, j);
    }
  }
}

void down_columns(DeviceInterface& device, const Problem& p) {
  const std::int64_t width = std::min(p.inner, kColumnTile);
  const std::int64_t tiles = block_count(p.inner, width);
  std::int64_t axis_block = std::min(p.axis, kMostRows);
  if (p.outer * tiles < kAxisBlocks / 4) {
    const std::int64_t least = std::max<std::int64_t>(1, kTaskElements / width);
    axis_block = std::min(axis_block, std::max(least, block_count(p.axis, kAxisBlocks)));
  }
  const std::int64_t blocks = block_count(p.axis, axis_block);
  // [outer, tile, block]: the values of a tile's columns, then their positions.
  const std::int64_t values_bytes = width * static_cast<std::int64_t>(kValueSize);
  const std::int64_t block_bytes = 2 * values_bytes;
  const std::int64_t tile_bytes = blocks * block_bytes;
  const bool split = blocks > 1;
  const Workspace workspace =
      device.workspace(split ? static_cast<std::size_t>(p.outer * tiles * tile_bytes) : 1);
  auto* partials = workspace.as<std::byte>();
  const auto store = [&](std::int64_t index, BlockRange columns, const std::int64_t* positions) {
    for (std::int64_t j = 0; j < columns.size(); ++j)
      p.result(index / tiles, columns.begin + j) = positions[j];
  };

  const std::int64_t parts = p.outer * tiles * blocks;
  const std::int64_t parts_a_task = std::max<std::int64_t>(1, kTaskElements / (axis_block * width));
  parallel_for(block_count(parts, parts_a_task), p.elements(), [&](std::int64_t task) {
    alignas(64) std::byte local[2 * kColumnTile * kValueSize];
    const BlockRange mine = block_range(task, parts_a_task, parts);
    for (std::int64_t part = mine.begin; part < mine.end; ++part) {
      const std::int64_t index = part / blocks;
      const BlockRange columns = block_range(index % tiles, width, p.inner);
      std::byte* values = split ? partials + part * block_bytes : local;
      auto* positions = reinterpret_cast<std::int64_t*>(values + values_bytes);
      best_of_columns(p, index / tiles, block_range(part % blocks, axis_block, p.axis), columns, values,
                      positions);
      if (!split) store(index, columns, positions);
    }
  });
  if (!split) return;
  parallel_for(p.outer * tiles, p.outer * p.inner * blocks, [&](std::int64_t index) {
    const BlockRange columns = block_range(index % tiles, width, p.inner);
    std::byte* values = partials + index * tile_bytes;
    auto* positions = reinterpret_cast<std::int64_t*>(values + values_bytes);
    for (std::int64_t block = 1; block < blocks; ++block) {
      const std::byte* later = values + block * block_bytes;
      const auto* later_positions = reinterpret_cast<const std::int64_t*>(later + values_bytes);
      for (std::int64_t j = 0; j < columns.size(); ++j) {
        if (!p.loops->gives_way(values + j * p.item, later + j * p.item)) continue;
        std::memcpy(values + j * p.item, later + j * p.item, static_cast<std::size_t>(p.item));
        positions[j] = later_positions[j];
      }
    }
    store(index, columns, positions);
  });
}

}  // namespace

void CpuDevice::arg_reduce(ArgReduceOp op, const View& x, const View& out) {
  const auto item = static_cast<std::int64_t>(itemsize(x.dtype));
  const Problem p{.loops = &arg_loops(op, x.dtype),
                  .x = x.as<std::byte>(),
                  .item = item,
                  .outer = x.shape[0],
                  .axis = x.shape[1],
                  .inner = x.shape[2],
                  .outer_stride = x.strides[0] * item,
                  .axis_stride = x.strides[1] * item,
                  .inner_stride = x.strides[2] * item,
                  .out = out.as<std::int64_t>(),
                  .out_outer_stride = out.strides[0],
                  .out_inner_stride = out.strides[1]};
  if (p.outer == 0 || p.inner == 0) return;
  const std::int64_t rows = p.outer * p.inner;
  const bool along_rows = p.inner < kNarrow || std::abs(p.axis_stride) < std::abs(p.inner_stride);
  if (!along_rows) {
    down_columns(*this, p);
  } else if (p.axis < kShortAxis && (p.inner > 1 ? p.inner : p.outer) >= kShortAxis) {
    short_rows(p);
  } else if (p.axis >= 2 * kTaskElements && rows < kAxisBlocks) {
    long_rows(*this, p);
  } else {
    each_row(p);
  }
}

}  // namespace tessera::cpu
