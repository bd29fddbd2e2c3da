// copy, fill, iota, where: elements that move, or come from a number.

#include <tessera/scalar.hpp>

#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/elementwise.hpp"

namespace tessera::cuda {
namespace {

// ---- the same dtype: bits

template <class T>
__global__ void move_kernel(Walk<2> walk, Operand<T> x, T* out) {
  for_each_element<T, kBatch>(walk, out, [&](const std::int64_t(&at)[2]) { return x.load(at[1]); });
}

constexpr int kTile = 32;
constexpr int kTileRows = 8;

/// Rows of out are columns of x: a tile at a time through shared memory, so that both sides are read and
/// written along their memory.
template <class T>
__global__ void transpose_kernel(const T* x, T* out, std::int64_t rows, std::int64_t columns,
                                 std::int64_t x_column_stride, std::int64_t out_row_stride) {
  TESSERA_SHARED(T, tile, kTile * (kTile + 1));
  const std::int64_t tiles_across = (columns + kTile - 1) / kTile;
  const std::int64_t tiles = tiles_across * ((rows + kTile - 1) / kTile);
  const auto tx = static_cast<int>(threadIdx.x);
  const auto ty = static_cast<int>(threadIdx.y);
  for (std::int64_t at = blockIdx.x; at < tiles; at += gridDim.x) {
    const std::int64_t row = at / tiles_across * kTile;
    const std::int64_t column = at % tiles_across * kTile;
    for (int j = ty; j < kTile; j += kTileRows) {  // x: neighbouring threads have neighbouring rows
      if (row + tx < rows && column + j < columns) {
        tile[j * (kTile + 1) + tx] = x[row + tx + (column + j) * x_column_stride];
      }
    }
    __syncthreads();
    for (int j = ty; j < kTile; j += kTileRows) {
      if (row + j < rows && column + tx < columns) {
        out[(row + j) * out_row_stride + column + tx] = tile[tx * (kTile + 1) + j];
      }
    }
    __syncthreads();
  }
}

/// Whether out's rows and x's columns lie along their memory, and a tile is worth it.
bool is_transposition(const View& x, const View& out) {
  return !x.host_scalar && out.shape.size() == 2 && out.strides[1] == 1 && x.strides[0] == 1 &&
         x.strides[1] > 1 && out.shape[0] >= kTile && out.shape[1] >= kTile;
}

// ---- from one dtype to another

template <class To>
__global__ void convert_kernel(DType from, Walk<2> walk, const void* x, std::uint64_t bits, void* out) {
  visit_dtype_here(from, [&]<class From>(From) {
    if constexpr (!std::is_same_v<From, To>) {
      Operand<From> operand;
      operand.data = static_cast<const From*>(x);
      if (x == nullptr) std::memcpy(&operand.value, &bits, sizeof(From));
      for_each_element<To, 1>(walk, out,
                              [&](const std::int64_t(&at)[2]) { return convert<To>(operand.load(at[1])); });
    }
  });
}

// ---- numbers

template <class T>
__global__ void fill_kernel(Walk<1> walk, T value, T* out) {
  for_each_element<T, kBatch>(walk, out, [&](const std::int64_t(&)[1]) { return value; });
}

template <class T>
__global__ void iota_kernel(Walk<1> walk, Scalar start, Scalar step, std::int64_t first, T* out) {
  for (Batch<1> batch; batch.first < walk.count; batch.first += batch.step) {
    const std::int64_t i = first + batch.first;
    std::int64_t at[1];
    walk.offsets(batch.first, at);
    if constexpr (std::is_floating_point_v<T>) {
      out[at[0]] = convert<T>(start.to<double>() + static_cast<double>(i) * step.to<double>());
    } else {
      const auto offset = static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(step.to<std::int64_t>());
      out[at[0]] = static_cast<T>(static_cast<std::uint64_t>(start.to<std::int64_t>()) + offset);
    }
  }
}

// ---- where

template <class T>
__global__ void where_kernel(Walk<4> walk, Operand<bool> condition, Operand<T> a, Operand<T> b, T* out) {
  for_each_element<T, kBatch>(walk, out, [&](const std::int64_t(&at)[4]) {
    return condition.load(at[1]) ? a.load(at[2]) : b.load(at[3]);
  });
}

}  // namespace

void CudaDevice::copy(const View& x, const View& out) {
  if (out.size() == 0) return;
  enter();
  if (x.dtype != out.dtype) {
    std::uint64_t bits = 0;
    if (x.host_scalar) std::memcpy(&bits, x.data, itemsize(x.dtype));
    visit_dtype(out.dtype, [&]<class To>(To) {
      in_pieces(std::array{out, x}, [&](const auto& views) {
        enqueue(convert_kernel<To>, grid_for(views[0].size(), kThreads * kBatch), kThreads, x.dtype,
                make_walk(views), x.host_scalar ? nullptr : views[1].data, bits, views[0].data);
      });
    });
    return;
  }
  visit_bits(x.dtype, [&]<class T>(T) {
    if (is_transposition(x, out)) {
      const std::int64_t tiles = ((out.shape[0] + kTile - 1) / kTile) * ((out.shape[1] + kTile - 1) / kTile);
      enqueue(transpose_kernel<T>, grid_for(tiles, 1), dim3(kTile, kTileRows), x.as<const T>(), out.as<T>(),
              out.shape[0], out.shape[1], x.strides[1], out.strides[0]);
      return;
    }
    in_pieces(std::array{out, x}, [&](const auto& views) {
      enqueue(move_kernel<T>, grid_for(views[0].size(), kThreads * kBatch), kThreads, make_walk(views),
              make_operand<T>(views[1]), views[0].template as<T>());
    });
  });
}

cudaError_t CudaDevice::probe_kernels() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&fill_kernel<Bits<1>>));
}

void CudaDevice::fill(Scalar value, const View& out) {
  if (out.size() == 0) return;
  enter();
  visit_dtype(out.dtype, [&]<class Element>(Element) {
    // As bits: one kernel for all dtypes of a size.
    using T = Bits<sizeof(Element)>;
    const auto element = value.to<Element>();
    T bits{};
    std::memcpy(&bits, &element, sizeof bits);
    in_pieces(std::array{out}, [&](const auto& views) {
      enqueue(fill_kernel<T>, grid_for(views[0].size(), kThreads * kBatch), kThreads, make_walk(views), bits,
              views[0].template as<T>());
    });
  });
}

void CudaDevice::iota(Scalar start, Scalar step, const View& out) {
  if (out.size() == 0) return;
  enter();
  visit_dtype(out.dtype, [&]<class T>(T) {
    std::int64_t first = 0;  // of the piece
    in_pieces(std::array{out}, [&](const auto& views) {
      enqueue(iota_kernel<T>, grid_for(views[0].size(), kThreads), kThreads, make_walk(views), start, step,
              first, views[0].template as<T>());
      first += views[0].size();
    });
  });
}

void CudaDevice::where(const View& condition, const View& a, const View& b, const View& out) {
  if (out.size() == 0) return;
  enter();
  visit_bits(out.dtype, [&]<class T>(T) {
    in_pieces(std::array{out, condition, a, b}, [&](const auto& views) {
      enqueue(where_kernel<T>, grid_for(views[0].size(), kThreads * kBatch), kThreads, make_walk(views),
              make_operand<bool>(views[1]), make_operand<T>(views[2]), make_operand<T>(views[3]),
              views[0].template as<T>());
    });
  });
}

}  // namespace tessera::cuda
