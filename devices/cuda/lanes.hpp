#pragma once

// What threads of one task hold together: reductions and arg-reductions, in a fixed order. Kernels that are
// compiled at run time (program_source.hpp) include this too, so it includes nothing of the host.

#include <cstdint>
#include <limits>
#include <type_traits>

#include <tessera/kernel_ops.hpp>

#include <platform/kernel.hpp>
#include "devices/common/element_ops.hpp"

namespace tessera::cuda {

inline constexpr int kWarpSize = 32;
inline constexpr unsigned kAllLanes = 0xffffffffU;

template <class T>
__device__ T from_lane_xor(T value, int bits) {
  if constexpr (sizeof(T) < 4) {
    return static_cast<T>(__shfl_xor_sync(kAllLanes, static_cast<int>(value), bits));
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return static_cast<T>(__shfl_xor_sync(kAllLanes, static_cast<long long>(value), bits));
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return static_cast<T>(__shfl_xor_sync(kAllLanes, static_cast<long long>(value), bits));
  } else {
    return __shfl_xor_sync(kAllLanes, value, bits);
  }
}

/// Combines what the lanes of a task hold, in a fixed order; lane 0 has the result. `shared` holds one value
/// a warp of the block.
template <class T, class Combine>
__device__ T combine_lanes(T value, int lanes, int lane, T* shared, const Combine& combine) {
  if (lanes == 1) return value;
  for (int bits = kWarpSize / 2; bits > 0; bits /= 2) value = combine(value, from_lane_xor(value, bits));
  if (lanes == kWarpSize) return value;
  if (lane % kWarpSize == 0) shared[lane / kWarpSize] = value;
  __syncthreads();
  if (lane == 0) {
    for (int warp = 1; warp < lanes / kWarpSize; ++warp) value = combine(value, shared[warp]);
  }
  __syncthreads();
  return value;
}

// ---- reductions

template <class T>
constexpr T highest() {
  if constexpr (std::numeric_limits<T>::has_infinity)
    return std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::max();
}
template <class T>
constexpr T lowest() {
  if constexpr (std::numeric_limits<T>::has_infinity)
    return -std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::lowest();
}

/// A: what the operation accumulates in.
template <ReduceOp op, class A>
constexpr A start() {
  if constexpr (op == ReduceOp::prod) return A{1};
  if constexpr (op == ReduceOp::min) return highest<A>();
  if constexpr (op == ReduceOp::max) return lowest<A>();
  if constexpr (op == ReduceOp::all) return true;
  return A{0};
}

template <ReduceOp op, class A>
constexpr A combined(A a, A b) {
  if constexpr (op == ReduceOp::sum) return element::add(a, b);
  if constexpr (op == ReduceOp::prod) return element::multiply(a, b);
  if constexpr (op == ReduceOp::min) return element::minimum(a, b);
  if constexpr (op == ReduceOp::max) return element::maximum(a, b);
  if constexpr (op == ReduceOp::any) return a || b;
  if constexpr (op == ReduceOp::all) return a && b;
}

// ---- argmin and argmax

template <class T>
struct Candidate {
  T value;
  std::int64_t index;  ///< -1: none yet
};

/// Of a later candidate.
template <class T>
__device__ void offer(ArgReduceOp op, Candidate<T>& best, T value, std::int64_t index) {
  if (best.index < 0 || element::takes_over(op, value, best.value)) best = {value, index};
}

/// Of two that may come in any order. Values are chosen, not references: those would keep both in memory.
template <class T>
__device__ Candidate<T> better(ArgReduceOp op, Candidate<T> a, Candidate<T> b) {
  const bool b_first = b.index < a.index;
  const bool later_wins = element::takes_over(op, b_first ? a.value : b.value, b_first ? b.value : a.value);
  const bool takes_b = a.index < 0 || (b.index >= 0 && later_wins != b_first);
  return {takes_b ? b.value : a.value, takes_b ? b.index : a.index};
}

template <class T>
__device__ Candidate<T> better_of_lanes(ArgReduceOp op, Candidate<T> best, int lanes, int lane, T* values,
                                        std::int64_t* indices) {
  if (lanes == 1) return best;
  for (int bits = kWarpSize / 2; bits > 0; bits /= 2) {
    best = better(op, best, {from_lane_xor(best.value, bits), from_lane_xor(best.index, bits)});
  }
  if (lanes == kWarpSize) return best;
  if (lane % kWarpSize == 0) {
    values[lane / kWarpSize] = best.value;
    indices[lane / kWarpSize] = best.index;
  }
  __syncthreads();
  if (lane == 0) {
    for (int warp = 1; warp < lanes / kWarpSize; ++warp)
      best = better(op, best, {values[warp], indices[warp]});
  }
  __syncthreads();
  return best;
}

}  // namespace tessera::cuda
