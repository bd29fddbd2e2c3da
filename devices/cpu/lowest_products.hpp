#pragma once

#include <cstdint>

#include "devices/cpu/blis.hpp"

// The smallest of bias[j] + alpha * (x[i] . y[j]) over j for few features: samples lie in the lanes of
// vectors, and scores never leave the registers. Products are summed as in the order `chain`
// (product_kernels.hpp), in one inner block.

namespace tessera::cpu {

/// Centers of a block of the packed right operand.
inline constexpr std::int64_t kCenterBlock = 16;
/// The most features.
inline constexpr std::int64_t kLowestFeatures = 128;

/// The right operand, packed: blocks of kCenterBlock centers, in each [k, kCenterBlock]; the rest of the last
/// one and its biases are such that they never win.
template <class T>
struct PackedCenters {
  std::int64_t n, k;
  T* blocks;  ///< lowest_products_blocks(n) * kCenterBlock * k
  T* biases;  ///< lowest_products_blocks(n) * kCenterBlock
  T alpha;
  double largest = 0;        ///< of |y|, an infinity where one is not finite
  bool exact_alpha = false;  ///< multiplying by alpha does not round, and the biases are moderate
};

constexpr std::int64_t center_blocks(std::int64_t n) {
  return (n + kCenterBlock - 1) / kCenterBlock;
}

/// Fills packed.blocks for the blocks [first, last) from y (k x n), and gives the largest |y| among them.
double pack_centers(const PackedCenters<float>& packed, Matrix<const float> y, std::int64_t first,
                    std::int64_t last);
double pack_centers(const PackedCenters<double>& packed, Matrix<const double> y, std::int64_t first,
                    std::int64_t last);

/// index[i], score[i] for rows [0, m) of x. Strides in elements.
template <class T>
struct LowestProducts {
  std::int64_t m;
  Matrix<const T> x;
  std::int64_t* index;
  std::int64_t index_stride;
  T* score;
  std::int64_t score_stride;
};
void lowest_products(const PackedCenters<float>& centers, const LowestProducts<float>& task);
void lowest_products(const PackedCenters<double>& centers, const LowestProducts<double>& task);

}  // namespace tessera::cpu
