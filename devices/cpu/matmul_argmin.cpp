#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/matmul_argmin.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "devices/cpu/arg_loops.hpp"
#include "devices/cpu/block_product.hpp"
#include "devices/cpu/cpu_device.hpp"
#include "devices/cpu/lowest_products.hpp"
#include "devices/cpu/threads.hpp"

// With few features scores stay in registers (lowest_products.hpp). Else a task takes a chunk of rows through
// all columns, a block of the product at a time, and looks for the smallest while the block is in cache. The
// same bits as the plain operations one after the other.

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

/// Whether a product with alpha is exact, and nothing overflows for the biases' sake.
template <class T>
bool is_exact(T alpha, const T* biases, std::int64_t n) {
  int exponent = 0;
  if (std::abs(std::frexp(alpha, &exponent)) != T{0.5} || std::abs(alpha) < T{1}) return false;
  return std::all_of(biases, biases + n,
                     [](T bias) { return std::abs(bias) < std::numeric_limits<T>::max() / 4; });
}

/// For few features.
template <class T>
void argmin_in_registers(CpuDevice& device, T alpha, const View& x, const View& y, const View& bias,
                         const View& index, const View& score) {
  const std::int64_t m = x.shape[0];
  const std::int64_t k = x.shape[1];
  const std::int64_t n = y.shape[0];
  const std::int64_t blocks = center_blocks(n);
  const std::int64_t block_elements = kCenterBlock * k;
  const std::int64_t padded = blocks * kCenterBlock;
  const Workspace room = device.workspace(static_cast<std::size_t>(padded * (k + 1)) * sizeof(T));
  PackedCenters<T> centers{
      .n = n, .k = k, .blocks = room.as<T>(), .biases = room.as<T>() + padded * k, .alpha = alpha};
  for (std::int64_t j = 0; j < n; ++j) centers.biases[j] = bias.as<const T>()[j * bias.strides[0]];
  std::fill(centers.biases + n, centers.biases + padded, std::numeric_limits<T>::infinity());
  centers.exact_alpha = is_exact(alpha, centers.biases, n);

  const std::int64_t blocks_a_task = std::max<std::int64_t>(1, kSerialWork / block_elements);
  std::vector<double> largest(static_cast<std::size_t>(block_count(blocks, blocks_a_task)));
  parallel_for(block_count(blocks, blocks_a_task), n * k, [&](std::int64_t task) {
    const auto [first, last] = block_range(task, blocks_a_task, blocks);
    largest[static_cast<std::size_t>(task)] =
        pack_centers(centers, {y.as<const T>(), y.strides[1], y.strides[0]}, first, last);
  });
  centers.largest = *std::max_element(largest.begin(), largest.end());

  // Rows that fill panels on every instruction set.
  constexpr std::int64_t unit = 64;
  constexpr std::int64_t task_products = std::int64_t{1} << 21U;
  const std::int64_t rows =
      std::clamp<std::int64_t>(task_products / (n * k), 1, 4096 / unit * unit) / unit * unit + unit;
  parallel_for(block_count(m, rows), m * n * (k / 8 + 1), [&](std::int64_t task) {
    const auto [first, last] = block_range(task, rows, m);
    lowest_products(centers, {.m = last - first,
                              .x = Matrix<const T>{x.as<const T>(), x.strides[0], x.strides[1]}.at(first, 0),
                              .index = index.as<std::int64_t>() + first * index.strides[0],
                              .index_stride = index.strides[0],
                              .score = score.as<T>() + first * score.strides[0],
                              .score_stride = score.strides[0]});
  });
}

template <class T>
bool in_registers(std::int64_t n, std::int64_t k) {
  return k <= kLowestFeatures && n <= std::numeric_limits<std::int32_t>::max() / 2 &&
         sums_in_one_chain<T>(n, k);
}

template <class T>
void lowest_of_products(CpuDevice& device, Scalar alpha, const View& x, const View& y, const View& bias,
                        const View& index, const View& score) {
  const auto run = in_registers<T>(y.shape[0], x.shape[1]) ? argmin_in_registers<T> : argmin_of_products<T>;
  run(device, alpha.to<T>(), x, y, bias, index, score);
}

}  // namespace

void CpuDevice::matmul_argmin(Precision precision, Scalar alpha, const View& x, const View& y,
                              const View& bias, const View& index, const View& score) {
  // With few rows or one column there is next to nothing to save.
  constexpr std::int64_t few_rows = 16;
  const bool little = x.shape[0] <= few_rows || x.shape[1] == 0 || y.shape[0] == 1;
  if (!little && x.dtype == DType::float32) {
    lowest_of_products<float>(*this, alpha, x, y, bias, index, score);
  } else if (!little && x.dtype == DType::float64) {
    lowest_of_products<double>(*this, alpha, x, y, bias, index, score);
  } else {
    DeviceInterface::matmul_argmin(precision, alpha, x, y, bias, index, score);
  }
}

std::string_view CpuDevice::matmul_argmin_way(Precision /*precision*/, DType dtype, std::int64_t features,
                                              std::int64_t centers) const {
  if (!is_floating(dtype)) return "by plain kernels";
  const bool held = dtype == DType::float32 ? in_registers<float>(centers, features)
                                            : in_registers<double>(centers, features);
  return held ? "in registers" : "in tiles";
}

}  // namespace tessera::cpu
#endif
