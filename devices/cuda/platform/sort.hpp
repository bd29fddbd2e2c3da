#pragma once

// Device-wide sorts, by Thrust. The emulation runs the same call on Thrust's host system.

#include <cstddef>
#include <cstdint>

#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/system_error.h>

#include <cuda_runtime.h>

namespace tessera::cuda {

/// Puts a stable sort of `count` keys, each with its value, into the queue. `allocator` gives bytes as an
/// std::allocator of char does, and keeps them until the call returns; what it throws goes through.
template <class Key, class Value, class Allocator>
cudaError_t stable_sort(cudaStream_t stream, Allocator& allocator, Key* keys, Value* values,
                        std::size_t count) {
  try {
    thrust::stable_sort_by_key(thrust::cuda::par_nosync(allocator).on(stream), keys, keys + count, values);
  } catch (const thrust::system_error& error) {
    return static_cast<cudaError_t>(error.code().value());
  }
  return cudaGetLastError();
}

}  // namespace tessera::cuda
