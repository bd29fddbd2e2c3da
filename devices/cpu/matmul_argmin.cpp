#include <algorithm>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/matmul_argmin.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "devices/cpu/arg_loops.hpp"
#include "devices/cpu/block_product.hpp"
#include "devices/cpu/cpu_device.hpp"
#include "devices/cpu/threads.hpp"

// A task takes a chunk of rows through all columns, a block of the product at a time, and looks for the
// smallest while the block is in cache. The same bits as the plain operations one after the other.

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {

/// A plain loop, which the compiler makes vector code of. Two roundings, as of two operations.
template <class T>
void add_scaled(const T* bias, T alpha, T* products, std::int64_t count) {
  for (std::int64_t j = 0; j < count; ++j) products[j] = bias[j] + alpha * products[j];
}

void add_scaled_float32(const float* bias, float alpha, float* products, std::int64_t count) {
  add_scaled(bias, alpha, products, count);
}
void add_scaled_float64(const double* bias, double alpha, double* products, std::int64_t count) {
  add_scaled(bias, alpha, products, count);
}

}  // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {
namespace {

HWY_EXPORT(add_scaled_float32);
HWY_EXPORT(add_scaled_float64);

void add_scaled(const float* bias, float alpha, float* products, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(add_scaled_float32)(bias, alpha, products, count);
}
void add_scaled(const double* bias, double alpha, double* products, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(add_scaled_float64)(bias, alpha, products, count);
}

template <class T>
void argmin_of_products(CpuDevice& device, T alpha, const View& x, const View& y, const View& bias,
                        const View& index, const View& score) {
  const std::int64_t m = x.shape[0];
  const std::int64_t k = x.shape[1];
  const std::int64_t n = y.shape[0];
  const Matrix<const T> rows{x.as<const T>(), x.strides[0], x.strides[1]};
  const BlockProduct<T> product(device, m, n, k, {y.as<const T>(), y.strides[1], y.strides[0]});
  const Workspace biases = device.workspace(static_cast<std::size_t>(n) * sizeof(T));
  for (std::int64_t j = 0; j < n; ++j) biases.as<T>()[j] = bias.as<const T>()[j * bias.strides[0]];

  const ArgLoops& loops = arg_loops(ArgReduceOp::argmin, dtype_of<T>());
  const std::int64_t chunk = product.rows();
  const std::int64_t width = product.columns();
  parallel_for(block_count(m, chunk), m * n * (k / 8 + 1), [&](std::int64_t task) {
    const auto [first, last] = block_range(task, chunk, m);
    const std::int64_t count = last - first;
    const Workspace block =
        device.workspace(static_cast<std::size_t>(count * std::min(width, n)) * sizeof(T));
    for (std::int64_t j = 0; j < n; j += width) {
      const std::int64_t columns = std::min(width, n - j);
      product(count, rows.at(first, 0), j, columns, Matrix<T>{block.as<T>(), columns, 1});
      for (std::int64_t i = 0; i < count; ++i) {
        T* const values = block.as<T>() + i * columns;
        add_scaled(biases.as<const T>() + j, alpha, values, columns);
        T best;
        const std::int64_t at = loops.row(values, columns, &best);
        T& held = score.as<T>()[(first + i) * score.strides[0]];
        if (j == 0 || loops.gives_way(&held, &best)) {
          held = best;
          index.as<std::int64_t>()[(first + i) * index.strides[0]] = j + at;
        }
      }
    }
  });
}

}  // namespace

void CpuDevice::matmul_argmin(Precision precision, Scalar alpha, const View& x, const View& y,
                              const View& bias, const View& index, const View& score) {
  // With few rows or one column there is next to nothing to save.
  constexpr std::int64_t few_rows = 64;
  if (x.shape[0] <= few_rows || x.shape[1] == 0 || y.shape[0] == 1) {
    DeviceInterface::matmul_argmin(precision, alpha, x, y, bias, index, score);
  } else if (x.dtype == DType::float32) {
    argmin_of_products<float>(*this, alpha.to<float>(), x, y, bias, index, score);
  } else if (x.dtype == DType::float64) {
    argmin_of_products<double>(*this, alpha.to<double>(), x, y, bias, index, score);
  } else {
    DeviceInterface::matmul_argmin(precision, alpha, x, y, bias, index, score);
  }
}

}  // namespace tessera::cpu
#endif
