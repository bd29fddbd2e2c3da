// Inclusive sums and products along the middle axis. Floats run in float64.
//
// Sums of numbers that are not negative never fall, and adding zero changes nothing, to the last bit: a value
// is base of the piece + (base of the warp + (base of the thread + sum in the thread)), and each level hands
// its last value on as the base of the next part. Bases of two levels are never added up beforehand.

#include <tessera/scalar.hpp>

#include "devices/common/element_ops.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/device_code.hpp"

namespace tessera::cuda {
namespace {

// A thread's neighbours on the axis, and what a block takes at once.
constexpr int kPerThread = 8;
constexpr std::int64_t kPiece = kThreads * kPerThread;
// Axes at least as many as this are walked by one thread each.
constexpr std::int64_t kManyAxes = 8192;
constexpr std::int64_t kShortAxis = 64;

struct Axes {
  std::int64_t count = 0;
  std::int64_t length = 0;
  std::int64_t inner = 1;
  std::int64_t pieces = 1;
  std::int64_t strides[3] = {};
  std::int64_t out_strides[3] = {};

  __device__ std::int64_t in(std::int64_t axis) const {
    return axis / inner * strides[0] + axis % inner * strides[2];
  }
  __device__ std::int64_t out(std::int64_t axis) const {
    return axis / inner * out_strides[0] + axis % inner * out_strides[2];
  }
};

template <ScanOp op, class A>
constexpr A combined(A a, A b) {
  return op == ScanOp::sum ? element::add(a, b) : element::multiply(a, b);
}
template <ScanOp op, class A>
inline constexpr A kStart = op == ScanOp::sum ? A{0} : A{1};

/// A thread an axis.
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

template <class A>
__device__ A from_lane(A value, int lane) {
  if constexpr (sizeof(A) == 8 && !std::is_floating_point_v<A>) {
    return static_cast<A>(__shfl_sync(kAllLanes, static_cast<long long>(value), lane));
  } else {
    return __shfl_sync(kAllLanes, value, lane);
  }
}

/// What lies before a thread in its warp, before its warp in the block, and in the block as a whole.
template <class A>
struct Bases {
  A thread;
  A warp;
  A total;
};

template <ScanOp op, class A>
__device__ Bases<A> bases_in_block(A value, A* warp_totals) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
  Bases<A> bases{kStart<op, A>, kStart<op, A>, kStart<op, A>};
  A sum = kStart<op, A>;
  for (int from = 0; from < kWarpSize; ++from) {
    const A theirs = from_lane(value, from);
    if (from == lane) bases.thread = sum;
    sum = combined<op>(sum, theirs);
  }
  if (lane == 0) warp_totals[warp] = sum;
  __syncthreads();
  for (int w = 0; w < kThreads / kWarpSize; ++w) {
    if (w == warp) bases.warp = bases.total;
    bases.total = combined<op>(bases.total, warp_totals[w]);
  }
  __syncthreads();
  return bases;
}

/// A block a piece of an axis. Without `out`, the piece's total goes to `totals`; with it, `totals` holds the
/// base of each piece.
template <ScanOp op, class T, class A, class Out>
__global__ void piece_kernel(Axes axes, const T* x, A* totals, Out* out) {
  TESSERA_SHARED(A, warp_totals, kThreads / kWarpSize);
  for (std::int64_t number = blockIdx.x; number < axes.count * axes.pieces; number += gridDim.x) {
    const std::int64_t axis = number / axes.pieces;
    const std::int64_t first =
        number % axes.pieces * kPiece + static_cast<std::int64_t>(threadIdx.x) * kPerThread;
    const T* const from = x + axes.in(axis);
    A inside[kPerThread];
    A sum = kStart<op, A>;
    for (int j = 0; j < kPerThread; ++j) {
      if (first + j < axes.length) sum = combined<op>(sum, convert<A>(from[(first + j) * axes.strides[1]]));
      inside[j] = sum;
    }
    const Bases<A> bases = bases_in_block<op>(sum, warp_totals);
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
  Axes axes;
  axes.count = x.shape[0] * x.shape[2];
  axes.length = x.shape[1];
  axes.inner = x.shape[2];
  axes.pieces = (axes.length + kPiece - 1) / kPiece;
  for (int i = 0; i < 3; ++i) {
    axes.strides[i] = x.strides[i];
    axes.out_strides[i] = out.strides[i];
  }
  if (axes.count >= kManyAxes || axes.length <= kShortAxis) {
    device.enqueue(walk_kernel<op, T, A, Out>, device.grid_for(axes.count, kThreads), kThreads, axes,
                   x.as<const T>(), out.as<Out>());
    return;
  }
  const Workspace totals = device.scratch(static_cast<std::size_t>(axes.count * axes.pieces) * sizeof(A));
  const dim3 grid = device.grid_for(axes.count * axes.pieces, 1);
  device.enqueue(piece_kernel<op, T, A, Out>, grid, kThreads, axes, x.as<const T>(), totals.as<A>(), nullptr);
  device.enqueue(bases_kernel<op, A>, device.grid_for(axes.count, 1), kWarpSize, axes.count, axes.pieces,
                 totals.as<A>());
  device.enqueue(piece_kernel<op, T, A, Out>, grid, kThreads, axes, x.as<const T>(), totals.as<A>(),
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
