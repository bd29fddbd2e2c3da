// matmul with few features.

#include <algorithm>
#include <cstdlib>

#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/few_features.hpp"
#include "devices/cuda/few_features_code.hpp"

namespace tessera::cuda {
namespace {

using namespace few_features;  // NOLINT(google-build-using-namespace): what this file is about

// Blocks that keep a device busy, and the fewest rows of the tiled matrix that are worth one.
constexpr std::int64_t kEnoughBlocks = 1024;
constexpr std::int64_t kFewestTiled = 64;

template <class T>
struct Output {
  T* data;
  std::int64_t held_stride;
  std::int64_t tiled_stride;
  std::int64_t batch_stride;
  bool packed;  ///< tiled neighbours lie side by side, kAtOnce of them in whole packs
};

/// Writes the products of one held point with kAtOnce tiled ones, of which `count` are there.
template <class T>
__device__ void store(const Output<T>& out, T* to, const T (&values)[kAtOnce], int count) {
  if (out.packed && count >= kAtOnce) {
    TESSERA_UNROLL
    for (int p = 0; p < kAtOnce / kPack<T>; ++p) {
      Pack<T> pack;
      TESSERA_UNROLL
      for (int w = 0; w < kPack<T>; ++w) pack.values[w] = values[p * kPack<T> + w];
      reinterpret_cast<Pack<T>*>(to)[p] = pack;
    }
    return;
  }
  TESSERA_UNROLL
  for (int c = 0; c < kAtOnce; ++c) {
    if (c < count) to[c * out.tiled_stride] = values[c];
  }
}

/// A block takes a block of held points, and `piece` of the tiled ones, of one product of the batch.
template <class T, int width>
__global__ void product_kernel(std::int64_t batch, Points<T> held_batch, Points<T> tiled_batch,
                               std::int64_t piece, Output<T> out) {
  constexpr int held_rows = kHeld<T, width>;
  constexpr int tile_rows = kTileRows<T, width>;
  TESSERA_SHARED(Pack<T>, tile, kTileBytes / 16);
  const std::int64_t blocks = held_batch.template blocks<width>();
  const std::int64_t pieces = (tiled_batch.count + piece - 1) / piece;
  for (std::int64_t number = blockIdx.x; number < batch * blocks * pieces; number += gridDim.x) {
    const std::int64_t product = number / (blocks * pieces);
    const std::int64_t task = number % (blocks * pieces);
    const Points<T> held_points = held_batch.of(product);
    const Points<T> tiled_points = tiled_batch.of(product);
    T* const data = out.data + product * out.batch_stride;
    const std::int64_t row = task % blocks * (kBlock * held_rows) + threadIdx.x;
    const Held<T, width> held(held_points, row);
    const std::int64_t begin = task / blocks * piece;
    const std::int64_t end = begin + piece < tiled_points.count ? begin + piece : tiled_points.count;
    for (std::int64_t first = begin; first < end; first += tile_rows) {
      const int count = end - first < tile_rows ? static_cast<int>(end - first) : tile_rows;
      __syncthreads();
      fill_tile<T, width>(tiled_points, first, count, tile);
      __syncthreads();
      for (int j = 0; j < count; j += kAtOnce) {
        const Sums<T, width> sums(held, tile, j);
        TESSERA_UNROLL
        for (int h = 0; h < held_rows; ++h) {
          const std::int64_t i = row + h * kBlock;
          if (i < held_points.count) {
            store(out, data + i * out.held_stride + (first + j) * out.tiled_stride, sums.values[h],
                  count - j);
          }
        }
      }
    }
  }
}

template <class T, int width>
void run(CudaDevice& device, std::int64_t batch, const Points<T>& held, const Points<T>& tiled,
         const Output<T>& out) {
  const std::int64_t blocks = batch * held.template blocks<width>();
  const std::int64_t wanted = (tiled.count * blocks + kEnoughBlocks - 1) / kEnoughBlocks;
  const std::int64_t piece = (std::max(wanted, kFewestTiled) + kAtOnce - 1) / kAtOnce * kAtOnce;
  const std::int64_t pieces = (tiled.count + piece - 1) / piece;
  device.enqueue(product_kernel<T, width>, device.grid_for(blocks * pieces, 1), kBlock, batch, held, tiled,
                 piece, out);
}

/// Products that it takes to hold one matrix; half as many again where neighbouring threads don't write
/// neighbouring elements.
template <int width, class T>
double cost(const Points<T>& held, const Points<T>& tiled, const Output<T>& out) {
  const bool neighbours = std::abs(out.held_stride) <= std::abs(out.tiled_stride);
  return static_cast<double>(held.template blocks<width>() * kBlock * kHeld<T, width>) *
         static_cast<double>(tiled.count) * (neighbours ? 1.0 : 1.5);
}

template <class T>
Output<T> make_output(const View& out, int held, int tiled) {
  Output<T> result{out.as<T>(), out.strides[held], out.strides[tiled], out.strides[0], false};
  result.packed = result.tiled_stride == 1 && result.held_stride % kPack<T> == 0 &&
                  (out.shape[0] == 1 || result.batch_stride % kPack<T> == 0) &&
                  reinterpret_cast<std::uintptr_t>(result.data) % sizeof(Pack<T>) == 0;
  return result;
}

}  // namespace

void product_of_few_features(CudaDevice& device, const View& x, const View& y, const View& out) {
  const auto features = static_cast<int>(x.shape[2]);
  visit_dtype(x.dtype, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>) {
      const std::int64_t batch = out.shape[0];
      const Points<T> rows{x.as<const T>(), x.shape[1], x.strides[1], x.strides[2], features, x.strides[0]};
      const Points<T> columns{y.as<const T>(), y.shape[2], y.strides[2],
                              y.strides[1],    features,   y.strides[0]};
      const auto with_rows = make_output<T>(out, 1, 2);
      const auto with_columns = make_output<T>(out, 2, 1);
      visit_width(features, [&](auto width) {
        // The roles do not show in the bits.
        if (cost<width>(rows, columns, with_rows) <= cost<width>(columns, rows, with_columns)) {
          run<T, width>(device, batch, rows, columns, with_rows);
        } else {
          run<T, width>(device, batch, columns, rows, with_columns);
        }
      });
    }
  });
}

}  // namespace tessera::cuda
