// Stable sorts along the middle axis: keys of the same order as the elements, each with its position, sorted
// over all axes at once, and by axis in the same sort or another one. The elements are gathered at the end.

#include "devices/cuda/axes.hpp"
#include "devices/cuda/sort_keys.hpp"

#include <platform/sort.hpp>

namespace tessera::cuda {
namespace {

/// Position p is element p % length of axis p / length. Axes other than 0 are in the key above the element.
template <class T>
__global__ void keys_kernel(Axes axes, std::int64_t count, bool descending, int axis_shift, const T* x,
                            std::uint64_t* keys, std::uint64_t* positions) {
  for (std::int64_t p = thread_in_grid(); p < count; p += threads_in_grid()) {
    const std::int64_t axis = p / axes.length;
    const std::uint64_t key = sort_key(x[axes.in(axis) + p % axes.length * axes.strides[1]], descending);
    keys[p] = axis_shift > 0 ? key | static_cast<std::uint64_t>(axis) << axis_shift : key;
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
__global__ void gather_kernel(Axes axes, std::int64_t count, const std::uint64_t* positions, const T* x,
                              T* out) {
  for (std::int64_t p = thread_in_grid(); p < count; p += threads_in_grid()) {
    const std::int64_t axis = p / axes.length;
    const std::int64_t from = static_cast<std::int64_t>(positions[p]) % axes.length;
    T& target = out[axes.out(axis) + p % axes.length * axes.out_strides[1]];
    target = x == nullptr ? static_cast<T>(from) : x[axes.in(axis) + from * axes.strides[1]];
  }
}

}  // namespace

template <class Key>
Pairs<Key>::Pairs(CudaDevice& device, std::int64_t count) : device_(device), count_(count) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(Key);
  keys_[0].emplace(device.scratch(bytes));
  values_[0].emplace(device.scratch(bytes));
}

template <class Key>
void Pairs<Key>::sort(int bits) {
  const int other = 1 - side_;
  const std::size_t bytes = static_cast<std::size_t>(count_) * sizeof(Key);
  keys_[other].emplace(device_.scratch(bytes));
  values_[other].emplace(device_.scratch(bytes));
  Key* const keys[2] = {this->keys(), keys_[other]->template as<Key>()};
  Key* const values[2] = {this->values(), values_[other]->template as<Key>()};
  std::optional<Workspace> room;
  const auto allocate = [&](std::size_t size) { return room.emplace(device_.scratch(size)).data(); };
  bool moved = false;
  device_.check(
      stable_sort(device_.stream(), allocate, keys, values, static_cast<std::size_t>(count_), bits, moved));
  if (moved) side_ = other;
  keys_[1 - side_].reset();
  values_[1 - side_].reset();
}

template class Pairs<std::uint32_t>;
template class Pairs<std::uint64_t>;

void CudaDevice::sort(bool descending, bool indices, const View& x, const View& out) {
  const std::int64_t count = out.size();
  if (count == 0) return;
  enter();
  const Axes axes = make_axes(x, out);
  const dim3 grid = grid_for(count, kThreads);
  const int element_bits = static_cast<int>(itemsize(x.dtype)) * 8;
  const int axis_bits = axes.count > 1 ? bits_of(axes.count) : 0;
  const bool at_once = element_bits + axis_bits <= 64;
  const int shift = at_once && axis_bits > 0 ? element_bits : 0;
  Pairs<std::uint64_t> pairs(*this, count);
  visit_dtype(x.dtype, [&]<class T>(T) {
    enqueue(keys_kernel<T>, grid, kThreads, axes, count, descending, shift, x.as<const T>(), pairs.keys(),
            pairs.values());
  });
  pairs.sort(at_once ? element_bits + axis_bits : element_bits);
  if (!at_once) {
    enqueue(axes_kernel, grid, kThreads, axes.length, count, pairs.values(), pairs.keys());
    pairs.sort(axis_bits);
  }
  if (indices) {
    enqueue(gather_kernel<std::int64_t>, grid, kThreads, axes, count, pairs.values(), nullptr,
            out.as<std::int64_t>());
    return;
  }
  visit_bits(x.dtype, [&]<class T>(T) {
    enqueue(gather_kernel<T>, grid, kThreads, axes, count, pairs.values(), x.as<const T>(), out.as<T>());
  });
}

}  // namespace tessera::cuda
