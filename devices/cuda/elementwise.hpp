#pragma once

// The loop of element-wise kernels.

#include "devices/cuda/device_code.hpp"

namespace tessera::cuda {

/// Elements that a thread has in flight: more for what costs little beside its memory.
inline constexpr int kBatch = 4;

/// out[i] = compute(offsets of the inputs), `size` elements at a time.
template <class Result, int size, int N, class Compute>
__device__ void for_each_element(const Walk<N>& walk, void* out, const Compute& compute) {
  for (Batch<size> batch; batch.first < walk.count; batch.first += batch.step) {
    Result results[size];
    std::int64_t targets[size];
    for (int b = 0; b < size; ++b) {
      if (batch.at(b) >= walk.count) break;
      std::int64_t at[N];
      walk.offsets(batch.at(b), at);
      targets[b] = at[0];
      results[b] = compute(at);
    }
    for (int b = 0; b < size; ++b) {
      if (batch.at(b) >= walk.count) break;
      static_cast<Result*>(out)[targets[b]] = results[b];
    }
  }
}

}  // namespace tessera::cuda
