#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "devices/cpu/threads.hpp"

namespace tessera::cpu {

/// Sorts unsigned keys, and what goes with them, digit by digit from the lowest: stable, and the same for any
/// number of threads, since each block's place in each bucket follows from counts.
template <class Key, class Index>
class RadixSort {
 public:
  static constexpr std::int64_t kBlock = 64 * 1024;
  static constexpr int kBuckets = 256;

  /// Bytes of workspace for n keys beside the keys and indices themselves.
  static std::size_t count_bytes(std::int64_t n) {
    return static_cast<std::size_t>(block_count(n, kBlock)) * kBuckets * sizeof(std::int64_t);
  }

  /// Two buffers of n keys and n indices (null where none go along); `counts` of count_bytes(n).
  RadixSort(Key* keys, Key* other_keys, Index* indices, Index* other_indices, std::int64_t* counts,
            std::int64_t n)
      : keys_(keys),
        other_keys_(other_keys),
        indices_(indices),
        other_indices_(other_indices),
        counts_(counts),
        n_(n) {}

  void run() {
    for (unsigned digit = 0; digit < sizeof(Key); ++digit) {
      if (!count(8 * digit)) continue;
      scatter(8 * digit);
      std::swap(keys_, other_keys_);
      std::swap(indices_, other_indices_);
    }
  }

  /// Where the result lies after run().
  const Key* keys() const { return keys_; }
  const Index* indices() const { return indices_; }

 private:
  static unsigned bucket(Key key, unsigned shift) { return static_cast<unsigned>(key >> shift) & 0xFFU; }

  /// The first place of each block in each bucket. False where all keys share the digit.
  bool count(unsigned shift) {
    const std::int64_t blocks = block_count(n_, kBlock);
    parallel_for(blocks, 2 * n_, [&](std::int64_t block) {
      std::int64_t* mine = counts_ + block * kBuckets;
      std::fill_n(mine, kBuckets, 0);
      const BlockRange range = block_range(block, kBlock, n_);
      for (std::int64_t i = range.begin; i < range.end; ++i) ++mine[bucket(keys_[i], shift)];
    });
    std::int64_t place = 0;
    for (int b = 0; b < kBuckets; ++b) {
      const std::int64_t first = place;
      for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t has = counts_[block * kBuckets + b];
        counts_[block * kBuckets + b] = place;
        place += has;
      }
      if (place - first == n_) return false;
    }
    return true;
  }

  void scatter(unsigned shift) {
    parallel_for(block_count(n_, kBlock), 4 * n_, [&](std::int64_t block) {
      std::int64_t* place = counts_ + block * kBuckets;
      const BlockRange range = block_range(block, kBlock, n_);
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        const std::int64_t to = place[bucket(keys_[i], shift)]++;
        other_keys_[to] = keys_[i];
        if (indices_ != nullptr) other_indices_[to] = indices_[i];
      }
    });
  }

  Key* keys_;
  Key* other_keys_;
  Index* indices_;
  Index* other_indices_;
  std::int64_t* counts_;
  std::int64_t n_;
};

}  // namespace tessera::cpu
