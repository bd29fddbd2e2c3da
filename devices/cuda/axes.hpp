#pragma once

// The axes of [outer, axis, inner] along which a kernel works.

#include "devices/cuda/device_code.hpp"

namespace tessera::cuda {

/// Axis number a is that of outer a / inner and inner a % inner.
struct Axes {
  std::int64_t count = 0;
  std::int64_t length = 0;
  std::int64_t inner = 1;
  std::int64_t strides[3] = {};
  std::int64_t out_strides[3] = {};

  /// Where axis number `axis` begins.
  __device__ std::int64_t in(std::int64_t axis) const {
    return axis / inner * strides[0] + axis % inner * strides[2];
  }
  __device__ std::int64_t out(std::int64_t axis) const {
    return axis / inner * out_strides[0] + axis % inner * out_strides[2];
  }
};

inline Axes make_axes(const View& x, const View& out) {
  Axes axes;
  axes.count = x.shape[0] * x.shape[2];
  axes.length = x.shape[1];
  axes.inner = x.shape[2];
  for (int i = 0; i < 3; ++i) {
    axes.strides[i] = x.strides[i];
    axes.out_strides[i] = out.strides[i];
  }
  return axes;
}

}  // namespace tessera::cuda
