// One kernel a dtype; the operation is an argument, the same for all threads.

#include "devices/common/element_ops.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/elementwise.hpp"

namespace tessera::cuda {
namespace {

template <class T>
__global__ void unary_kernel(UnaryOp which, Walk<2> walk, Operand<T> x, void* out) {
  element::visit(which, [&](auto constant) {
    constexpr UnaryOp op = decltype(constant)::value;
    if constexpr (element::takes(op, dtype_of<T>())) {
      constexpr bool cheap = op != UnaryOp::exp && op != UnaryOp::log && sizeof(T) == 4;
      for_each_element<element::UnaryResult<op, T>, cheap ? kBatch : 1>(
          walk, out, [&](const std::int64_t(&at)[2]) { return element::unary<op>(x.load(at[1])); });
    }
  });
}

}  // namespace

void CudaDevice::unary(UnaryOp op, const View& x, const View& out) {
  if (out.size() == 0) return;
  enter();
  visit_dtype(x.dtype, [&]<class T>(T) {
    in_pieces(std::array{out, x}, [&](const auto& views) {
      enqueue(unary_kernel<T>, grid_for(views[0].size(), kThreads * kBatch), kThreads, op, make_walk(views),
              make_operand<T>(views[1]), views[0].data);
    });
  });
}

}  // namespace tessera::cuda
