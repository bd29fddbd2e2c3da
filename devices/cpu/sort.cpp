#include <algorithm>
#include <limits>
#include <numeric>

#include "devices/common/element_ops.hpp"
#include "devices/cpu/cpu_device.hpp"
#include "devices/cpu/radix_sort.hpp"
#include "devices/cpu/sort_keys.hpp"
#include "devices/cpu/threads.hpp"

namespace tessera::cpu {
namespace {

/// Up to so many elements a row is sorted on the stack by comparisons, a longer one by its digits.
constexpr std::int64_t kShortRow = 1024;
/// Elements of short rows that one task sorts.
constexpr std::int64_t kTaskElements = 8 * 1024;
/// Sorting an element costs about so many additions.
constexpr std::int64_t kWork = 16;

/// A row of x and where its result goes; strides in elements.
template <class T>
struct Row {
  const T* x;
  void* out;
  std::int64_t stride;
  std::int64_t out_stride;
  std::int64_t n;
  bool descending;

  T at(std::int64_t i) const { return x[i * stride]; }
  auto key(std::int64_t i) const { return SortKey<T>::of(at(i), descending); }
  void store_index(std::int64_t i, std::int64_t index) const {
    static_cast<std::int64_t*>(out)[i * out_stride] = index;
  }
  void store_value(std::int64_t i, T value) const { static_cast<T*>(out)[i * out_stride] = value; }

  template <class Key>
  void store_values(const Key* keys) const {
    for (std::int64_t i = 0; i < n; ++i) store_value(i, SortKey<T>::value(keys[i], descending));
    if constexpr (std::is_floating_point_v<T>) restore_ambiguous(keys);
  }

  /// Zeros of both signs, and NaNs of all kinds, in the order in which they came.
  template <class Key>
  void restore_ambiguous(const Key* keys) const {
    const Key zero = SortKey<T>::of(T{0}, descending);
    const Key nan = SortKey<T>::kOnes;
    std::int64_t next_zero = std::lower_bound(keys, keys + n, zero) - keys;
    std::int64_t next_nan = std::lower_bound(keys, keys + n, nan) - keys;
    const bool has_zero = next_zero < n && keys[next_zero] == zero;
    if (!has_zero && next_nan == n) return;
    for (std::int64_t i = 0; i < n; ++i) {
      const T value = at(i);
      if (value != value)
        store_value(next_nan++, value);
      else if (value == T{0})
        store_value(next_zero++, value);
    }
  }
};

template <class T>
void sort_short_row(const Row<T>& row, bool indices) {
  using Key = typename SortKey<T>::Key;
  if (!indices) {
    Key keys[kShortRow];
    for (std::int64_t i = 0; i < row.n; ++i) keys[i] = row.key(i);
    std::sort(keys, keys + row.n);
    row.store_values(keys);
  } else if constexpr (sizeof(Key) <= 4) {
    // Keys and positions in one number: equal keys keep their order.
    std::uint64_t pairs[kShortRow];
    for (std::int64_t i = 0; i < row.n; ++i) {
      pairs[i] = std::uint64_t{row.key(i)} << 32U | static_cast<std::uint64_t>(i);
    }
    std::sort(pairs, pairs + row.n);
    for (std::int64_t i = 0; i < row.n; ++i) row.store_index(i, static_cast<std::uint32_t>(pairs[i]));
  } else {
    std::pair<Key, std::int32_t> pairs[kShortRow];
    for (std::int64_t i = 0; i < row.n; ++i) pairs[i] = {row.key(i), static_cast<std::int32_t>(i)};
    std::sort(pairs, pairs + row.n);
    for (std::int64_t i = 0; i < row.n; ++i) row.store_index(i, pairs[i].second);
  }
}

template <class T, class Index>
void sort_long_row(DeviceInterface& device, const Row<T>& row, bool indices) {
  using Key = typename SortKey<T>::Key;
  using Sorter = RadixSort<Key, Index>;
  const auto n = static_cast<std::size_t>(row.n);
  // Counts and indices first: what needs the greater alignment.
  const std::size_t counts = Sorter::count_bytes(row.n);
  const std::size_t index_bytes = indices ? n * sizeof(Index) : 0;
  const std::size_t padded = (index_bytes + 7) / 8 * 8;
  const std::size_t key_bytes = (n * sizeof(Key) + 7) / 8 * 8;
  const Workspace workspace = device.workspace(counts + 2 * padded + 2 * key_bytes);
  auto* bytes = workspace.as<std::byte>();
  auto* from = indices ? reinterpret_cast<Index*>(bytes + counts) : nullptr;
  auto* to = indices ? reinterpret_cast<Index*>(bytes + counts + padded) : nullptr;
  auto* keys = reinterpret_cast<Key*>(bytes + counts + 2 * padded);
  auto* other_keys = reinterpret_cast<Key*>(bytes + counts + 2 * padded + key_bytes);

  constexpr std::int64_t kBlock = Sorter::kBlock;
  const std::int64_t blocks = block_count(row.n, kBlock);
  parallel_for(blocks, row.n, [&](std::int64_t block) {
    const BlockRange range = block_range(block, kBlock, row.n);
    for (std::int64_t i = range.begin; i < range.end; ++i) keys[i] = row.key(i);
    if (indices) std::iota(from + range.begin, from + range.end, static_cast<Index>(range.begin));
  });
  Sorter sorter(keys, other_keys, from, to, reinterpret_cast<std::int64_t*>(bytes), row.n);
  sorter.run();
  if (!indices) {
    row.store_values(sorter.keys());
    return;
  }
  parallel_for(blocks, row.n, [&](std::int64_t block) {
    const BlockRange range = block_range(block, kBlock, row.n);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      row.store_index(i, static_cast<std::int64_t>(sorter.indices()[i]));
    }
  });
}

template <class T>
void sort_rows(DeviceInterface& device, bool descending, bool indices, const View& x, const View& out) {
  const std::int64_t n = x.shape[1];
  const std::int64_t inner = x.shape[2];
  const std::int64_t rows = x.shape[0] * inner;
  const auto out_item = static_cast<std::int64_t>(itemsize(out.dtype));
  const auto row_at = [&](std::int64_t index) {
    const std::int64_t o = index / inner;
    const std::int64_t i = index % inner;
    return Row<T>{x.as<T>() + o * x.strides[0] + i * x.strides[2],
                  out.as<std::byte>() + (o * out.strides[0] + i * out.strides[2]) * out_item,
                  x.strides[1],
                  out.strides[1],
                  n,
                  descending};
  };
  if (n <= kShortRow) {
    const std::int64_t rows_a_task = std::max<std::int64_t>(1, kTaskElements / std::max<std::int64_t>(n, 1));
    parallel_for(block_count(rows, rows_a_task), rows * n * kWork, [&](std::int64_t task) {
      const BlockRange mine = block_range(task, rows_a_task, rows);
      for (std::int64_t row = mine.begin; row < mine.end; ++row) sort_short_row(row_at(row), indices);
    });
    return;
  }
  const bool few = n <= std::numeric_limits<std::uint32_t>::max();
  const auto sort_one = [&](std::int64_t row) {
    if (few)
      sort_long_row<T, std::uint32_t>(device, row_at(row), indices);
    else
      sort_long_row<T, std::uint64_t>(device, row_at(row), indices);
  };
  // Rows of one block go side by side; a longer row is sorted by all threads.
  if (n <= RadixSort<std::uint32_t, std::uint32_t>::kBlock) {
    parallel_for(rows, rows * n * kWork, sort_one);
  } else {
    for (std::int64_t row = 0; row < rows; ++row) sort_one(row);
  }
}

}  // namespace

void CpuDevice::sort(bool descending, bool indices, const View& x, const View& out) {
  visit_dtype(x.dtype, [&](auto zero) { sort_rows<decltype(zero)>(*this, descending, indices, x, out); });
}

}  // namespace tessera::cpu
