// One kernel a dtype; the operation is an argument, the same for all threads.

#include "devices/common/element_ops.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/elementwise.hpp"

namespace tessera::cuda {
namespace {

constexpr bool is_costly(BinaryOp op) {
  return op == BinaryOp::floor_divide || op == BinaryOp::remainder || op == BinaryOp::pow;
}

template <class T>
__global__ void binary_kernel(BinaryOp which, Walk<3> walk, Operand<T> a, Operand<T> b, void* out) {
  element::visit(which, [&](auto constant) {
    constexpr BinaryOp op = decltype(constant)::value;
    if constexpr (element::takes(op, dtype_of<T>())) {
      constexpr bool batched = !is_costly(op) && std::is_same_v<T, float>;
      for_each_element<element::BinaryResult<op, T>, batched ? kBatch : 1>(
          walk, out,
          [&](const std::int64_t(&at)[3]) { return element::binary<op>(a.load(at[1]), b.load(at[2])); });
    }
  });
}

}  // namespace

void CudaDevice::binary(BinaryOp op, const View& a, const View& b, const View& out) {
  if (out.size() == 0) return;
  enter();
  visit_dtype(a.dtype, [&]<class T>(T) {
    in_pieces(std::array{out, a, b}, [&](const auto& views) {
      enqueue(binary_kernel<T>, grid_for(views[0].size(), kThreads * kBatch), kThreads, op, make_walk(views),
              make_operand<T>(views[1]), make_operand<T>(views[2]), views[0].data);
    });
  });
}

}  // namespace tessera::cuda
