#include <algorithm>
#include <cstring>

#include "devices/cpu/cpu_device.hpp"
#include "devices/cpu/positions.hpp"
#include "devices/cpu/threads.hpp"

namespace tessera::cpu {
namespace {

/// Elements of a task.
constexpr std::int64_t kTaskElements = std::int64_t{32} << 10U;
/// A call of memcpy costs more than a loop for runs of fewer bytes.
constexpr std::int64_t kLeastMemcpy = 64;

/// How [outer, middle, inner] is cut into tasks: rows are pairs of outer and middle, strips are of inner.
struct Cut {
  std::int64_t rows_a_task;
  std::int64_t strip;
  std::int64_t strips;
  std::int64_t tasks;

  Cut(std::int64_t rows, std::int64_t inner)
      : rows_a_task(std::max<std::int64_t>(1, kTaskElements / std::max<std::int64_t>(inner, 1))),
        strip(std::min(inner, kTaskElements)),
        strips(block_count(inner, std::max<std::int64_t>(strip, 1))),
        tasks(block_count(rows, rows_a_task) * strips) {}
};

/// An element's bits, whatever its dtype.
template <class F>
void visit_size(std::size_t itemsize, const F& f) {
  switch (itemsize) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

template <class T>
void copy_run(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride, std::int64_t count) {
  if (from_stride == 1 && to_stride == 1) {
    if (count * static_cast<std::int64_t>(sizeof(T)) >= kLeastMemcpy) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
    } else {
      for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) to[i * to_stride] = from[i * from_stride];
}

template <class T>
void take_elements(const View& x, const View& indices, const View& out) {
  const std::int64_t count = out.shape[1];
  const std::int64_t inner = out.shape[2];
  const std::int64_t rows = out.shape[0] * count;
  const auto* const index = indices.as<const std::int64_t>();
  const std::int64_t index_stride = indices.strides[0];
  Positions positions(x.shape[1]);
  const Cut cut(rows, inner);
  parallel_for(cut.tasks, out.size(), [&](std::int64_t task) {
    const auto [first, last] = block_range(task / cut.strips, cut.rows_a_task, rows);
    const auto [begin, end] = block_range(task % cut.strips, cut.strip, inner);
    std::int64_t o = first / count;
    std::int64_t c = first % count;
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t position = positions(index[c * index_stride], c);
      if (position >= 0) {
        copy_run(x.as<const T>() + o * x.strides[0] + position * x.strides[1] + begin * x.strides[2],
                 x.strides[2], out.as<T>() + o * out.strides[0] + c * out.strides[1] + begin * out.strides[2],
                 out.strides[2], end - begin);
      }
      if (++c == count) {
        c = 0;
        ++o;
      }
    }
  });
  positions.check([&](std::int64_t element) { return index[element * index_stride]; });
}

template <class T>
void take_elements_along(const View& x, const View& indices, const View& out) {
  const std::int64_t count = out.shape[1];
  const std::int64_t inner = out.shape[2];
  const std::int64_t rows = out.shape[0] * count;
  const auto index_at = [&](std::int64_t o, std::int64_t c, std::int64_t i) {
    return indices
        .as<const std::int64_t>()[o * indices.strides[0] + c * indices.strides[1] + i * indices.strides[2]];
  };
  Positions positions(x.shape[1]);
  const Cut cut(rows, inner);
  parallel_for(cut.tasks, out.size(), [&](std::int64_t task) {
    const auto [first, last] = block_range(task / cut.strips, cut.rows_a_task, rows);
    const auto [begin, end] = block_range(task % cut.strips, cut.strip, inner);
    std::int64_t o = first / count;
    std::int64_t c = first % count;
    for (std::int64_t row = first; row < last; ++row) {
      const T* const from = x.as<const T>() + o * x.strides[0];
      T* const to = out.as<T>() + o * out.strides[0] + c * out.strides[1];
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t position = positions(index_at(o, c, i), row * inner + i);
        if (position >= 0) to[i * out.strides[2]] = from[position * x.strides[1] + i * x.strides[2]];
      }
      if (++c == count) {
        c = 0;
        ++o;
      }
    }
  });
  positions.check([&](std::int64_t element) {
    return index_at(element / inner / count, element / inner % count, element % inner);
  });
}

}  // namespace

void CpuDevice::take(const View& x, const View& indices, const View& out) {
  if (out.size() == 0) return;
  visit_size(itemsize(x.dtype), [&](auto tag) { take_elements<decltype(tag)>(x, indices, out); });
}

void CpuDevice::take_along(const View& x, const View& indices, const View& out) {
  if (out.size() == 0) return;
  visit_size(itemsize(x.dtype), [&](auto tag) { take_elements_along<decltype(tag)>(x, indices, out); });
}

}  // namespace tessera::cpu
