#pragma once

// What kernels share: where elements lie, how threads walk over them, how they report a wrong index.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <tessera/device.hpp>
#include <tessera/scalar.hpp>

#include <platform/kernel.hpp>
#include <platform/limits.hpp>
#include "devices/cuda/errors.hpp"
#include "devices/cuda/lanes.hpp"

namespace tessera::cuda {

// ---- threads

__device__ inline std::int64_t thread_in_grid() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t threads_in_grid() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

// ---- positions

/// Calls f(views) for pieces of at most kMostElements elements: the one place that makes 32-bit positions
/// safe.
template <std::size_t N, class F>
void in_pieces(const std::array<View, N>& views, F&& f, std::int64_t most = kMostElements) {
  if (views[0].size() <= most) {
    f(views);
    return;
  }
  const Shape& shape = views[0].shape;
  int longest = 0;
  for (int axis = 1; axis < shape.size(); ++axis) {
    if (shape[axis] > shape[longest]) longest = axis;
  }
  const std::int64_t half = shape[longest] / 2;
  for (const bool second : {false, true}) {
    std::array<View, N> part = views;
    for (View& view : part) {
      view.shape[longest] = second ? view.shape[longest] - half : half;
      const std::int64_t offset = second && !view.host_scalar ? half * view.strides[longest] : 0;
      view.data = view.as<std::byte>() + offset * static_cast<std::int64_t>(itemsize(view.dtype));
    }
    in_pieces(part, f, most);
  }
}

/// Division by a number that does not change, for values below 2^31: a multiplication and a shift.
struct Divider {
  std::uint32_t divisor = 1;
  std::uint32_t factor = 1;
  std::uint32_t shift = 0;

  Divider() = default;
  explicit Divider(std::int64_t by) : divisor(static_cast<std::uint32_t>(by)) {
    while ((std::uint64_t{1} << shift) < divisor) ++shift;
    factor = static_cast<std::uint32_t>(
        (std::uint64_t{1} << 32U) * ((std::uint64_t{1} << shift) - divisor) / divisor + 1);
  }
  __host__ __device__ std::uint32_t quotient(std::uint32_t value) const {
    const auto high = static_cast<std::uint32_t>((static_cast<std::uint64_t>(value) * factor) >> 32U);
    return (high + value) >> shift;
  }
};

/// Where element `i`, in row-major order, of each of N views of one shape lies.
template <int N>
struct Walk {
  int rank = 1;
  std::uint32_t count = 0;
  Divider extents[kMaxRank];
  std::int64_t strides[N][kMaxRank];

  __device__ void offsets(std::uint32_t i, std::int64_t (&at)[N]) const {
    for (int n = 0; n < N; ++n) at[n] = 0;
    for (int axis = rank - 1; axis > 0; --axis) {
      const std::uint32_t next = extents[axis].quotient(i);
      const std::uint32_t rest = i - next * extents[axis].divisor;
      for (int n = 0; n < N; ++n) at[n] += static_cast<std::int64_t>(rest) * strides[n][axis];
      i = next;
    }
    for (int n = 0; n < N; ++n) at[n] += static_cast<std::int64_t>(i) * strides[n][0];
  }
};

template <std::size_t N>
Walk<static_cast<int>(N)> make_walk(const std::array<View, N>& views) {
  Walk<static_cast<int>(N)> walk{};
  const Shape& shape = views[0].shape;
  walk.rank = shape.empty() ? 1 : shape.size();
  walk.count = static_cast<std::uint32_t>(views[0].size());
  for (std::size_t n = 0; n < N; ++n) {
    walk.strides[n][0] = 0;
    for (int axis = 0; axis < shape.size(); ++axis) {
      walk.extents[axis] = Divider(shape[axis] == 0 ? 1 : shape[axis]);
      walk.strides[n][axis] = views[n].strides[axis];
    }
  }
  return walk;
}

/// The positions of an element-wise kernel's thread: `size` of them at a time, so that as many loads are in
/// flight. Neighbouring threads have neighbouring positions.
template <int size>
struct Batch {
  std::uint32_t first = blockIdx.x * (blockDim.x * size) + threadIdx.x;
  std::uint32_t step = gridDim.x * (blockDim.x * size);

  __device__ Batch() = default;
  __device__ std::uint32_t at(int member) const {
    return first + static_cast<std::uint32_t>(member) * blockDim.x;
  }
};

// ---- operands

/// What a thread reads from memory at once.
template <class T>
struct alignas(16) Pack {
  T values[16 / sizeof(T)];
};

/// An element-wise kernel's input: memory, or a number that travels with the launch.
template <class T>
struct Operand {
  const T* data = nullptr;
  T value{};

  __device__ T load(std::int64_t at) const { return data == nullptr ? value : data[at]; }
};

template <class T>
Operand<T> make_operand(const View& view) {
  Operand<T> operand;
  if (view.host_scalar) {
    std::memcpy(&operand.value, view.data, sizeof(T));
  } else {
    operand.data = view.as<const T>();
  }
  return operand;
}

/// The unsigned integer of T's size, for kernels that only move bits.
template <std::size_t bytes>
using Bits =
    std::conditional_t<bytes == 1, std::uint8_t,
                       std::conditional_t<bytes == 2, std::uint16_t,
                                          std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

/// Calls f(Bits{}) for the size of a dtype's elements.
template <class F>
void visit_bits(DType dtype, F&& f) {
  switch (itemsize(dtype)) {
    case 1: return f(Bits<1>{});
    case 2: return f(Bits<2>{});
    case 4: return f(Bits<4>{});
    default: return f(Bits<8>{});
  }
}

/// Calls f(T{}, A{}, Out{}) for sums and products of x: its dtype, what they accumulate in, and the result's
/// dtype (kernel_ops.hpp: ReduceOp).
template <class F>
void visit_accumulated(DType x, DType out, F&& f) {
  visit_dtype(x, [&]<class T>(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (out == DType::float64) {
        f(value, double{}, double{});
      } else {
        f(value, double{}, float{});
      }
    } else if constexpr (std::is_signed_v<T> || std::is_same_v<T, bool>) {
      f(value, std::int64_t{}, std::int64_t{});
    } else {
      f(value, std::uint64_t{}, std::uint64_t{});
    }
  });
}

/// `visit_dtype` in kernels.
template <class F>
__device__ void visit_dtype_here(DType dtype, const F& f) {
  switch (dtype) {
    case DType::bool_: return f(bool{});
    case DType::int8: return f(std::int8_t{});
    case DType::int16: return f(std::int16_t{});
    case DType::int32: return f(std::int32_t{});
    case DType::int64: return f(std::int64_t{});
    case DType::uint8: return f(std::uint8_t{});
    case DType::uint16: return f(std::uint16_t{});
    case DType::uint32: return f(std::uint32_t{});
    case DType::uint64: return f(std::uint64_t{});
    case DType::float32: return f(float{});
    case DType::float64: return f(double{});
  }
}

// ---- indices

/// An index counted from the end where negative. Wrong ones are reported and become 0, or -1 in an empty
/// axis.
__device__ inline std::int64_t checked_index(const IndexCheck& check, std::int64_t index,
                                             std::int64_t length) {
  const std::int64_t position = index < 0 ? index + length : index;
  if (position >= 0 && position < length) return position;
  if (atomicCAS(check.taken, 0, 1) == 0) {
    check.report->operation = check.operation;
    check.report->index = index;
    check.report->length = length;
    __threadfence_system();
    check.report->raised = 1;
  }
  return length > 0 ? 0 : -1;
}

}  // namespace tessera::cuda
