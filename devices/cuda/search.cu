// searchsorted, nonzero.

#include "devices/common/element_ops.hpp"
#include "devices/cuda/block_scan.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/device_code.hpp"

namespace tessera::cuda {
namespace {

template <class T>
__global__ void searchsorted_kernel(bool right, std::int64_t length, const T* sorted,
                                    std::int64_t sorted_stride, std::int64_t count, const T* values,
                                    std::int64_t value_stride, std::int64_t* out, std::int64_t out_stride) {
  for (std::int64_t i = thread_in_grid(); i < count; i += threads_in_grid()) {
    const T value = values[i * value_stride];
    std::int64_t low = 0;
    std::int64_t high = length;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      const T element = sorted[middle * sorted_stride];
      const bool before = right ? !element::sorts_before(false, value, element)
                                : element::sorts_before(false, element, value);
      if (before) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    out[i * out_stride] = low;
  }
}

// A piece of x is a block's work, kPerThread neighbours a thread's.
constexpr int kPerThread = 8;
constexpr std::int64_t kPiece = kThreads * kPerThread;

template <class T>
__device__ int count_mine(std::int64_t first, std::int64_t count, const T* x, std::int64_t stride) {
  int mine = 0;
  for (std::int64_t i = first; i < first + kPerThread && i < count; ++i) {
    if (x[i * stride] != T{0}) ++mine;
  }
  return mine;
}

/// Without `out`, each piece's number of nonzero elements goes to `totals`; with it, `totals` holds the
/// number up to the end of each piece.
template <class T>
__global__ void nonzero_kernel(std::int64_t count, const T* x, std::int64_t stride, std::int64_t* totals,
                               std::int64_t* out, std::int64_t out_stride, std::int64_t out_count) {
  TESSERA_SHARED(int, warp_totals, kThreads / kWarpSize);
  const std::int64_t pieces = (count + kPiece - 1) / kPiece;
  for (std::int64_t piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
    const std::int64_t first = piece * kPiece + static_cast<std::int64_t>(threadIdx.x) * kPerThread;
    const Bases<int> bases = bases_in_block(count_mine(first, count, x, stride), 0, warp_totals,
                                            [](int a, int b) { return a + b; });
    if (out == nullptr) {
      if (threadIdx.x == 0) totals[piece] = bases.total;
      continue;
    }
    std::int64_t at = totals[piece] - bases.total + bases.warp + bases.thread;
    for (std::int64_t i = first; i < first + kPerThread && i < count; ++i) {
      if (x[i * stride] == T{0}) continue;
      if (at < out_count) out[at * out_stride] = i;
      ++at;
    }
  }
}

}  // namespace

void CudaDevice::searchsorted(bool right, const View& sorted, const View& values, const View& out) {
  const std::int64_t count = out.size();
  if (count == 0) return;
  enter();
  visit_dtype(values.dtype, [&]<class T>(T) {
    enqueue(searchsorted_kernel<T>, grid_for(count, kThreads), kThreads, right, sorted.shape[0],
            sorted.as<const T>(), sorted.strides[0], count, values.as<const T>(), values.strides[0],
            out.as<std::int64_t>(), out.strides[0]);
  });
}

void CudaDevice::nonzero(const View& x, const View& out) {
  const std::int64_t count = x.size();
  if (count == 0 || out.size() == 0) return;
  enter();
  const std::int64_t pieces = (count + kPiece - 1) / kPiece;
  const Workspace totals = scratch(static_cast<std::size_t>(pieces) * sizeof(std::int64_t));
  visit_dtype(x.dtype, [&]<class T>(T) {
    const auto pass = [&](std::int64_t* to) {
      enqueue(nonzero_kernel<T>, grid_for(pieces, 1), kThreads, count, x.as<const T>(), x.strides[0],
              totals.as<std::int64_t>(), to, out.strides[0], out.size());
    };
    pass(nullptr);
    const View sums{
        .data = totals.data(), .dtype = DType::int64, .shape = {1, pieces, 1}, .strides = {pieces, 1, 1}};
    scan(ScanOp::sum, sums, sums);
    pass(out.as<std::int64_t>());
  });
}

}  // namespace tessera::cuda
