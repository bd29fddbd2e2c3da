// argmin and argmax: the lowest index of equals, the first NaN. Also the tail of matmul_argmin where features
// are many: bias + alpha * product, of which only the winners are written.

#include "devices/common/element_ops.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/few_features.hpp"
#include "devices/cuda/rows.hpp"

namespace tessera::cuda {
namespace {

// ---- what a row is read through

template <class T>
struct Plain {
  __device__ T operator()(T value, std::int64_t /*j*/) const { return value; }
};

template <class T>
struct Scored {
  const T* bias;
  std::int64_t stride;
  T alpha;
  __device__ T operator()(T product, std::int64_t j) const { return bias[j * stride] + alpha * product; }
};

/// Offers each element of a row to its lane, in ascending order for each lane. Rows without gaps are read 16
/// bytes at a time.
template <class T, class Map>
__device__ void offer_row(ArgReduceOp op, Candidate<T>& best, const T* row, std::int64_t stride,
                          std::int64_t count, std::int64_t first, int lane, int lanes, const Map& map) {
  constexpr int kWidth = 16 / sizeof(T);
  if (stride != 1 || lanes == 1) {
    for (std::int64_t j = lane; j < count; j += lanes) {
      offer(op, best, map(row[j * stride], first + j), first + j);
    }
    return;
  }
  const auto misplaced = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(row) % 16 / sizeof(T));
  std::int64_t head = misplaced == 0 ? 0 : kWidth - misplaced;
  if (head > count) head = count;
  const std::int64_t packs = (count - head) / kWidth;
  if (lane < head) offer(op, best, map(row[lane], first + lane), first + lane);
  for (std::int64_t p = lane; p < packs; p += lanes) {
    const std::int64_t j = head + p * kWidth;
    const Pack<T> pack = *reinterpret_cast<const Pack<T>*>(row + j);
    for (int w = 0; w < kWidth; ++w) offer(op, best, map(pack.values[w], first + j + w), first + j + w);
  }
  const std::int64_t tail = head + packs * kWidth + lane;
  if (tail < count) offer(op, best, map(row[tail], first + tail), first + tail);
}

/// `values` takes the winners' values where it is not null.
template <class T, class Map>
__global__ void arg_kernel(ArgReduceOp op, Rows rows, const T* x, Map map, std::int64_t* indices, T* values,
                           std::int64_t value_stride) {
  TESSERA_SHARED(T, warp_values, kThreads / kWarpSize);
  TESSERA_SHARED(std::int64_t, warp_indices, kThreads / kWarpSize);
  for_each_task(rows, [&](std::int64_t number, int lane) {
    const Task task = task_of(rows, number);
    Candidate<T> best{T{}, -1};
    offer_row(op, best, x + task.in, rows.strides[1], task.count, task.first, lane, rows.lanes, map);
    best = better_of_lanes(op, best, rows.lanes, lane, warp_values, warp_indices);
    if (lane == 0) {
      indices[task.out] = best.index;
      if (values != nullptr) values[number * value_stride] = best.value;
    }
  });
}

/// The winner of each axis among the winners of its pieces.
template <class T>
__global__ void arg_pieces_kernel(ArgReduceOp op, Rows rows, const T* values, const std::int64_t* positions,
                                  std::int64_t* indices) {
  TESSERA_SHARED(T, warp_values, kThreads / kWarpSize);
  TESSERA_SHARED(std::int64_t, warp_indices, kThreads / kWarpSize);
  for_each_task(rows, [&](std::int64_t number, int lane) {
    const Task task = task_of(rows, number);
    Candidate<T> best{T{}, -1};
    for (std::int64_t j = lane; j < task.count; j += rows.lanes) {
      const std::int64_t at = task.in + j * rows.strides[1];
      best = better(op, best, {values[at], positions[at]});
    }
    best = better_of_lanes(op, best, rows.lanes, lane, warp_values, warp_indices);
    if (lane == 0) indices[task.out] = best.index;
  });
}

template <class T>
void run(CudaDevice& device, ArgReduceOp op, const View& x, const View& out) {
  Rows rows = plan_rows(x.shape, x.strides, true);
  const dim3 grid = device.grid_for(threads_of(rows), kThreads);
  if (rows.pieces == 1) {
    set_output(rows, out.strides);
    device.enqueue(arg_kernel<T, Plain<T>>, grid, kThreads, op, rows, x.as<const T>(), Plain<T>{},
                   out.as<std::int64_t>(), nullptr, 1);
    return;
  }
  set_partial_output(rows);
  const Workspace positions = device.scratch(static_cast<std::size_t>(rows.tasks) * sizeof(std::int64_t));
  const Workspace values = device.scratch(static_cast<std::size_t>(rows.tasks) * sizeof(T));
  device.enqueue(arg_kernel<T, Plain<T>>, grid, kThreads, op, rows, x.as<const T>(), Plain<T>{},
                 positions.as<std::int64_t>(), values.as<T>(), 1);
  const Shape shape{x.shape[0], rows.pieces, rows.inner};
  Rows last = plan_rows(shape, row_major_strides(shape), false);
  set_output(last, out.strides);
  device.enqueue(arg_pieces_kernel<T>, device.grid_for(threads_of(last), kThreads), kThreads, op, last,
                 values.as<const T>(), positions.as<const std::int64_t>(), out.as<std::int64_t>());
}

View rows_of(const View& x, std::int64_t first, std::int64_t count) {
  View part = x;
  part.data = x.as<std::byte>() + first * x.strides[0] * static_cast<std::int64_t>(itemsize(x.dtype));
  part.shape[0] = count;
  return part;
}

}  // namespace

void CudaDevice::arg_reduce(ArgReduceOp op, const View& x, const View& out) {
  if (out.size() == 0) return;
  enter();
  visit_dtype(x.dtype, [&]<class T>(T) { run<T>(*this, op, x, out); });
}

void CudaDevice::matmul_argmin(Precision precision, Scalar alpha, const View& x, const View& y,
                               const View& bias, const View& index, const View& score) {
  const std::int64_t m = x.shape[0];
  const std::int64_t n = y.shape[0];
  if (m == 0) return;
  if (!is_floating(x.dtype)) {
    DeviceInterface::matmul_argmin(precision, alpha, x, y, bias, index, score);
    return;
  }
  enter();
  if (has_few_features(precision, x.dtype, x.shape[1], n)) {
    lowest_of_few_features(*this, alpha, x, y, bias, index, score);
    return;
  }
  // A tile of products stays in the L2 between the product and the search.
  const std::int64_t row_bytes = n * static_cast<std::int64_t>(itemsize(x.dtype));
  constexpr std::int64_t kUnknownCache = std::int64_t{1} << 20U;  // some virtual GPUs tell of none
  const std::int64_t cache = cache_bytes() > 0 ? cache_bytes() : kUnknownCache;
  const std::int64_t tile = std::clamp<std::int64_t>(cache / row_bytes, 1, m);
  const Workspace products = scratch(static_cast<std::size_t>(tile * row_bytes));
  View turned = y;
  turned.shape = {1, y.shape[1], n};
  turned.strides = {0, y.strides[1], y.strides[0]};
  for (std::int64_t first = 0; first < m; first += tile) {
    const std::int64_t count = std::min(tile, m - first);
    View samples = rows_of(x, first, count);
    samples.shape.insert(0, 1);
    samples.strides.insert(0, 0);
    const View product{
        .data = products.data(), .dtype = x.dtype, .shape = {1, count, n}, .strides = {count * n, n, 1}};
    matmul(precision, samples, turned, product);
    visit_dtype(x.dtype, [&]<class T>(T) {
      if constexpr (std::is_floating_point_v<T>) {
        const Shape shape{count, n, 1};
        Rows rows = plan_rows(shape, row_major_strides(shape), false);
        set_output(rows, {index.strides[0], 0});
        const Scored<T> map{bias.as<const T>(), bias.strides[0], alpha.to<T>()};
        enqueue(arg_kernel<T, Scored<T>>, grid_for(threads_of(rows), kThreads), kThreads, ArgReduceOp::argmin,
                rows, products.as<const T>(), map, rows_of(index, first, count).template as<std::int64_t>(),
                rows_of(score, first, count).template as<T>(), score.strides[0]);
      }
    });
  }
}

std::string_view CudaDevice::matmul_argmin_way(Precision precision, DType dtype, std::int64_t features,
                                               std::int64_t centers) const {
  if (!is_floating(dtype)) return "by plain kernels";
  return has_few_features(precision, dtype, features, centers) ? "in registers" : "in tiles";
}

}  // namespace tessera::cuda
