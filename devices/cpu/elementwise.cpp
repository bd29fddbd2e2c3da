#include <cstring>

#include "devices/cpu/cpu_device.hpp"
#include "devices/cpu/iterate.hpp"
#include "devices/cpu/loops.hpp"
#include "devices/cpu/move.hpp"

namespace tessera::cpu {
namespace {

// Operands by number: the output is 0.
constexpr unsigned kFirst = 1U << 1U;
constexpr unsigned kSecond = 1U << 2U;
constexpr unsigned kThird = 1U << 3U;

/// Of one element, in units of an addition's.
std::int64_t work(UnaryOp op) {
  return op == UnaryOp::exp || op == UnaryOp::log ? 8 : 1;
}
std::int64_t work(BinaryOp op) {
  switch (op) {
    case BinaryOp::pow: return 32;
    case BinaryOp::floor_divide:
    case BinaryOp::remainder: return 16;
    default: return 1;
  }
}

/// out[i] = start + i * step.
template <class T>
void count_up(Scalar start, Scalar step, const View& out) {
  // Floats in float64, integers modulo 2^64: both then take the output's type.
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
  using Given = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
  const auto first = static_cast<Wide>(start.to<Given>());
  const auto by = static_cast<Wide>(step.to<Given>());
  const std::int64_t n = out.shape[0];
  const std::int64_t stride = out.strides[0];
  parallel_for(block_count(n, kTaskElements), n, [&](std::int64_t block) {
    const BlockRange range = block_range(block, kTaskElements, n);
    T* to = out.as<T>();
    if (stride == 1) {
      for (std::int64_t i = range.begin; i < range.end; ++i)
        to[i] = static_cast<T>(first + static_cast<Wide>(i) * by);
    } else {
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        to[i * stride] = static_cast<T>(first + static_cast<Wide>(i) * by);
      }
    }
  });
}

}  // namespace

void CpuDevice::copy(const View& x, const View& out) {
  if (x.dtype == out.dtype) {
    if (out.shape.size() <= 1 && out.size() < kSerialWork && is_plain(x, false) && is_plain(out, false)) {
      std::memcpy(out.data, x.data, static_cast<std::size_t>(out.size()) * itemsize(out.dtype));
    } else {
      walk_copy(x, out);
    }
    return;
  }
  const UnaryLoop loop = cast_loop(x.dtype, out.dtype);
  const View* views[] = {&out, &x};
  for_each_run(views, {}, [loop](const Run& run) { loop(run.data[1], run.data[0], run.n); });
}

void CpuDevice::fill(Scalar value, const View& out) {
  alignas(8) std::byte element[8];
  visit_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    *reinterpret_cast<T*>(element) = value.to<T>();
  });
  const std::size_t size = itemsize(out.dtype);
  const View* views[] = {&out};
  for_each_run(views, {}, [&](const Run& run) { repeat(size, element, run.data[0], run.n); });
}

void CpuDevice::iota(Scalar start, Scalar step, const View& out) {
  visit_dtype(out.dtype, [&](auto zero) { count_up<decltype(zero)>(start, step, out); });
}

void CpuDevice::unary(UnaryOp op, const View& x, const View& out) {
  const UnaryLoop loop = unary_loop(op, x.dtype);
  const View* views[] = {&out, &x};
  for_each_run(views, {0, work(op)}, [loop](const Run& run) { loop(run.data[1], run.data[0], run.n); });
}

void CpuDevice::binary(BinaryOp op, const View& a, const View& b, const View& out) {
  const BinaryLoops& loops = binary_loops(op, a.dtype);
  const LoopTraits traits{loops.left_scalar != nullptr ? kFirst | kSecond : 0, work(op)};
  const std::size_t size = itemsize(out.dtype);
  const View* views[] = {&out, &a, &b};
  for_each_run(views, traits, [&loops, size](const Run& run) {
    if (run.scalars == 0) {
      loops.both(run.data[1], run.data[2], run.data[0], run.n);
    } else if (run.scalars == kFirst) {
      loops.left_scalar(run.data[1], run.data[2], run.data[0], run.n);
    } else if (run.scalars == kSecond) {
      loops.right_scalar(run.data[1], run.data[2], run.data[0], run.n);
    } else {
      loops.both(run.data[1], run.data[2], run.data[0], 1);
      repeat(size, run.data[0], run.data[0], run.n);
    }
  });
}

void CpuDevice::where(const View& condition, const View& a, const View& b, const View& out) {
  const WhereLoops& loops = where_loops(out.dtype);
  const View* views[] = {&out, &condition, &a, &b};
  for_each_run(views, {kSecond | kThird, 1}, [&loops](const Run& run) {
    WhereLoop loop = loops.both;
    if (run.scalars == kSecond) loop = loops.left_scalar;
    if (run.scalars == kThird) loop = loops.right_scalar;
    if (run.scalars == (kSecond | kThird)) loop = loops.scalars;
    loop(run.data[1], run.data[2], run.data[3], run.data[0], run.n);
  });
}

}  // namespace tessera::cpu
