// Floats go to cuBLAS as they lie wherever it can take them. Integers, products with a vector, and those with
// few features are kernels of our own.

#include <optional>
#include <vector>

#include <tessera/error.hpp>
#include <tessera/scalar.hpp>

#include "devices/common/element_ops.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/dot_code.hpp"
#include "devices/cuda/few_features.hpp"
#include "devices/cuda/rows.hpp"

namespace tessera::cuda {
namespace {

// ---- integers

constexpr int kTile = 16;

struct Strided {
  std::int64_t strides[3];
};

/// A block a tile of out, 16 steps of the inner dimension at a time in shared memory.
template <class T>
__global__ void integer_kernel(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, const T* x,
                               Strided xs, const T* y, Strided ys, T* out, Strided os) {
  TESSERA_SHARED(T, x_tile, kTile * kTile);
  TESSERA_SHARED(T, y_tile, kTile * kTile);
  const std::int64_t across = (n + kTile - 1) / kTile;
  const std::int64_t down = (m + kTile - 1) / kTile;
  const auto tx = static_cast<int>(threadIdx.x);
  const auto ty = static_cast<int>(threadIdx.y);
  for (std::int64_t number = blockIdx.x; number < batch * down * across; number += gridDim.x) {
    const std::int64_t b = number / (down * across);
    const std::int64_t i = number / across % down * kTile + ty;
    const std::int64_t j = number % across * kTile + tx;
    T sum{};
    for (std::int64_t first = 0; first < k; first += kTile) {
      const bool x_there = i < m && first + tx < k;
      const bool y_there = j < n && first + ty < k;
      x_tile[ty * kTile + tx] =
          x_there ? x[b * xs.strides[0] + i * xs.strides[1] + (first + tx) * xs.strides[2]] : T{};
      y_tile[ty * kTile + tx] =
          y_there ? y[b * ys.strides[0] + (first + ty) * ys.strides[1] + j * ys.strides[2]] : T{};
      __syncthreads();
      for (int p = 0; p < kTile; ++p) {
        sum = element::add(sum, element::multiply(x_tile[ty * kTile + p], y_tile[p * kTile + tx]));
      }
      __syncthreads();
    }
    if (i < m && j < n) out[b * os.strides[0] + i * os.strides[1] + j * os.strides[2]] = sum;
  }
}

Strided strides_of(const View& view) {
  return {{view.strides[0], view.strides[1], view.strides[2]}};
}

// ---- a matrix times a vector

/// out[b, i] = x[b, i] . y[b].
template <class T>
__global__ void vector_kernel(Rows rows, const T* x, const T* y, Strided ys, T* out) {
  TESSERA_SHARED(double, shared, kThreads / kDotLanes<T>);
  for_each_task(rows, [&](std::int64_t number, int lane) {
    const Task task = task_of(rows, number);
    const DotOperands<T> operands{x + task.in, rows.strides[1], y + number / rows.inner * ys.strides[0],
                                  ys.strides[1]};
    const double total = rows.lanes == 1 ? dot_of_thread(operands, task.count)
                                         : dot_of_lanes(operands, task.count, rows.lanes, lane, shared);
    if (lane == 0) out[task.out] = static_cast<T>(total);
  });
}

Rows vector_rows(const View& x, const View& out) {
  Rows rows;
  rows.length = rows.piece = x.shape[2];
  rows.inner = x.shape[1];
  rows.count = rows.tasks = x.shape[0] * x.shape[1];
  rows.strides[0] = x.strides[0];
  rows.strides[1] = x.strides[2];
  rows.strides[2] = x.strides[1];
  rows.out_strides[0] = out.strides[0];
  rows.out_strides[2] = out.strides[1];
  const bool side_by_side = std::abs(x.strides[1]) < std::abs(x.strides[2]);
  rows.lanes = rows.length <= kThreadAxis || side_by_side ? 1
               : rows.length <= kWarpAxis                 ? kWarpSize
                                                          : kThreads;
  return rows;
}

// ---- matrices for cuBLAS

/// A view that cuBLAS can take as it lies; empty where it can't. A lone row is turned only where many of its
/// kind would be: the algorithm, and with it the bits, may depend on that.
std::optional<Matrix> as_matrix(const View& view) {
  const std::int64_t rows = view.shape[1];
  const std::int64_t columns = view.shape[2];
  const std::int64_t batch_stride = view.shape[0] == 1 ? 0 : view.strides[0];
  if (batch_stride < 0) return std::nullopt;
  const auto lies = [rows](std::int64_t along, std::int64_t across, std::int64_t length, std::int64_t count) {
    return (along == 1 || (length == 1 && rows > 1)) && (across >= length || count == 1);
  };
  if (lies(view.strides[2], view.strides[1], columns, rows)) {
    return Matrix{view.data, rows == 1 ? columns : view.strides[1], batch_stride, false};
  }
  if (lies(view.strides[1], view.strides[2], rows, columns)) {
    return Matrix{view.data, columns == 1 ? rows : view.strides[2], batch_stride, true};
  }
  return std::nullopt;
}

View packed(const Workspace& memory, const View& view) {
  return {.data = memory.data(),
          .dtype = view.dtype,
          .shape = view.shape,
          .strides = row_major_strides(view.shape)};
}

/// An operand as cuBLAS takes it, copied only where it must be.
Matrix operand(CudaDevice& device, const View& view, std::vector<Workspace>& copies) {
  if (const auto matrix = as_matrix(view)) return *matrix;
  copies.push_back(device.scratch(static_cast<std::size_t>(view.size()) * itemsize(view.dtype)));
  const View copy = packed(copies.back(), view);
  device.copy(view, copy);
  return *as_matrix(copy);
}

}  // namespace

void CudaDevice::matmul(Precision precision, const View& x, const View& y, const View& out) {
  if (out.size() == 0) return;
  const std::int64_t inner = x.shape[2];
  if (inner == 0) return fill(Scalar(0), out);
  enter();
  if (!is_floating(x.dtype)) {
    const std::int64_t tiles =
        out.shape[0] * ((out.shape[1] + kTile - 1) / kTile) * ((out.shape[2] + kTile - 1) / kTile);
    visit_dtype(x.dtype, [&]<class T>(T) {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        enqueue(integer_kernel<T>, grid_for(tiles, 1), dim3(kTile, kTile), out.shape[0], out.shape[1],
                out.shape[2], inner, x.as<const T>(), strides_of(x), y.as<const T>(), strides_of(y),
                out.as<T>(), strides_of(out));
      }
    });
    return;
  }
  if (out.shape[2] == 1) {
    const Rows rows = vector_rows(x, out);
    visit_dtype(x.dtype, [&]<class T>(T) {
      if constexpr (std::is_floating_point_v<T>) {
        enqueue(vector_kernel<T>, grid_for(threads_of(rows), kThreads), kThreads, rows, x.as<const T>(),
                y.as<const T>(), strides_of(y), out.as<T>());
      }
    });
    return;
  }
  if (has_few_features(precision, x.dtype, inner, out.shape[2])) {
    product_of_few_features(*this, x, y, out);
    return;
  }
  std::vector<Workspace> copies;
  copies.reserve(3);
  auto target = as_matrix(out);
  const bool direct = target && !target->turned;
  View result = out;
  if (!direct) {
    copies.push_back(scratch(static_cast<std::size_t>(out.size()) * itemsize(out.dtype)));
    result = packed(copies.back(), out);
    target = as_matrix(result);
  }
  const Product product{.dtype = x.dtype,
                        .precision = precision,
                        .batch = out.shape[0],
                        .rows = out.shape[1],
                        .columns = out.shape[2],
                        .inner = inner,
                        .x = operand(*this, x, copies),
                        .y = operand(*this, y, copies),
                        .out = *target};
  try {
    products_.run(stream(), product);
  } catch (const DeviceError&) {
    check_alive();
    throw;
  }
  if (!direct) copy(result, out);
}

}  // namespace tessera::cuda
