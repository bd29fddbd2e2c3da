#pragma once

#include <cstdint>
#include <optional>

#include "devices/cpu/blis.hpp"
#include "devices/cpu/cpu_device.hpp"

namespace tessera::cpu {

/// A product of floats a block at a time, each on its caller's thread, with the bits of CpuDevice::matmul. It
/// has at least two columns.
template <class T>
class BlockProduct {
 public:
  /// y is k x n; both outlive this.
  BlockProduct(CpuDevice& device, std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> y);

  /// The block that suits: so many rows, so many columns (the last ones fewer).
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }

  /// out = x[:rows, :] @ y[:, column : column + columns], `column` a multiple of columns().
  void operator()(std::int64_t rows, Matrix<const T> x, std::int64_t column, std::int64_t columns,
                  Matrix<T> out) const;

 private:
  std::int64_t k_;
  Matrix<const T> y_;
  InnerBlocks blocks_;
  std::optional<Workspace> panels_;  ///< where y is small: packed once
  std::int64_t rows_;
  std::int64_t columns_;
};

/// Whether CpuDevice::matmul sums an element of a product with n > 1 columns as one chain: from 0 on, a fused
/// multiply-add for each step along k.
template <class T>
bool sums_in_one_chain(std::int64_t n, std::int64_t k);

extern template class BlockProduct<float>;
extern template class BlockProduct<double>;
extern template bool sums_in_one_chain<float>(std::int64_t n, std::int64_t k);
extern template bool sums_in_one_chain<double>(std::int64_t n, std::int64_t k);

}  // namespace tessera::cpu
