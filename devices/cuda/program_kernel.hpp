#pragma once

// What kernels that are compiled at run time are made of (program_source.hpp). Includes nothing of the host.

#include <cstdint>
#include <cstring>

#include <tessera/scalar.hpp>

#include <platform/kernel.hpp>
#include "devices/common/element_ops.hpp"
#include "devices/cuda/lanes.hpp"
#include "devices/cuda/program_arguments.hpp"

namespace tessera::cuda {

template <class T>
__device__ T& element_at(const ProgramView& view, std::int64_t row, std::int64_t column) {
  return static_cast<T*>(view.data)[row * view.row_stride + column * view.column_stride];
}

/// A number of the source, by its bits.
template <class T>
__device__ T constant(std::uint64_t bits) {
  T value;
  memcpy(&value, &bits, sizeof(T));
  return value;
}

/// Calls body(row, column) for each element. Index: the narrowest that counts them all.
template <class Index, int views, class Body>
__device__ void for_each_position(const ProgramArgumentsOf<views>& arguments, const Body& body) {
  const auto columns = static_cast<Index>(arguments.columns);
  const Index count = static_cast<Index>(arguments.rows) * columns;
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    body(static_cast<std::int64_t>(i / columns), static_cast<std::int64_t>(i % columns));
  }
}

/// Calls body(row, lane) for each row of the calling thread; the threads of a row come together.
template <int views, class Body>
__device__ void for_each_row(const ProgramArgumentsOf<views>& arguments, const Body& body) {
  const auto lanes = static_cast<unsigned>(arguments.lanes);
  const unsigned groups = blockDim.x / lanes;
  const int lane = static_cast<int>(threadIdx.x % lanes);
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * groups + threadIdx.x / lanes;
       row < arguments.rows; row += static_cast<std::int64_t>(gridDim.x) * groups) {
    body(row, lane);
  }
}

}  // namespace tessera::cuda
