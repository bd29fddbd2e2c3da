#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "devices/cpu/reducers.hpp"

namespace tessera::cpu {

// How rows are reduced: what reduce.cpp and program.cpp share, so that they give the same bits.

/// Elements of a block of a long row; the blocks' partial results are merged in a tree.
inline constexpr std::int64_t kReduceBlock = 32 * 1024;
/// Fewer long rows than this are cut into blocks.
inline constexpr std::int64_t kFewLongRows = 256;
/// Rows shorter than this are reduced many at a time, each from its first element to its last.
inline constexpr std::int64_t kShortRow = 32;

constexpr bool sums_short_rows(std::int64_t rows, std::int64_t columns) {
  return columns < kShortRow && rows >= kShortRow;
}
constexpr bool sums_long_rows(std::int64_t rows, std::int64_t columns) {
  return columns >= 2 * kReduceBlock && rows < kFewLongRows;
}

/// The partial results of `blocks` blocks of `n` results each, in the first one: in an order that depends on
/// `blocks` alone.
inline void merge_blocks(const Reducer& reducer, std::byte* partials, std::int64_t blocks, std::int64_t n) {
  const std::int64_t bytes = n * static_cast<std::int64_t>(reducer.size);
  for (std::int64_t step = 1; step < blocks; step *= 2) {
    for (std::int64_t block = 0; block + step < blocks; block += 2 * step) {
      reducer.merge(partials + block * bytes, partials + (block + step) * bytes, n);
    }
  }
}

/// One row in pieces, with the bits of one run over it: lanes go on from piece to piece, and extremes (whose
/// bits may be those of either zero) are taken of kPiece elements at a time however the row comes.
class RowReduction {
 public:
  static constexpr std::int64_t kPiece = 2048;

  explicit RowReduction(const Reducer& reducer) : reducer_(&reducer) {
    if (reducer.by_lanes) reducer.start(lanes_, kLanes);
    reducer.start(total_, 1);
  }

  /// The next n elements; all pieces but the last are multiples of kPiece.
  void take(const void* x, std::int64_t n, std::size_t item) {
    const auto* at = static_cast<const std::byte*>(x);
    if (reducer_->by_lanes) {
      const std::int64_t whole = n / kLanes;
      reducer_->columns(lanes_, at, kLanes, whole, kLanes);
      at += static_cast<std::size_t>(whole * kLanes) * item;
      reducer_->columns(lanes_, at, 0, 1, n - whole * kLanes);
      return;
    }
    for (std::int64_t i = 0; i < n; i += kPiece) {
      reducer_->row(total_, at + static_cast<std::size_t>(i) * item, std::min(kPiece, n - i));
    }
  }

  /// Into a started accumulator.
  void give(void* accumulator) {
    if (reducer_->by_lanes) {
      for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
        reducer_->merge(lanes_, lanes_ + half * static_cast<std::int64_t>(reducer_->size), half);
      }
    }
    reducer_->merge(accumulator, reducer_->by_lanes ? lanes_ : total_, 1);
  }

 private:
  const Reducer* reducer_;
  alignas(64) std::byte lanes_[kLanes * kAccumulatorSize];
  alignas(8) std::byte total_[kAccumulatorSize];
};

/// A whole row that lies side by side, into a started accumulator.
inline void reduce_whole_row(const Reducer& reducer, void* accumulator, const void* x, std::int64_t n,
                             std::size_t item) {
  if (reducer.by_lanes || n <= RowReduction::kPiece) {
    reducer.row(accumulator, x, n);
    return;
  }
  RowReduction row(reducer);
  row.take(x, n, item);
  row.give(accumulator);
}

}  // namespace tessera::cpu
