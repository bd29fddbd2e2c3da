#pragma once

// Running totals over the threads of a block.

#include <type_traits>

#include "devices/cuda/lanes.hpp"

namespace tessera::cuda {

/// Calls a shuffle with a type that CUDA has it for.
template <class T, class Shuffle>
__device__ T shuffled(T value, const Shuffle& shuffle) {
  if constexpr (sizeof(T) == 8 && !std::is_floating_point_v<T>) {
    return static_cast<T>(shuffle(static_cast<long long>(value)));
  } else {
    return shuffle(value);
  }
}

template <class T>
__device__ T from_lane(T value, int lane) {
  return shuffled(value, [lane](auto word) { return __shfl_sync(kAllLanes, word, lane); });
}
/// From `distance` lanes before; the caller's own where there is none.
template <class T>
__device__ T from_lane_before(T value, int distance) {
  return shuffled(value, [distance](auto word) {
    return __shfl_up_sync(kAllLanes, word, static_cast<unsigned>(distance));
  });
}

/// What lies before a thread in its warp, before its warp in the block, and in the block as a whole.
template <class A>
struct Bases {
  A thread;
  A warp;
  A total;
};

/// Of a block of kThreads. `warp_totals` holds one value a warp.
template <class A, class Combine>
__device__ Bases<A> bases_in_block(A value, A start, A* warp_totals, const Combine& combine) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
  Bases<A> bases{start, start, start};
  A sum = start;
  if constexpr (std::is_floating_point_v<A>) {
    for (int from = 0; from < kWarpSize; ++from) {  // one after the other
      const A theirs = from_lane(value, from);
      if (from == lane) bases.thread = sum;
      sum = combine(sum, theirs);
    }
  } else {  // the same in any order
    A mine = value;
    for (int distance = 1; distance < kWarpSize; distance *= 2) {
      const A theirs = from_lane_before(mine, distance);
      if (lane >= distance) mine = combine(theirs, mine);
    }
    const A before = from_lane_before(mine, 1);
    if (lane > 0) bases.thread = before;
    sum = from_lane(mine, kWarpSize - 1);
  }
  if (lane == 0) warp_totals[warp] = sum;
  __syncthreads();
  for (int w = 0; w < kThreads / kWarpSize; ++w) {
    if (w == warp) bases.warp = bases.total;
    bases.total = combine(bases.total, warp_totals[w]);
  }
  __syncthreads();
  return bases;
}

}  // namespace tessera::cuda
