// matmul_argmin with few features: scores never leave the registers.

#include "devices/common/element_ops.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/few_features.hpp"
#include "devices/cuda/few_features_code.hpp"

namespace tessera::cuda {
namespace {

using namespace few_features;  // NOLINT(google-build-using-namespace): what this file is about

template <class T>
struct Scores {
  const T* bias;
  std::int64_t bias_stride;
  T alpha;
  std::int64_t* indices;
  std::int64_t index_stride;
  T* lowest;
  std::int64_t lowest_stride;
};

/// Each row of x belongs to one thread, which meets the rows of y in ascending order.
template <class T, int width>
__global__ void lowest_kernel(Points<T> x, Points<T> y, Scores<T> scores) {
  constexpr int held_rows = kHeld<T, width>;
  constexpr int tile_rows = kTileRows<T, width>;
  TESSERA_SHARED(Pack<T>, tile, kTileBytes / 16);
  TESSERA_SHARED(T, biases, tile_rows);
  for (std::int64_t block = blockIdx.x; block < x.template blocks<width>(); block += gridDim.x) {
    const std::int64_t row = block * (kBlock * held_rows) + threadIdx.x;
    const Held<T, width> held(x, row);
    // Nothing is above infinity; where all scores are infinite, the first wins.
    T lowest[held_rows];
    std::int64_t indices[held_rows];
    TESSERA_UNROLL
    for (int h = 0; h < held_rows; ++h) {
      lowest[h] = highest<T>();
      indices[h] = 0;
    }
    for (std::int64_t first = 0; first < y.count; first += tile_rows) {
      const std::int64_t rest = y.count - first;
      const int count = rest < tile_rows ? static_cast<int>(rest) : tile_rows;
      __syncthreads();
      fill_tile<T, width>(y, first, count, tile);
      for (int j = static_cast<int>(threadIdx.x); j < count; j += kBlock) {
        biases[j] = scores.bias[(first + j) * scores.bias_stride];
      }
      __syncthreads();
      for (int j = 0; j < count; j += kAtOnce) {
        const Sums<T, width> sums(held, tile, j);
        TESSERA_UNROLL
        for (int c = 0; c < kAtOnce; ++c) {
          if (j + c < count) {
            const T bias = biases[j + c];
            TESSERA_UNROLL
            for (int h = 0; h < held_rows; ++h) {
              const T score = bias + scores.alpha * sums.values[h][c];  // two roundings, as of two operations
              if (element::takes_over(ArgReduceOp::argmin, score, lowest[h])) {
                lowest[h] = score;
                indices[h] = first + j + c;
              }
            }
          }
        }
      }
    }
    TESSERA_UNROLL
    for (int h = 0; h < held_rows; ++h) {
      const std::int64_t i = row + h * kBlock;
      if (i < x.count) {
        scores.indices[i * scores.index_stride] = indices[h];
        scores.lowest[i * scores.lowest_stride] = lowest[h];
      }
    }
  }
}

template <class T>
Points<T> points_of(const View& view) {
  return {view.as<const T>(),
          view.shape[0],
          view.strides[0],
          view.strides[1],
          static_cast<int>(view.shape[1]),
          0};
}

}  // namespace

void lowest_of_few_features(CudaDevice& device, Scalar alpha, const View& x, const View& y, const View& bias,
                            const View& index, const View& score) {
  visit_width(x.shape[1], [&](auto width) {
    visit_dtype(x.dtype, [&]<class T>(T) {
      if constexpr (std::is_floating_point_v<T>) {
        const auto points = points_of<T>(x);
        const Scores<T> scores{bias.as<const T>(), bias.strides[0], alpha.to<T>(),   index.as<std::int64_t>(),
                               index.strides[0],   score.as<T>(),   score.strides[0]};
        device.enqueue(lowest_kernel<T, width>, device.grid_for(points.template blocks<width>(), 1), kBlock,
                       points, points_of<T>(y), scores);
      }
    });
  });
}

}  // namespace tessera::cuda
