#include <algorithm>
#include <bit>

#include "devices/common/element_ops.hpp"
#include "devices/cpu/cpu_device.hpp"
#include "devices/cpu/threads.hpp"

namespace tessera::cpu {
namespace {

constexpr std::int64_t kTaskElements = 32 * 1024;
/// Elements whose positions are gathered in a buffer at once.
constexpr std::int64_t kChunk = 1024;

/// How many of sorted[0..n) come before `value`; `right`: or are its equals. Halves without branches.
template <bool right, class T>
std::int64_t position(const T* sorted, std::int64_t stride, std::int64_t n, T value) {
  const auto before = [&](std::int64_t i) {
    const T element = sorted[i * stride];
    return right ? !element::sorts_before(false, value, element)
                 : element::sorts_before(false, element, value);
  };
  std::int64_t first = 0;
  while (n > 1) {
    const std::int64_t half = n / 2;
    first += before(first + half - 1) ? half : 0;
    n -= half;
  }
  return first + (n == 1 && before(first) ? 1 : 0);
}

template <bool right, class T>
void search(const View& sorted, const View& values, const View& out) {
  const std::int64_t n = sorted.shape[0];
  const std::int64_t count = values.shape[0];
  const std::int64_t steps = 4 * std::bit_width(static_cast<std::uint64_t>(n));
  const std::int64_t task_values = std::max<std::int64_t>(1, kTaskElements / (steps + 1));
  parallel_for(block_count(count, task_values), count * (steps + 1), [&](std::int64_t task) {
    const BlockRange mine = block_range(task, task_values, count);
    for (std::int64_t i = mine.begin; i < mine.end; ++i) {
      const T value = values.as<T>()[i * values.strides[0]];
      out.as<std::int64_t>()[i * out.strides[0]] =
          position<right>(sorted.as<T>(), sorted.strides[0], n, value);
    }
  });
}

template <class T>
std::int64_t count_nonzero(const T* x, std::int64_t stride, BlockRange range) {
  std::int64_t count = 0;
  for (std::int64_t i = range.begin; i < range.end; ++i) count += x[i * stride] != T{0} ? 1 : 0;
  return count;
}

/// Writes the positions of the nonzero elements of a range to out[0], out[stride], ...
template <class T>
void write_nonzero(const T* x, std::int64_t x_stride, BlockRange range, std::int64_t* out,
                   std::int64_t stride) {
  std::int64_t positions[kChunk];
  for (std::int64_t begin = range.begin; begin < range.end; begin += kChunk) {
    const std::int64_t end = std::min(begin + kChunk, range.end);
    std::int64_t count = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      positions[count] = i;
      count += x[i * x_stride] != T{0} ? 1 : 0;
    }
    for (std::int64_t j = 0; j < count; ++j, out += stride) *out = positions[j];
  }
}

template <class T>
void find_nonzero(DeviceInterface& device, const View& x, const View& out) {
  const std::int64_t n = x.shape[0];
  const std::int64_t stride = x.strides[0];
  auto* to = out.as<std::int64_t>();
  const std::int64_t out_stride = out.strides[0];
  const std::int64_t blocks = block_count(n, kTaskElements);
  if (blocks <= 1) {
    write_nonzero(x.as<T>(), stride, {0, n}, to, out_stride);
    return;
  }
  // How many each block has, then where each begins.
  const Workspace workspace = device.workspace(static_cast<std::size_t>(blocks) * sizeof(std::int64_t));
  auto* begins = workspace.as<std::int64_t>();
  parallel_for(blocks, n, [&](std::int64_t block) {
    begins[block] = count_nonzero(x.as<T>(), stride, block_range(block, kTaskElements, n));
  });
  std::int64_t total = 0;
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t count = begins[block];
    begins[block] = total;
    total += count;
  }
  parallel_for(blocks, n, [&](std::int64_t block) {
    write_nonzero(x.as<T>(), stride, block_range(block, kTaskElements, n), to + begins[block] * out_stride,
                  out_stride);
  });
}

}  // namespace

void CpuDevice::searchsorted(bool right, const View& sorted, const View& values, const View& out) {
  visit_dtype(sorted.dtype, [&](auto zero) {
    using T = decltype(zero);
    if (right)
      search<true, T>(sorted, values, out);
    else
      search<false, T>(sorted, values, out);
  });
}

void CpuDevice::nonzero(const View& x, const View& out) {
  visit_dtype(x.dtype, [&](auto zero) { find_nonzero<decltype(zero)>(*this, x, out); });
}

}  // namespace tessera::cpu
