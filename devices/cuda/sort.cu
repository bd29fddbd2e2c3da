// Stable sorts along the middle axis: keys of the same order as the elements, each with its position, sorted
// by Thrust over all axes at once, then by axis. The elements are gathered at the end.

#include "devices/cuda/sort_keys.hpp"

#include <platform/sort.hpp>

namespace tessera::cuda {
namespace {

struct Shape3 {
  std::int64_t length;
  std::int64_t inner;
  std::int64_t strides[3];
  std::int64_t out_strides[3];
};

/// Position p is element p % length of axis p / length. The axis is in the upper half of the key where both
/// fit.
template <class T>
__global__ void keys_kernel(Shape3 shape, std::int64_t count, bool descending, bool with_axis, const T* x,
                            std::uint64_t* keys, std::uint64_t* positions) {
  for (std::int64_t p = thread_in_grid(); p < count; p += threads_in_grid()) {
    const std::int64_t axis = p / shape.length;
    const std::int64_t offset = axis / shape.inner * shape.strides[0] + p % shape.length * shape.strides[1] +
                                axis % shape.inner * shape.strides[2];
    const std::uint64_t key = sort_key(x[offset], descending);
    keys[p] = with_axis ? key | static_cast<std::uint64_t>(axis) << 32U : key;
    positions[p] = static_cast<std::uint64_t>(p);
  }
}

__global__ void axes_kernel(std::int64_t length, std::int64_t count, const std::uint64_t* positions,
                            std::uint64_t* keys) {
  for (std::int64_t p = thread_in_grid(); p < count; p += threads_in_grid()) {
    keys[p] = positions[p] / static_cast<std::uint64_t>(length);
  }
}

/// `x` is null where positions are wanted.
template <class T>
__global__ void gather_kernel(Shape3 shape, std::int64_t count, const std::uint64_t* positions, const T* x,
                              T* out) {
  for (std::int64_t p = thread_in_grid(); p < count; p += threads_in_grid()) {
    const std::int64_t axis = p / shape.length;
    const std::int64_t from = static_cast<std::int64_t>(positions[p]) % shape.length;
    const std::int64_t target = axis / shape.inner * shape.out_strides[0] +
                                p % shape.length * shape.out_strides[1] +
                                axis % shape.inner * shape.out_strides[2];
    if (x == nullptr) {
      out[target] = static_cast<T>(from);
    } else {
      out[target] = x[axis / shape.inner * shape.strides[0] + from * shape.strides[1] +
                      axis % shape.inner * shape.strides[2]];
    }
  }
}

template <class Key, class Value>
void sort_with(CudaDevice& device, Key* keys, Value* values, std::int64_t count) {
  PoolAllocator allocator(device);
  device.check(stable_sort(device.stream(), allocator, keys, values, static_cast<std::size_t>(count)));
}

}  // namespace

void sort_pairs(CudaDevice& device, std::uint32_t* keys, std::uint32_t* values, std::int64_t count) {
  sort_with(device, keys, values, count);
}

void sort_pairs(CudaDevice& device, std::uint64_t* keys, std::uint64_t* values, std::int64_t count) {
  sort_with(device, keys, values, count);
}

void CudaDevice::sort(bool descending, bool indices, const View& x, const View& out) {
  const std::int64_t count = out.size();
  if (count == 0) return;
  enter();
  Shape3 shape{x.shape[1], x.shape[2], {}, {}};
  for (int i = 0; i < 3; ++i) {
    shape.strides[i] = x.strides[i];
    shape.out_strides[i] = out.strides[i];
  }
  const auto bytes = static_cast<std::size_t>(count) * sizeof(std::uint64_t);
  const Workspace keys = scratch(bytes);
  const Workspace positions = scratch(bytes);
  const dim3 grid = grid_for(count, kThreads);
  const std::int64_t axes = count / shape.length;
  const bool with_axis = itemsize(x.dtype) <= 4 && axes <= std::numeric_limits<std::uint32_t>::max();
  visit_dtype(x.dtype, [&]<class T>(T) {
    enqueue(keys_kernel<T>, grid, kThreads, shape, count, descending, with_axis, x.as<const T>(),
            keys.as<std::uint64_t>(), positions.as<std::uint64_t>());
  });
  sort_pairs(*this, keys.as<std::uint64_t>(), positions.as<std::uint64_t>(), count);
  if (axes > 1 && !with_axis) {
    enqueue(axes_kernel, grid, kThreads, shape.length, count, positions.as<const std::uint64_t>(),
            keys.as<std::uint64_t>());
    sort_pairs(*this, keys.as<std::uint64_t>(), positions.as<std::uint64_t>(), count);
  }
  if (indices) {
    enqueue(gather_kernel<std::int64_t>, grid, kThreads, shape, count, positions.as<const std::uint64_t>(),
            nullptr, out.as<std::int64_t>());
    return;
  }
  visit_bits(x.dtype, [&]<class T>(T) {
    enqueue(gather_kernel<T>, grid, kThreads, shape, count, positions.as<const std::uint64_t>(),
            x.as<const T>(), out.as<T>());
  });
}

}  // namespace tessera::cuda
