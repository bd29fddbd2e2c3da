#include <algorithm>
#include <numeric>

#include "devices/common/element_ops.hpp"
#include "devices/cpu/cpu_device.hpp"
#include "devices/cpu/positions.hpp"
#include "devices/cpu/scatter_kernels.hpp"
#include "devices/cpu/threads.hpp"

// Chosen by shapes alone, besides a plain loop for few single elements:
//
// by rows of the target  The updates are sorted by index, stably; then a task takes a few rows of the target,
// and
//                        for each the updates that go to it, in their order. Any operation, no partial
//                        results.
// by blocks of updates   For sums into a target that fits a core's cache several times over: a task adds up a
//                        block of updates, in their order, in sums of its own; these are added to the target
//                        in the order of the blocks.

namespace tessera::cpu {
namespace {

/// Elements of updates in a task.
constexpr std::int64_t kTaskElements = std::int64_t{32} << 10U;
/// The sums of a block stay in half of a second-level cache of 1 MiB.
constexpr std::int64_t kSumsBytes = std::int64_t{512} << 10U;
constexpr std::int64_t kMostBlocks = 32;
/// A block has so many times more updates than its sums have elements.
constexpr std::int64_t kUpdatesASum = 4;

struct Scatter {
  ScatterOp op;
  const View& indices;
  const View& updates;
  const View& target;
  std::int64_t outer = target.shape[0];
  std::int64_t axis = target.shape[1];
  std::int64_t inner = target.shape[2];
  std::int64_t count = indices.shape[0];

  std::int64_t position(std::int64_t c) const {
    const std::int64_t index = indices.as<const std::int64_t>()[c * indices.strides[0]];
    return index < 0 ? index + axis : index;
  }
  const std::byte* update(std::int64_t o, std::int64_t c, std::int64_t i) const {
    return updates.as<const std::byte>() +
           (o * updates.strides[0] + c * updates.strides[1] + i * updates.strides[2]) *
               static_cast<std::int64_t>(itemsize(updates.dtype));
  }
  std::byte* row(std::int64_t o, std::int64_t a, std::int64_t i) const {
    return target.as<std::byte>() + (o * target.strides[0] + a * target.strides[1] + i * target.strides[2]) *
                                        static_cast<std::int64_t>(itemsize(target.dtype));
  }
};

// ---- by rows of the target

/// Numbers of updates in the order of their positions, and where a new position begins.
struct Sorted {
  std::int64_t* order;
  std::int64_t* begins;
  std::int64_t groups = 0;

  std::int64_t largest() const {
    std::int64_t most = 0;
    for (std::int64_t g = 0; g < groups; ++g) most = std::max(most, begins[g + 1] - begins[g]);
    return most;
  }
};

void sort_updates(const Scatter& s, std::int64_t* ends, Sorted& sorted) {
  if (ends == nullptr) {  // few updates for the length of the axis
    std::iota(sorted.order, sorted.order + s.count, std::int64_t{0});
    std::sort(sorted.order, sorted.order + s.count, [&](std::int64_t a, std::int64_t b) {
      const std::int64_t pa = s.position(a);
      const std::int64_t pb = s.position(b);
      return pa != pb ? pa < pb : a < b;
    });
    for (std::int64_t c = 0; c < s.count; ++c) {
      if (c == 0 || s.position(sorted.order[c]) != s.position(sorted.order[c - 1])) {
        sorted.begins[sorted.groups++] = c;
      }
    }
  } else {
    std::fill_n(ends, s.axis, std::int64_t{0});
    for (std::int64_t c = 0; c < s.count; ++c) ++ends[s.position(c)];
    std::int64_t begin = 0;
    for (std::int64_t a = 0; a < s.axis; ++a) {
      const std::int64_t length = ends[a];
      ends[a] = begin;
      if (length > 0) sorted.begins[sorted.groups++] = begin;
      begin += length;
    }
    for (std::int64_t c = 0; c < s.count; ++c) sorted.order[ends[s.position(c)]++] = c;
  }
  sorted.begins[sorted.groups] = s.count;
}

void by_target_rows(CpuDevice& device, const Scatter& s) {
  const bool sparse = s.count < s.axis / 8;
  const std::int64_t most_groups = std::min(s.count, s.axis);
  const Workspace room =
      device.workspace(static_cast<std::size_t>(s.count + most_groups + 1) * sizeof(std::int64_t));
  Sorted sorted{room.as<std::int64_t>(), room.as<std::int64_t>() + s.count};
  {
    const Workspace ends =
        device.workspace(sparse ? 0 : static_cast<std::size_t>(s.axis) * sizeof(std::int64_t));
    sort_updates(s, sparse ? nullptr : ends.as<std::int64_t>(), sorted);
  }
  const ScatterRunKernel run = scatter_run_kernel(s.op, s.updates.dtype, s.target.dtype);
  // Where one row of the target has most of the updates, tasks share its columns.
  constexpr std::int64_t narrowest = 256;
  const std::int64_t even = s.inner / 16 * s.count / sorted.largest();
  const std::int64_t strip = std::min(s.inner, std::clamp(even, narrowest, kScatterRun));
  const std::int64_t strips = block_count(s.inner, strip);
  const std::int64_t rows = s.outer * sorted.groups;
  // As many rows of the target as have, on average, updates enough for a task.
  const std::int64_t row_elements = std::max<std::int64_t>(1, s.count / sorted.groups * strip);
  const std::int64_t rows_a_task = std::max<std::int64_t>(1, kTaskElements / row_elements);
  parallel_for(block_count(rows, rows_a_task) * strips, s.updates.size(), [&](std::int64_t task) {
    const auto [i, i_end] = block_range(task % strips, strip, s.inner);
    const auto [first, last] = block_range(task / strips, rows_a_task, rows);
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t o = row / sorted.groups;
      const std::int64_t begin = sorted.begins[row % sorted.groups];
      const std::int64_t end = sorted.begins[row % sorted.groups + 1];
      run({.updates = s.update(o, 0, i),
           .update_row_stride = s.updates.strides[1],
           .update_stride = s.updates.strides[2],
           .target = s.row(o, s.position(sorted.order[begin]), i),
           .target_stride = s.target.strides[2],
           .order = sorted.order + begin,
           .count = end - begin,
           .width = i_end - i});
    }
  });
}

// ---- one after the other

/// Few updates of one element each, into a dtype wide enough to hold sums: sorting them would take longer.
/// The same bits as by rows of the target.
bool by_updates(const Scatter& s) {
  const bool wide = is_integer(s.target.dtype) || s.target.dtype == DType::float64;
  if (s.op != ScatterOp::add || s.outer != 1 || s.inner != 1 || s.count > kTaskElements) return false;
  if (!wide || s.updates.dtype != s.target.dtype) return false;
  visit_dtype(s.target.dtype, [&](auto tag) {
    using T = decltype(tag);
    if constexpr (!std::is_same_v<T, bool>) {
      for (std::int64_t c = 0; c < s.count; ++c) {
        T& element = *reinterpret_cast<T*>(s.row(0, s.position(c), 0));
        element = element::add(element, *reinterpret_cast<const T*>(s.update(0, c, 0)));
      }
    }
  });
  return true;
}

// ---- by blocks of updates

/// target[0, a, i] += the sums of all blocks, first to last.
template <class T, class Sum>
void add_sums(const Scatter& s, std::int64_t o, const Sum* sums, std::int64_t blocks) {
  const std::int64_t size = s.axis * s.inner;
  const std::int64_t rows_a_task = std::max<std::int64_t>(1, kTaskElements / (s.inner * blocks));
  parallel_for(block_count(s.axis, rows_a_task), size * blocks, [&](std::int64_t task) {
    const auto [first, last] = block_range(task, rows_a_task, s.axis);
    for (std::int64_t a = first; a < last; ++a) {
      T* const row = reinterpret_cast<T*>(s.row(o, a, 0));
      if constexpr (std::is_same_v<T, Sum>) {
        if (s.target.strides[2] == 1) {  // loops that the compiler makes vector code of
          for (std::int64_t block = 0; block < blocks; ++block) {
            const Sum* const some = sums + block * size + a * s.inner;
            for (std::int64_t i = 0; i < s.inner; ++i) row[i] = element::add(row[i], some[i]);
          }
          continue;
        }
      }
      for (std::int64_t i = 0; i < s.inner; ++i) {
        T& element = row[i * s.target.strides[2]];
        auto sum = static_cast<Sum>(element);
        for (std::int64_t block = 0; block < blocks; ++block) {
          sum = element::add(sum, sums[block * size + a * s.inner + i]);
        }
        element = static_cast<T>(sum);
      }
    }
  });
}

/// Updates to a block; 0 where this way doesn't pay.
std::int64_t updates_a_block(const Scatter& s) {
  const std::int64_t sums = s.axis * s.inner;
  if (s.op != ScatterOp::add || sums * 8 > kSumsBytes || s.inner > kScatterRun) return 0;
  const std::int64_t least = std::max(kTaskElements, sums * kUpdatesASum) / s.inner;
  if (s.count < least) return 0;
  return std::max(least, block_count(s.count, kMostBlocks));
}

void by_update_blocks(CpuDevice& device, const Scatter& s, std::int64_t block_updates) {
  const std::int64_t blocks = block_count(s.count, block_updates);
  const std::int64_t size = s.axis * s.inner;
  visit_dtype(s.updates.dtype, [&](auto tag) {
    using Update = decltype(tag);
    using Sum = std::conditional_t<std::is_floating_point_v<Update>, double, Update>;
    const Workspace room = device.workspace(static_cast<std::size_t>(blocks * size) * sizeof(Sum));
    auto* const sums = room.as<Sum>();
    const ScatterSumsKernel kernel = scatter_sums_kernel(s.updates.dtype);
    for (std::int64_t o = 0; o < s.outer; ++o) {
      parallel_for(blocks, s.count * s.inner, [&](std::int64_t block) {
        const auto [first, last] = block_range(block, block_updates, s.count);
        std::fill_n(sums + block * size, size, Sum{});
        kernel({.updates = s.update(o, first, 0),
                .update_row_stride = s.updates.strides[1],
                .update_stride = s.updates.strides[2],
                .indices = s.indices.as<const std::int64_t>() + first * s.indices.strides[0],
                .index_stride = s.indices.strides[0],
                .count = last - first,
                .axis = s.axis,
                .inner = s.inner,
                .sums = sums + block * size});
      });
      if constexpr (std::is_same_v<Update, float>) {
        if (s.target.dtype == DType::float64) {
          add_sums<double>(s, o, sums, blocks);
          continue;
        }
      }
      if constexpr (!std::is_same_v<Update, bool>) add_sums<Update>(s, o, sums, blocks);
    }
  });
}

}  // namespace

void CpuDevice::scatter(ScatterOp op, const View& indices, const View& updates, const View& target) {
  const Scatter s{op, indices, updates, target};
  check_indices(s.axis, indices);  // nothing may be written if one is wrong
  if (updates.size() == 0) return;
  const std::int64_t block_updates = updates_a_block(s);
  if (block_updates > 0) {
    by_update_blocks(*this, s, block_updates);
  } else if (!by_updates(s)) {
    by_target_rows(*this, s);
  }
}

}  // namespace tessera::cpu
