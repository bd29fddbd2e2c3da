// Inclusive sums and products along the middle axis. Floats run in float64.
//
// Sums of numbers that are not negative never fall, and adding zero changes nothing, to the last bit: a value
// is base of the piece + (base of the warp + (base of the thread + sum in the thread)), and each level hands
// its last value on as the base of the next part. Bases of two levels are never added up beforehand.

#include <cstdlib>

#include <tessera/scalar.hpp>

#include "devices/common/element_ops.hpp"
#include "devices/cuda/axes.hpp"
#include "devices/cuda/block_scan.hpp"
#include "devices/cuda/cuda_device.hpp"

namespace tessera::cuda {
namespace {

// A thread's neighbours on the axis, and what a block takes at once.
constexpr int kPerThread = 8;
constexpr std::int64_t kPiece = kThreads * kPerThread;
// Axes at least as many as this are walked by one thread each.
constexpr std::int64_t kManyAxes = 8192;
constexpr std::int64_t kShortAxis = 64;
// Axes at least this long, with others between them in memory, are walked in tiles.
constexpr std::int64_t kShortestInTiles = 8;
constexpr int kTile = kWarpSize;

template <ScanOp op, class A>
constexpr A combined(A a, A b) {
  return op == ScanOp::sum ? element::add(a, b) : element::multiply(a, b);
}
template <ScanOp op, class A>
inline constexpr A kStart = op == ScanOp::sum ? A{0} : A{1};

/// A thread an axis, whose neighbours have the axes beside it.
template <ScanOp op, class T, class A, class Out>
__global__ void walk_kernel(Axes axes, const T* x, Out* out) {
  for (std::int64_t axis = thread_in_grid(); axis < axes.count; axis += threads_in_grid()) {
    const T* from = x + axes.in(axis);
    Out* to = out + axes.out(axis);
    A total = kStart<op, A>;
    for (std::int64_t j = 0; j < axes.length; ++j) {
      total = combined<op>(total, convert<A>(from[j * axes.strides[1]]));
      to[j * axes.out_strides[1]] = convert<Out>(total);
    }
  }
}

/// As walk_kernel where elements of an axis lie side by side, and axes apart: both are read and written along
/// the memory, in tiles of kTile axes.
template <ScanOp op, class T, class A, class Out>
__global__ void walk_tiles_kernel(Axes axes, const T* x, Out* out) {
  constexpr int kPitch = kTile + 1;
  TESSERA_SHARED(T, tile, kTile * kPitch);
  TESSERA_SHARED(Out, results, kTile * kPitch);
  const auto thread = static_cast<int>(threadIdx.x);
  const int column = thread % kTile;
  for (std::int64_t first = std::int64_t{blockIdx.x} * kTile; first < axes.count;
       first += std::int64_t{gridDim.x} * kTile) {
    const std::int64_t rest = axes.count - first;
    const int rows = rest < kTile ? static_cast<int>(rest) : kTile;
    A total = kStart<op, A>;
    for (std::int64_t at = 0; at < axes.length; at += kTile) {
      const std::int64_t left = axes.length - at;
      const int columns = left < kTile ? static_cast<int>(left) : kTile;
      for (int row = thread / kTile; row < rows && column < columns; row += kThreads / kTile) {
        tile[row * kPitch + column] = x[(first + row) * axes.strides[0] + (at + column) * axes.strides[1]];
      }
      __syncthreads();
      if (thread < rows) {
        for (int j = 0; j < columns; ++j) {
          total = combined<op>(total, convert<A>(tile[thread * kPitch + j]));
          results[thread * kPitch + j] = convert<Out>(total);
        }
      }
      __syncthreads();
      for (int row = thread / kTile; row < rows && column < columns; row += kThreads / kTile) {
        out[(first + row) * axes.out_strides[0] + (at + column) * axes.out_strides[1]] =
            results[row * kPitch + column];
      }
    }
  }
}

/// A block a piece of an axis. Without `out`, the piece's total goes to `totals`; with it, `totals` holds the
/// base of each piece.
template <ScanOp op, class T, class A, class Out>
__global__ void piece_kernel(Axes axes, std::int64_t pieces, const T* x, A* totals, Out* out) {
  TESSERA_SHARED(A, warp_totals, kThreads / kWarpSize);
  for (std::int64_t number = blockIdx.x; number < axes.count * pieces; number += gridDim.x) {
    const std::int64_t axis = number / pieces;
    const std::int64_t first = number % pieces * kPiece + static_cast<std::int64_t>(threadIdx.x) * kPerThread;
    const T* const from = x + axes.in(axis);
    A inside[kPerThread];
    A sum = kStart<op, A>;
    for (int j = 0; j < kPerThread; ++j) {
      if (first + j < axes.length) sum = combined<op>(sum, convert<A>(from[(first + j) * axes.strides[1]]));
      inside[j] = sum;
    }
    const Bases<A> bases =
        bases_in_block(sum, kStart<op, A>, warp_totals, [](A a, A b) { return combined<op>(a, b); });
    if (out == nullptr) {
      if (threadIdx.x == 0) totals[number] = bases.total;
      continue;
    }
    Out* const to = out + axes.out(axis);
    const A base = totals[number];
    for (int j = 0; j < kPerThread; ++j) {
      if (first + j >= axes.length) break;
      const A in_warp = combined<op>(bases.thread, inside[j]);
      to[(first + j) * axes.out_strides[1]] =
          convert<Out>(combined<op>(base, combined<op>(bases.warp, in_warp)));
    }
  }
}

/// totals[axis, piece] becomes what the pieces before it hold: a warp an axis.
template <ScanOp op, class A>
__global__ void bases_kernel(std::int64_t axes, std::int64_t pieces, A* totals) {
  const int lane = static_cast<int>(threadIdx.x);
  for (std::int64_t axis = blockIdx.x; axis < axes; axis += gridDim.x) {
    A sum = kStart<op, A>;
    for (std::int64_t first = 0; first < pieces; first += kWarpSize) {
      const std::int64_t at = axis * pieces + first + lane;
      const bool there = first + lane < pieces;
      const A value = there ? totals[at] : kStart<op, A>;
      A mine = sum;
      for (int from = 0; from < kWarpSize; ++from) {
        const A theirs = from_lane(value, from);
        if (from == lane) mine = sum;
        sum = combined<op>(sum, theirs);
      }
      if (there) totals[at] = mine;
    }
  }
}

template <ScanOp op, class T, class A, class Out>
void run(CudaDevice& device, const View& x, const View& out) {
  const Axes axes = make_axes(x, out);
  if (axes.count >= kManyAxes || axes.length <= kShortAxis) {
    const bool lie_apart = axes.inner == 1 && axes.length >= kShortestInTiles &&
                           std::abs(axes.strides[1]) < std::abs(axes.strides[0]);
    if (lie_apart) {
      device.enqueue(walk_tiles_kernel<op, T, A, Out>, device.grid_for(axes.count, kTile), kThreads, axes,
                     x.as<const T>(), out.as<Out>());
    } else {
      device.enqueue(walk_kernel<op, T, A, Out>, device.grid_for(axes.count, kThreads), kThreads, axes,
                     x.as<const T>(), out.as<Out>());
    }
    return;
  }
  const std::int64_t pieces = (axes.length + kPiece - 1) / kPiece;
  const Workspace totals = device.scratch(static_cast<std::size_t>(axes.count * pieces) * sizeof(A));
  const dim3 grid = device.grid_for(axes.count * pieces, 1);
  device.enqueue(piece_kernel<op, T, A, Out>, grid, kThreads, axes, pieces, x.as<const T>(), totals.as<A>(),
                 nullptr);
  device.enqueue(bases_kernel<op, A>, device.grid_for(axes.count, 1), kWarpSize, axes.count, pieces,
                 totals.as<A>());
  device.enqueue(piece_kernel<op, T, A, Out>, grid, kThreads, axes, pieces, x.as<const T>(), totals.as<A>(),
                 out.as<Out>());
}

template <ScanOp op>
void run_dtype(CudaDevice& device, const View& x, const View& out) {
  visit_accumulated(x.dtype, out.dtype,
                    [&]<class T, class A, class Out>(T, A, Out) { run<op, T, A, Out>(device, x, out); });
}

}  // namespace

void CudaDevice::scan(ScanOp op, const View& x, const View& out) {
  if (out.size() == 0) return;
  enter();
  if (op == ScanOp::sum) {
    run_dtype<ScanOp::sum>(*this, x, out);
  } else {
    run_dtype<ScanOp::prod>(*this, x, out);
  }
}

}  // namespace tessera::cuda
