// take, take_along: elements by index. Only bits move, so there is one kernel a size of element.

#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/elementwise.hpp"

namespace tessera::cuda {
namespace {

/// out[o, c, i] = x[o, indices[o, c, i], i]; an index's stride is 0 where it does not depend on o or i.
template <class T>
__global__ void take_kernel(IndexCheck check, Walk<3> walk, std::int64_t axis, std::int64_t axis_stride,
                            const T* x, const std::int64_t* indices, T* out) {
  for_each_element<T, kBatch>(walk, out, [&](const std::int64_t(&at)[3]) {
    const std::int64_t position = checked_index(check, indices[at[2]], axis);
    return position < 0 ? T{} : x[at[1] + position * axis_stride];
  });
}

void run(CudaDevice& device, const View& x, const View& indices, const View& out) {
  if (out.size() == 0) return;
  device.enter();
  // x over out's shape: the axis has stride 0 here, the kernel adds the index times its stride.
  View rows = x;
  rows.shape = out.shape;
  rows.strides[1] = 0;
  visit_bits(x.dtype, [&]<class T>(T) {
    in_pieces(std::array{out, rows, indices}, [&](const auto& views) {
      device.enqueue(take_kernel<T>, device.grid_for(views[0].size(), kThreads * kBatch), kThreads,
                     device.index_check(), make_walk(views), x.shape[1], x.strides[1],
                     views[1].template as<const T>(), views[2].template as<const std::int64_t>(),
                     views[0].template as<T>());
    });
  });
}

}  // namespace

void CudaDevice::take(const View& x, const View& indices, const View& out) {
  View spread = indices;
  spread.shape = out.shape;
  spread.strides = {0, indices.strides[0], 0};
  run(*this, x, spread, out);
}

void CudaDevice::take_along(const View& x, const View& indices, const View& out) {
  run(*this, x, indices, out);
}

}  // namespace tessera::cuda
