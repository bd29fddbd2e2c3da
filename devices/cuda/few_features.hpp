#pragma once

// Products with few features, by kernels of our own: a product alone, and one of which only the lowest score
// of each row is written. Both add up a sum in the same way, so compiled code has the bits of plain code.

#include <cstdint>

#include <tessera/device.hpp>

namespace tessera::cuda {

class CudaDevice;

inline constexpr std::int64_t kMostFewFeatures = 64;

/// Whether such a product is ours. The numbers of its rows and matrices take no part: a row must not depend
/// on them.
inline bool has_few_features(Precision precision, DType dtype, std::int64_t features, std::int64_t columns) {
  return is_floating(dtype) && precision == Precision::ieee && features > 0 && features <= kMostFewFeatures &&
         columns > 1;
}

/// As DeviceInterface::matmul.
void product_of_few_features(CudaDevice& device, const View& x, const View& y, const View& out);

/// As DeviceInterface::matmul_argmin.
void lowest_of_few_features(CudaDevice& device, Scalar alpha, const View& x, const View& y, const View& bias,
                            const View& index, const View& score);

}  // namespace tessera::cuda
