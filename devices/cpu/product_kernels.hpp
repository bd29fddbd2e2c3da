#pragma once

#include <cstdint>

#include "devices/cpu/blis.hpp"

// Products for which BLIS is the wrong tool, since it packs both operands first: few columns, few rows, small
// ones, dot products. Two orders of summation, each of which follows from k alone:
//
// lanes  64-byte vectors along k: lane l sums products l, l + 16, l + 32, ... (l + 8 for float64); at the end
// of
//        each block of kLaneBlock the lanes are added up as a tree, and blocks are added up in float64. The
//        same bits on every instruction set with fused multiply-add.
// chain  one product after the other, in blis_gemm's inner blocks: the order, hence the bits, of BLIS's own
//        kernels where these use fused multiply-add (matmul.cpp makes sure).

namespace tessera::cpu {

/// Elements of the inner dimension that lanes sum before they are added up.
inline constexpr std::int64_t kLaneBlock = 2048;

/// out[i] = x[i, :] . y[i, :] in the order `lanes`. Both have unit column stride; rows of y may be one row
/// (stride 0).
void lanes_dots(std::int64_t m, std::int64_t k, Matrix<const float> x, Matrix<const float> y, float* out,
                std::int64_t out_stride);
void lanes_dots(std::int64_t m, std::int64_t k, Matrix<const double> x, Matrix<const double> y, double* out,
                std::int64_t out_stride);

/// The right operand (k x n) cut into panels of a few vectors of columns, and how many elements they take.
std::int64_t panel_elements(std::int64_t k, std::int64_t n, DType dtype);
void pack_panels(std::int64_t k, std::int64_t n, Matrix<const float> y, float* panels);
void pack_panels(std::int64_t k, std::int64_t n, Matrix<const double> y, double* panels);

/// out = (first ? 0 : out) + x @ y in the order `chain`, y packed as panels; for n so small that a block of
/// them stays in cache. k is the inner dimension or, in steps, any number of its blocks.
void chain_rows(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> x, const float* panels,
                InnerBlocks blocks, bool first, Matrix<float> out);
void chain_rows(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const double> x, const double* panels,
                InnerBlocks blocks, bool first, Matrix<double> out);

/// The longest inner block that chain_columns has room for.
inline constexpr std::int64_t kChainLongest = 512;
/// Up to so many rows read y where it lies, if its rows are contiguous.
inline constexpr std::int64_t kChainInPlace = 12;

/// out = x @ y in the order `chain`, for few rows: y passes once.
void chain_columns(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> x,
                   Matrix<const float> y, InnerBlocks blocks, Matrix<float> out);
void chain_columns(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const double> x,
                   Matrix<const double> y, InnerBlocks blocks, Matrix<double> out);

}  // namespace tessera::cpu
