#pragma once

// Device-wide sorts, by CUB. The emulation has its own.

#include <cstddef>

#include <cub/device/device_radix_sort.cuh>

#include <cuda_runtime.h>

namespace tessera::cuda {

/// Puts a stable sort of `count` keys by their lowest `bits` bits, each with its value, into the queue. The
/// first buffers hold them; `moved` says whether the result is in the second ones. `allocate` gives bytes
/// that stay until the call returns.
template <class Key, class Value, class Allocate>
cudaError_t stable_sort(cudaStream_t stream, const Allocate& allocate, Key* const (&keys)[2],
                        Value* const (&values)[2], std::size_t count, int bits, bool& moved) {
  cub::DoubleBuffer<Key> sorted_keys(keys[0], keys[1]);
  cub::DoubleBuffer<Value> sorted_values(values[0], values[1]);
  const auto sort = [&](void* room, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(room, bytes, sorted_keys, sorted_values, count, 0, bits, stream);
  };
  std::size_t bytes = 0;
  cudaError_t error = sort(nullptr, bytes);
  if (error == cudaSuccess) error = sort(allocate(bytes), bytes);
  moved = sorted_keys.selector == 1;  // the values go where their keys go
  return error;
}

}  // namespace tessera::cuda
