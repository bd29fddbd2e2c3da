#pragma once

#include <cstdint>
#include <string>

#include <tessera/dtype.hpp>

namespace tessera::cpu {

/// Chooses BLIS's kernels by what the processor has, unless the user has chosen. Before BLIS's first call.
void choose_blis_kernels();

/// "BLIS 0.9.0 skx", and who chose: "by CPUID" or "by BLIS_ARCH_TYPE".
std::string blis_description();
std::string blis_chooser();

/// Bytes of BLIS's packing buffers, outside core's pool.
std::int64_t blis_buffer_bytes();

/// Strides count elements, are of any sign, 0 included.
template <class T>
struct Matrix {
  T* data;
  std::int64_t row_stride;
  std::int64_t column_stride;

  /// The same from element (i, j) on.
  Matrix at(std::int64_t i, std::int64_t j) const {
    return {data + i * row_stride + j * column_stride, row_stride, column_stride};
  }
};

/// c = a @ b on the caller's thread; c (m x n) is not read, a is m x k, b is k x n, none of the three is 0.
/// Every element is summed in one order that follows from k alone, whatever its neighbours and the layout.
void blis_gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const float> b,
               Matrix<float> c);
void blis_gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const double> a, Matrix<const double> b,
               Matrix<double> c);

/// How blis_gemm cuts the inner dimension: blocks of `length`, the last of up to `longest`. Partial sums of
/// blocks are added up in the output, in order.
struct InnerBlocks {
  std::int64_t length;
  std::int64_t longest;

  /// The length of the block that begins where `left` elements are left.
  std::int64_t next(std::int64_t left) const { return left <= longest ? left : length; }
};
InnerBlocks blis_inner_blocks(DType dtype);

}  // namespace tessera::cpu
