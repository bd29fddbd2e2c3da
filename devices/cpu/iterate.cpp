#include "devices/cpu/iterate.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "devices/cpu/move.hpp"

namespace tessera::cpu {
namespace {

/// Elements of a buffered tile: those of four operands of 8 bytes fit the first-level cache.
constexpr std::int64_t kTile = 1024;
/// Rows shorter than this are put together in buffers rather than done one at a time.
constexpr std::int64_t kShortRow = 64;
/// So are longer ones where all that keeps them from being one run is an operand that repeats with each row.
constexpr std::int64_t kRepeatedRow = 256;
/// The side of a tile where an operand runs down the columns.
constexpr std::int64_t kSide = 32;

/// From so many bytes on a transposed copy goes past the caches: it gains the most.
constexpr std::int64_t kStreamedTransposeBytes = std::int64_t{16} << 20U;

/// The dimensions of a walk, normalised: no size-1 dimensions, the output's strides positive and
/// descending, neighbours merged. The last two, rows and columns, are what tiles are cut from.
struct Domain {
  int operands = 0;
  int rank = 0;
  std::byte* data[kMaxOperands];
  std::int64_t item[kMaxOperands];
  std::int64_t extent[kMaxRank + 2];
  std::int64_t stride[kMaxOperands][kMaxRank + 2];  // bytes

  bool empty = false;
  bool column_wise = false;  ///< an operand runs down the columns

  explicit Domain(std::span<const View* const> views);

  std::int64_t columns() const { return extent[rank - 1]; }
  std::int64_t rows() const { return extent[rank - 2]; }
  std::int64_t column_stride(int i) const { return stride[i][rank - 1]; }
  std::int64_t row_stride(int i) const { return stride[i][rank - 2]; }
  bool runs(int i) const { return column_stride(i) == item[i]; }
  std::int64_t elements() const {
    return std::accumulate(extent, extent + rank, std::int64_t{1}, std::multiplies<>());
  }
  bool descends(int i) const {
    return row_stride(i) != 0 && std::abs(row_stride(i)) < std::abs(column_stride(i));
  }

 private:
  void load(std::span<const View* const> views);
  void swap(int a, int b);
  void sort_dimensions();
  void merge_dimensions();
  void choose_rows();
};

Domain::Domain(std::span<const View* const> views) {
  load(views);
  if (empty) return;
  sort_dimensions();
  merge_dimensions();
  // At least rows and columns.
  while (rank < 2) {
    for (int d = rank; d > 0; --d) {
      extent[d] = extent[d - 1];
      for (int i = 0; i < operands; ++i) stride[i][d] = stride[i][d - 1];
    }
    extent[0] = 1;
    for (int i = 0; i < operands; ++i) stride[i][0] = 0;
    ++rank;
  }
  choose_rows();
}

void Domain::load(std::span<const View* const> views) {
  operands = static_cast<int>(views.size());
  for (int i = 0; i < operands; ++i) {
    data[i] = views[i]->as<std::byte>();
    item[i] = static_cast<std::int64_t>(itemsize(views[i]->dtype));
  }
  const View& out = *views[0];
  for (int d = 0; d < out.shape.size(); ++d) {
    const std::int64_t length = out.shape[d];
    if (length == 0) empty = true;
    if (length <= 1) continue;
    const bool backwards = out.strides[d] < 0;
    extent[rank] = length;
    for (int i = 0; i < operands; ++i) {
      const std::int64_t bytes = views[i]->strides[d] * item[i];
      if (backwards) data[i] += bytes * (length - 1);
      stride[i][rank] = backwards ? -bytes : bytes;
    }
    ++rank;
  }
}

void Domain::swap(int a, int b) {
  std::swap(extent[a], extent[b]);
  for (int i = 0; i < operands; ++i) std::swap(stride[i][a], stride[i][b]);
}

void Domain::sort_dimensions() {
  for (int end = 1; end < rank; ++end) {
    for (int d = end; d > 0 && stride[0][d - 1] < stride[0][d]; --d) swap(d - 1, d);
  }
}

void Domain::merge_dimensions() {
  int last = 0;
  for (int d = 1; d < rank; ++d) {
    bool mergeable = true;
    for (int i = 0; i < operands; ++i) mergeable = mergeable && stride[i][last] == stride[i][d] * extent[d];
    if (mergeable) {
      extent[last] *= extent[d];
    } else {
      extent[++last] = extent[d];
    }
    for (int i = 0; i < operands; ++i) stride[i][last] = stride[i][d];
  }
  rank = std::min(rank, last + 1);
}

/// Where an operand runs along another dimension than the output, that one becomes the rows: tiles of the
/// two use cache lines whole on both sides.
void Domain::choose_rows() {
  for (int i = 1; i < operands; ++i) {
    if (runs(i) || column_stride(i) == 0) continue;
    int best = rank - 2;
    for (int d = 0; d < rank - 1; ++d) {
      const std::int64_t step = std::abs(stride[i][d]);
      if (step != 0 && (stride[i][best] == 0 || step < std::abs(stride[i][best]))) best = d;
    }
    swap(best, rank - 2);
    break;
  }
  for (int i = 0; i < operands; ++i) column_wise = column_wise || descends(i);
}

/// A part of the domain that one task does: `rows` x `columns` from given places on.
struct Part {
  std::byte* data[kMaxOperands];
  std::int64_t rows;
  std::int64_t columns;
};

/// Cuts the domain into parts of about kTaskElements and calls f(part) for each, on several threads.
template <class F>
void for_each_part(const Domain& domain, std::int64_t work, const F& f) {
  const std::int64_t target = std::max<std::int64_t>(kTaskElements / work, kTile);
  const std::int64_t rows = domain.rows();
  const std::int64_t columns = domain.columns();
  std::int64_t outer = 1;
  for (int d = 0; d < domain.rank - 2; ++d) outer *= domain.extent[d];

  // Tall blocks where an operand descends: it is read in long runs. Else as many whole rows as make a task.
  std::int64_t part_columns = std::min(columns, domain.column_wise ? 2 * kSide : target);
  const std::int64_t part_rows = std::clamp<std::int64_t>(target / part_columns, 1, rows);
  const std::int64_t row_parts = block_count(rows, part_rows);
  const std::int64_t column_parts = block_count(columns, part_columns);
  const std::int64_t parts = outer * row_parts * column_parts;
  const std::int64_t parts_a_task = std::max<std::int64_t>(1, target / (part_rows * part_columns));

  parallel_for(block_count(parts, parts_a_task), outer * rows * columns * work, [&](std::int64_t task) {
    const BlockRange mine = block_range(task, parts_a_task, parts);
    for (std::int64_t index = mine.begin; index < mine.end; ++index) {
      const BlockRange c = block_range(index % column_parts, part_columns, columns);
      std::int64_t rest = index / column_parts;
      const BlockRange r = block_range(rest % row_parts, part_rows, rows);
      rest /= row_parts;
      Part part;
      for (int i = 0; i < domain.operands; ++i) {
        part.data[i] = domain.data[i] + r.begin * domain.row_stride(i) + c.begin * domain.column_stride(i);
      }
      for (int d = domain.rank - 3; d >= 0; --d) {
        const std::int64_t position = rest % domain.extent[d];
        rest /= domain.extent[d];
        for (int i = 0; i < domain.operands; ++i) part.data[i] += position * domain.stride[i][d];
      }
      part.rows = r.size();
      part.columns = c.size();
      f(part);
    }
  });
}

/// Does a part tile by tile.
class TileWalker {
 public:
  TileWalker(const Domain& domain, LoopTraits traits, void (*body)(const void*, const Run&),
             const void* context)
      : domain_(domain), body_(body), context_(context) {
    short_rows_ = domain.rows() > 1 && are_short(traits);
    for (int i = 0; i < domain.operands; ++i) {
      const bool spreads = domain.column_stride(i) == 0 && (traits.may_be_scalar >> i & 1U) != 0;
      scalar_in_row_[i] = spreads;
      direct_[i] = domain.runs(i) || spreads;
      if (short_rows_) {
        direct_[i] = spreads ? domain.row_stride(i) == 0
                             : domain.runs(i) && domain.row_stride(i) == domain.columns() * domain.item[i];
      }
      all_direct_ = all_direct_ && direct_[i];
    }
    const bool large = domain.elements() * domain.item[0] >= kStreamedBytes;
    const bool over = std::any_of(domain.data + 1, domain.data + domain.operands,
                                  [&](const std::byte* input) { return input == domain.data[0]; });
    streams_ = large && !over && all_direct_;
  }

  void operator()(const Part& part) const;

 private:
  struct Buffers {
    alignas(64) std::byte bytes[kMaxOperands][kTile * 8];
    std::int64_t periodic[kMaxOperands] = {};  ///< elements that a repeating operand's buffer holds
  };
  bool are_short(LoopTraits traits) const;
  void run_tile(Buffers& buffers, const Part& part, BlockRange rows, BlockRange columns) const;
  void run_rows(Lattice (&places)[kMaxOperands], std::int64_t rows, std::int64_t columns) const;
  void run_streaming(const Run& run) const;

  const Domain& domain_;
  void (*body_)(const void*, const Run&);
  const void* context_;
  bool short_rows_ = false;
  bool all_direct_ = true;
  bool streams_ = false;  ///< the output goes past the caches
  bool direct_[kMaxOperands] = {};
  bool scalar_in_row_[kMaxOperands] = {};
};

/// Whether rows are put together in buffers.
bool TileWalker::are_short(LoopTraits traits) const {
  if (domain_.columns() < kShortRow) return true;
  // Rows of an output that goes past the caches do so one at a time.
  if (domain_.columns() > kRepeatedRow || domain_.elements() * domain_.item[0] >= kStreamedBytes)
    return false;
  for (int i = 0; i < domain_.operands; ++i) {
    const std::int64_t row = domain_.row_stride(i);
    const bool one_element = domain_.column_stride(i) == 0 && (traits.may_be_scalar >> i & 1U) != 0;
    const bool in_one_run = row == domain_.columns() * domain_.item[i] || (i > 0 && row == 0);
    if (!(one_element ? row == 0 : domain_.runs(i) && in_one_run)) return false;
  }
  return true;
}

void TileWalker::operator()(const Part& part) const {
  if (all_direct_) {
    Lattice places[kMaxOperands];
    for (int i = 0; i < domain_.operands; ++i) {
      places[i] = {part.data[i], domain_.row_stride(i), domain_.column_stride(i)};
    }
    run_rows(places, part.rows, part.columns);
    if (streams_) finish_streaming();
    return;
  }
  Buffers buffers;
  const bool squares = domain_.column_wise && !short_rows_;
  const std::int64_t width = std::min(part.columns, squares ? kSide : kTile);
  const std::int64_t height = std::clamp<std::int64_t>(kTile / width, 1, part.rows);
  for (std::int64_t c = 0; c < part.columns; c += width) {
    std::fill(std::begin(buffers.periodic), std::end(buffers.periodic), 0);
    for (std::int64_t r = 0; r < part.rows; r += height) {
      run_tile(buffers, part, {r, std::min(r + height, part.rows)}, {c, std::min(c + width, part.columns)});
    }
  }
}

void TileWalker::run_tile(Buffers& buffers, const Part& part, BlockRange rows, BlockRange columns) const {
  const std::int64_t n = rows.size() * columns.size();
  Lattice places[kMaxOperands];
  Lattice result{};
  for (int i = 0; i < domain_.operands; ++i) {
    const std::int64_t row = domain_.row_stride(i);
    const std::int64_t column = domain_.column_stride(i);
    std::byte* const first = part.data[i] + rows.begin * row + columns.begin * column;
    if (direct_[i]) {
      places[i] = {first, row, column};
      continue;
    }
    // Not one object that is filled here and there: its copy would wait for all stores of the tile before.
    std::byte* const buffer = buffers.bytes[i];
    const std::int64_t buffer_row = columns.size() * domain_.item[i];
    if (i == 0) {
      result = {first, row, column};
    } else if (row != 0 || buffers.periodic[i] < n) {
      move_block(static_cast<std::size_t>(domain_.item[i]), {first, row, column},
                 {buffer, buffer_row, domain_.item[i]}, rows.size(), columns.size());
      buffers.periodic[i] = n;
    }
    places[i].data = buffer;
    places[i].row = buffer_row;
    places[i].column = domain_.item[i];
  }
  run_rows(places, rows.size(), columns.size());
  if (result.data != nullptr) {
    move_block(static_cast<std::size_t>(domain_.item[0]), places[0], result, rows.size(), columns.size());
  }
}

/// A piece at a time by way of the first-level cache: stored at once, each line would be read first.
void TileWalker::run_streaming(const Run& run) const {
  alignas(64) std::byte buffer[kTile * 8];
  for (std::int64_t at = 0; at < run.n; at += kTile) {
    Run piece = run;
    piece.n = std::min(kTile, run.n - at);
    for (int i = 0; i < domain_.operands; ++i) {
      if ((run.scalars >> static_cast<unsigned>(i) & 1U) == 0) piece.data[i] += at * domain_.item[i];
    }
    std::byte* const to = piece.data[0];
    piece.data[0] = buffer;
    body_(context_, piece);
    stream(to, buffer, static_cast<std::size_t>(piece.n * domain_.item[0]));
  }
}

/// One run where no operand has gaps between its rows, else one a row.
void TileWalker::run_rows(Lattice (&places)[kMaxOperands], std::int64_t rows, std::int64_t columns) const {
  Run run;
  run.n = columns;
  run.scalars = 0;
  bool together = true;
  for (int i = 0; i < domain_.operands; ++i) {
    run.data[i] = places[i].data;
    const bool scalar = scalar_in_row_[i] && places[i].column == 0;
    if (scalar) run.scalars |= 1U << static_cast<unsigned>(i);
    together = together && places[i].row == (scalar ? 0 : columns * domain_.item[i]);
  }
  const auto body = [&] {
    if (streams_ && run.n * domain_.item[0] >= kStreamedRun) {
      run_streaming(run);
    } else {
      body_(context_, run);
    }
  };
  if (together) {
    run.n *= rows;
    body();
    return;
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    body();
    for (int i = 0; i < domain_.operands; ++i) run.data[i] += places[i].row;
  }
}

}  // namespace

void walk(std::span<const View* const> views, LoopTraits traits, void (*body)(const void*, const Run&),
          const void* context) {
  const Domain domain(views);
  if (domain.empty) return;
  const TileWalker walker(domain, traits, body, context);
  for_each_part(domain, traits.work, walker);
}

void walk_copy(const View& x, const View& out) {
  const View* views[] = {&out, &x};
  const Domain domain(views);
  if (domain.empty) return;
  const std::int64_t least = domain.column_wise ? kStreamedTransposeBytes : kStreamedBytes;
  const bool streams = domain.elements() * domain.item[0] >= least;
  for_each_part(domain, 1, [&](const Part& part) {
    move_block(static_cast<std::size_t>(domain.item[0]),
               {part.data[1], domain.row_stride(1), domain.column_stride(1)},
               {part.data[0], domain.row_stride(0), domain.column_stride(0)}, part.rows, part.columns,
               streams);
  });
}

}  // namespace tessera::cpu
