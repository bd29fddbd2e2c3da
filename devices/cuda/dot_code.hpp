#pragma once

// Dot products, in the order that the device `cpu` has for them (devices/cpu/product_kernels.hpp, `lanes`):
// lane l of 64 bytes sums products l, l + 16, l + 32, ... (l + 8 for float64) of a block by fused
// multiply-adds, lanes are added up as a tree, and blocks in float64.

#include <cstdint>

#include "devices/cuda/lanes.hpp"

namespace tessera::cuda {

__device__ inline float multiply_add(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
__device__ inline double multiply_add(double a, double b, double c) {
  return __fma_rn(a, b, c);
}

template <class T>
inline constexpr int kDotLanes = 64 / static_cast<int>(sizeof(T));
inline constexpr std::int64_t kDotBlock = 2048;

/// Two vectors, by their distance between elements.
template <class T>
struct DotOperands {
  const T* x;
  std::int64_t x_stride;
  const T* y;
  std::int64_t y_stride;

  __device__ T add_product(std::int64_t at, T sum) const {
    return multiply_add(x[at * x_stride], y[at * y_stride], sum);
  }
};

/// By one thread.
template <class T>
__device__ double dot_of_thread(const DotOperands<T>& operands, std::int64_t count) {
  double total = 0;
  for (std::int64_t first = 0; first < count; first += kDotBlock) {
    const std::int64_t end = count - first < kDotBlock ? count : first + kDotBlock;
    T sums[kDotLanes<T>] = {};
    for (std::int64_t at = first; at < end; at += kDotLanes<T>) {
      TESSERA_UNROLL
      for (int l = 0; l < kDotLanes<T>; ++l) {
        if (at + l < end) sums[l] = operands.add_product(at + l, sums[l]);
      }
    }
    TESSERA_UNROLL
    for (int half = kDotLanes<T> / 2; half > 0; half /= 2) {
      TESSERA_UNROLL
      for (int l = 0; l < half; ++l) sums[l] += sums[l + half];
    }
    total += static_cast<double>(sums[0]);
  }
  return total;
}

/// By `lanes` threads, a warp or a block, each kDotLanes of them a block of the vectors; lane 0 has the
/// result. `shared` holds one value for kDotLanes threads of the block.
template <class T>
__device__ double dot_of_lanes(const DotOperands<T>& operands, std::int64_t count, int lanes, int lane,
                               double* shared) {
  const int groups = lanes / kDotLanes<T>;
  const int group = lane / kDotLanes<T>;
  const std::int64_t blocks = (count + kDotBlock - 1) / kDotBlock;
  double total = 0;
  for (std::int64_t round = 0; round < blocks; round += groups) {
    const std::int64_t first = (round + group) * kDotBlock;
    const std::int64_t end = count - first < kDotBlock ? count : first + kDotBlock;
    T sum{};
    for (std::int64_t at = first + lane % kDotLanes<T>; at < end; at += kDotLanes<T>) {
      sum = operands.add_product(at, sum);
    }
    for (int bits = kDotLanes<T> / 2; bits > 0; bits /= 2) sum += from_lane_xor(sum, bits);
    if (lanes == kWarpSize) {
      for (int g = 0; g < groups; ++g) {
        const auto of_group = static_cast<double>(from_lane_xor(sum, g * kDotLanes<T>));
        if (round + g < blocks) total += of_group;
      }
    } else {
      if (lane % kDotLanes<T> == 0) shared[group] = static_cast<double>(sum);
      __syncthreads();
      for (int g = 0; g < groups && round + g < blocks; ++g) total += shared[g];
      __syncthreads();
    }
  }
  return total;
}

}  // namespace tessera::cuda
