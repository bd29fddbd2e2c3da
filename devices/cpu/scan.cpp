#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "devices/common/element_ops.hpp"
#include "devices/cpu/cpu_device.hpp"
#include "devices/cpu/threads.hpp"

namespace tessera::cpu {
namespace {

/// Elements that one task takes. A longer row is scanned in blocks of so many.
constexpr std::int64_t kTaskElements = 32 * 1024;
/// Columns that are scanned together.
constexpr std::int64_t kColumnTile = 512;

/// Floats accumulate in float64, whatever the result's dtype.
template <class Out>
using Accumulator = std::conditional_t<std::is_floating_point_v<Out>, double, Out>;

template <ScanOp op, class Acc>
constexpr Acc join(Acc a, Acc b) {
  return op == ScanOp::sum ? element::add(a, b) : element::multiply(a, b);
}

/// x and out as a scan sees them; strides in elements.
template <ScanOp op, class T, class Out>
class Scan {
 public:
  Scan(const View& x, const View& out) : x_(x), out_(out) {}

  void run(DeviceInterface& device) const {
    if (outer() == 0 || axis() == 0 || inner() == 0) return;
    const bool along_rows = inner() == 1 || std::abs(x_.strides[1]) < std::abs(x_.strides[2]);
    if (!along_rows) {
      columns();
    } else if (axis() >= 2 * kTaskElements) {
      long_rows(device);
    } else {
      rows();
    }
  }

 private:
  using Acc = Accumulator<Out>;
  static constexpr Acc kStart = op == ScanOp::sum ? Acc{0} : Acc{1};

  std::int64_t outer() const { return x_.shape[0]; }
  std::int64_t axis() const { return x_.shape[1]; }
  std::int64_t inner() const { return x_.shape[2]; }
  const T* source(std::int64_t row) const {
    return x_.as<T>() + row / inner() * x_.strides[0] + row % inner() * x_.strides[2];
  }
  Out* target(std::int64_t row) const {
    return out_.as<Out>() + row / inner() * out_.strides[0] + row % inner() * out_.strides[2];
  }

  /// From `before`, the total of what is before the range. It joins at each output, not at the start: so the
  /// last output of a block is what the next one starts from, and sums of what is not negative never fall.
  void scan_row(std::int64_t row, BlockRange range, Acc before) const {
    Acc total = kStart;
    const T* from = source(row);
    Out* to = target(row);
    const std::int64_t step = x_.strides[1];
    const std::int64_t out_step = out_.strides[1];
    for (std::int64_t a = range.begin; a < range.end; ++a) {
      total = join<op>(total, static_cast<Acc>(from[a * step]));
      to[a * out_step] = static_cast<Out>(join<op>(before, total));
    }
  }

  void rows() const {
    const std::int64_t count = outer() * inner();
    const std::int64_t rows_a_task = std::max<std::int64_t>(1, kTaskElements / axis());
    parallel_for(block_count(count, rows_a_task), count * axis(), [&](std::int64_t task) {
      const BlockRange mine = block_range(task, rows_a_task, count);
      for (std::int64_t row = mine.begin; row < mine.end; ++row) scan_row(row, {0, axis()}, kStart);
    });
  }

  /// The total of each block first, then each block from the total of those before it.
  void long_rows(DeviceInterface& device) const {
    const std::int64_t blocks = block_count(axis(), kTaskElements);
    const std::int64_t count = outer() * inner();
    const Workspace workspace = device.workspace(static_cast<std::size_t>(count * blocks) * sizeof(Acc));
    Acc* totals = workspace.as<Acc>();
    parallel_for(count * blocks, count * axis(), [&](std::int64_t task) {
      const BlockRange range = block_range(task % blocks, kTaskElements, axis());
      const T* from = source(task / blocks);
      const std::int64_t step = x_.strides[1];
      Acc total = kStart;
      for (std::int64_t a = range.begin; a < range.end; ++a) {
        total = join<op>(total, static_cast<Acc>(from[a * step]));
      }
      totals[task] = total;
    });
    for (std::int64_t row = 0; row < count; ++row) {
      Acc before = kStart;
      for (std::int64_t block = 0; block < blocks; ++block) {
        const Acc total = totals[row * blocks + block];
        totals[row * blocks + block] = before;
        before = join<op>(before, total);
      }
    }
    parallel_for(count * blocks, count * axis(), [&](std::int64_t task) {
      scan_row(task / blocks, block_range(task % blocks, kTaskElements, axis()), totals[task]);
    });
  }

  void columns() const {
    const std::int64_t width = std::min(inner(), kColumnTile);
    const std::int64_t tiles = block_count(inner(), width);
    const std::int64_t tiles_a_task = std::max<std::int64_t>(1, kTaskElements / (width * axis()));
    parallel_for(block_count(outer() * tiles, tiles_a_task), outer() * axis() * inner(),
                 [&](std::int64_t task) {
                   const BlockRange mine = block_range(task, tiles_a_task, outer() * tiles);
                   for (std::int64_t index = mine.begin; index < mine.end; ++index) {
                     scan_columns(index / tiles, block_range(index % tiles, width, inner()));
                   }
                 });
  }

  void scan_columns(std::int64_t o, BlockRange columns) const {
    Acc totals[kColumnTile];
    std::fill_n(totals, columns.size(), kStart);
    const T* from = x_.as<T>() + o * x_.strides[0] + columns.begin * x_.strides[2];
    Out* to = out_.as<Out>() + o * out_.strides[0] + columns.begin * out_.strides[2];
    for (std::int64_t a = 0; a < axis(); ++a) {
      for (std::int64_t j = 0; j < columns.size(); ++j) {
        totals[j] = join<op>(totals[j], static_cast<Acc>(from[j * x_.strides[2]]));
        to[j * out_.strides[2]] = static_cast<Out>(totals[j]);
      }
      from += x_.strides[1];
      to += out_.strides[1];
    }
  }

  const View& x_;
  const View& out_;
};

template <class T, class Out>
void scan_as(DeviceInterface& device, ScanOp op, const View& x, const View& out) {
  if (op == ScanOp::sum)
    Scan<ScanOp::sum, T, Out>(x, out).run(device);
  else
    Scan<ScanOp::prod, T, Out>(x, out).run(device);
}

}  // namespace

void CpuDevice::scan(ScanOp op, const View& x, const View& out) {
  visit_dtype(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      if (out.dtype == DType::float64)
        scan_as<T, double>(*this, op, x, out);
      else
        scan_as<T, float>(*this, op, x, out);
    } else if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) {
      scan_as<T, std::uint64_t>(*this, op, x, out);
    } else {
      scan_as<T, std::int64_t>(*this, op, x, out);
    }
  });
}

}  // namespace tessera::cpu
