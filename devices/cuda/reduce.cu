// Floats accumulate in float64. The order of every sum follows from the shape alone.

#include <limits>

#include <tessera/scalar.hpp>

#include "devices/common/element_ops.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/rows.hpp"

namespace tessera::cuda {
namespace {

template <ReduceOp op, class T, class A, class Out>
__global__ void reduce_kernel(Rows rows, const T* x, Out* out) {
  TESSERA_SHARED(A, shared, kThreads / kWarpSize);
  for_each_task(rows, [&](std::int64_t number, int lane) {
    const Task task = task_of(rows, number);
    const T* const from = x + task.in;
    A total = start<op, A>();
    for (std::int64_t j = lane; j < task.count; j += rows.lanes) {
      total = combined<op>(total, convert<A>(from[j * rows.strides[1]]));
    }
    total = combine_lanes(total, rows.lanes, lane, shared, combined<op, A>);
    if (lane == 0) out[task.out] = convert<Out>(total);
  });
}

template <ReduceOp op, class T, class A, class Out>
void run_stage(CudaDevice& device, const Rows& rows, const void* x, void* out) {
  device.enqueue(reduce_kernel<op, T, A, Out>, device.grid_for(threads_of(rows), kThreads), kThreads, rows,
                 static_cast<const T*>(x), static_cast<Out*>(out));
}

template <ReduceOp op, class T, class A, class Out>
void run(CudaDevice& device, const View& x, const View& out) {
  Rows rows = plan_rows(x.shape, x.strides, true);
  if (rows.pieces == 1) {
    set_output(rows, out.strides);
    run_stage<op, T, A, Out>(device, rows, x.data, out.data);
    return;
  }
  set_partial_output(rows);
  const Workspace partial = device.scratch(static_cast<std::size_t>(rows.tasks) * sizeof(A));
  run_stage<op, T, A, A>(device, rows, x.data, partial.data());
  const Shape shape{x.shape[0], rows.pieces, rows.inner};
  Rows last = plan_rows(shape, row_major_strides(shape), false);
  set_output(last, out.strides);
  run_stage<op, A, A, Out>(device, last, partial.data(), out.data);
}

template <ReduceOp op>
void accumulate(CudaDevice& device, const View& x, const View& out) {
  visit_accumulated(x.dtype, out.dtype,
                    [&]<class T, class A, class Out>(T, A, Out) { run<op, T, A, Out>(device, x, out); });
}

template <ReduceOp op>
void select(CudaDevice& device, const View& x, const View& out) {
  visit_dtype(x.dtype, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, bool>) run<op, T, T, T>(device, x, out);
  });
}

}  // namespace

void CudaDevice::reduce(ReduceOp op, const View& x, const View& out) {
  if (out.size() == 0) return;
  enter();
  switch (op) {
    case ReduceOp::sum: return accumulate<ReduceOp::sum>(*this, x, out);
    case ReduceOp::prod: return accumulate<ReduceOp::prod>(*this, x, out);
    case ReduceOp::min: return select<ReduceOp::min>(*this, x, out);
    case ReduceOp::max: return select<ReduceOp::max>(*this, x, out);
    case ReduceOp::any: return run<ReduceOp::any, bool, bool, bool>(*this, x, out);
    case ReduceOp::all: return run<ReduceOp::all, bool, bool, bool>(*this, x, out);
  }
}

}  // namespace tessera::cuda
