#pragma once

// Device-wide sorts, by Thrust. The emulation runs the same call on Thrust's host system.

#include <cstddef>
#include <cstdint>

#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <cuda_runtime.h>

namespace tessera::cuda {

/// Puts a stable sort of `count` keys, each with its value, into the queue. `allocator` gives bytes as an
/// std::allocator of char does, and keeps them until the call returns.
template <class Key, class Value, class Allocator>
void stable_sort(cudaStream_t stream, Allocator& allocator, Key* keys, Value* values, std::size_t count) {
  thrust::stable_sort_by_key(thrust::cuda::par_nosync(allocator).on(stream), keys, keys + count, values);
}

}  // namespace tessera::cuda
