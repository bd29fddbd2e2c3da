#pragma once

// A thread holds rows of one matrix in registers; rows of the other come by in tiles in shared memory, which
// all threads of a block read at the same place. A sum starts at 0 and takes the features in ascending order,
// one fused multiply-add each, whatever the sizes, the layouts and the roles of the two matrices are;
// features beyond the last are zeros, up to the next width that there is a kernel for.

#include <algorithm>
#include <cstdint>

#include "devices/cuda/device_code.hpp"
#include "devices/cuda/dot_code.hpp"

namespace tessera::cuda::few_features {

inline constexpr int kBlock = kThreads / 2;  ///< threads: each takes many registers
inline constexpr int kAtOnce = 4;            ///< rows of the tile that a thread takes together
inline constexpr int kTileBytes = 16384;     ///< of shared memory
inline constexpr int kRegisterBytes = 512;   ///< that a thread's rows may take
inline constexpr int kMostHeld = 4;          ///< rows of a thread

/// Rows that a thread holds.
template <class T, int width>
inline constexpr int kHeld = std::clamp(kRegisterBytes / (width * static_cast<int>(sizeof(T))), 1, kMostHeld);
template <class T, int width>
inline constexpr int kTileRows = kTileBytes / (width * static_cast<int>(sizeof(T)));
template <class T>
inline constexpr int kPack = 16 / static_cast<int>(sizeof(T));

/// A matrix of which each row is a point.
template <class T>
struct Points {
  const T* data = nullptr;
  std::int64_t count = 0;
  std::int64_t stride = 0;
  std::int64_t feature_stride = 0;
  int features = 0;
  std::int64_t batch_stride = 0;

  /// Those of one product of a batch.
  __device__ Points of(std::int64_t batch) const {
    Points points = *this;
    points.data += batch * batch_stride;
    return points;
  }
  /// 0 outside.
  __device__ T at(std::int64_t point, int feature) const {
    return point < count && feature < features ? data[point * stride + feature * feature_stride] : T{0};
  }
  /// Blocks of threads that hold all points.
  template <int width>
  __host__ __device__ std::int64_t blocks() const {
    constexpr std::int64_t size = kBlock * kHeld<T, width>;
    return (count + size - 1) / size;
  }
};

/// The points that a thread holds: `first`, and others a block's length apart, so that neighbouring threads
/// have neighbouring points.
template <class T, int width>
struct Held {
  T values[kHeld<T, width>][width];

  __device__ Held(const Points<T>& points, std::int64_t first) {
    TESSERA_UNROLL
    for (int h = 0; h < kHeld<T, width>; ++h) {
      TESSERA_UNROLL
      for (int f = 0; f < width; ++f) values[h][f] = points.at(first + h * kBlock, f);
    }
  }
};

/// Fills the tile with points from `first` on, by all threads of the block; `count` rounded up to kAtOnce.
template <class T, int width>
__device__ void fill_tile(const Points<T>& points, std::int64_t first, int count, Pack<T>* tile) {
  const int elements = (count + kAtOnce - 1) / kAtOnce * kAtOnce * width;
  for (int e = static_cast<int>(threadIdx.x); e < elements; e += kBlock) {
    tile[e / kPack<T>].values[e % kPack<T>] = points.at(first + e / width, e % width);
  }
}

/// The products of a thread's points with kAtOnce neighbours of the tile.
template <class T, int width>
struct Sums {
  T values[kHeld<T, width>][kAtOnce];

  __device__ Sums(const Held<T, width>& held, const Pack<T>* tile, int first) {
    TESSERA_UNROLL
    for (int h = 0; h < kHeld<T, width>; ++h) {
      TESSERA_UNROLL
      for (int c = 0; c < kAtOnce; ++c) values[h][c] = T{0};
    }
    constexpr int packs = width / kPack<T>;
    TESSERA_UNROLL
    for (int p = 0; p < packs; ++p) {
      TESSERA_UNROLL
      for (int c = 0; c < kAtOnce; ++c) {
        const Pack<T> with = tile[(first + c) * packs + p];
        TESSERA_UNROLL
        for (int w = 0; w < kPack<T>; ++w) {
          TESSERA_UNROLL
          for (int h = 0; h < kHeld<T, width>; ++h) {
            values[h][c] = multiply_add(held.values[h][p * kPack<T> + w], with.values[w], values[h][c]);
          }
        }
      }
    }
  }
};

/// Calls f(std::integral_constant<int, width>) for the narrowest width that holds so many features.
template <class F>
void visit_width(std::int64_t features, F&& f) {
  if (features <= 4) return f(std::integral_constant<int, 4>{});
  if (features <= 8) return f(std::integral_constant<int, 8>{});
  if (features <= 16) return f(std::integral_constant<int, 16>{});
  if (features <= 32) return f(std::integral_constant<int, 32>{});
  return f(std::integral_constant<int, 64>{});
}

}  // namespace tessera::cuda::few_features
