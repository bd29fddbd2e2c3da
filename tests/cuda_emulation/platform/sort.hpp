#pragma once

// Takes the place of devices/cuda/platform/sort.hpp.

#include <cstddef>

#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "emulation/runtime.hpp"

namespace tessera::cuda {

template <class Key, class Value, class Allocator>
cudaError_t stable_sort(cudaStream_t stream, Allocator& /*allocator*/, Key* keys, Value* values,
                        std::size_t count) {
  return cuda_emulation::enqueue(
      stream, [=] { thrust::stable_sort_by_key(thrust::cpp::par, keys, keys + count, values); });
}

}  // namespace tessera::cuda
