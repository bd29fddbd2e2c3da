#include "devices/cpu/integer_product.hpp"

#include <algorithm>
#include <type_traits>

#include "devices/cpu/threads.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/integer_product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Plain loops, compiled for each instruction set: the compiler's vector code will do for integers.

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {

/// A task's block of the output, and the inner elements that pass over it at once.
constexpr std::int64_t kRows = 16;
constexpr std::int64_t kColumns = 256;
constexpr std::int64_t kInner = 64;

template <class U>
void integer_block(std::int64_t b, BlockRange rows, BlockRange columns, const View& x, const View& y,
                   const View& out) {
  // In 32 bits at least: narrower unsigned types would be promoted to int, which doesn't wrap.
  using Wide = std::conditional_t<sizeof(U) == 8, std::uint64_t, std::uint32_t>;
  U sums[kRows][kColumns] = {};
  U right[kInner][kColumns];
  const std::int64_t k = x.shape[2];
  const std::int64_t width = columns.size();
  for (std::int64_t p = 0; p < k; p += kInner) {
    const std::int64_t length = std::min(kInner, k - p);
    for (std::int64_t q = 0; q < length; ++q) {
      const U* const from =
          y.as<const U>() + b * y.strides[0] + (p + q) * y.strides[1] + columns.begin * y.strides[2];
      for (std::int64_t j = 0; j < width; ++j) right[q][j] = from[j * y.strides[2]];
    }
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      const U* const left = x.as<const U>() + b * x.strides[0] + (rows.begin + i) * x.strides[1];
      for (std::int64_t q = 0; q < length; ++q) {
        const Wide element = left[(p + q) * x.strides[2]];
        for (std::int64_t j = 0; j < width; ++j) {
          sums[i][j] = static_cast<U>(sums[i][j] + element * right[q][j]);
        }
      }
    }
  }
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    U* const to =
        out.as<U>() + b * out.strides[0] + (rows.begin + i) * out.strides[1] + columns.begin * out.strides[2];
    for (std::int64_t j = 0; j < width; ++j) to[j * out.strides[2]] = sums[i][j];
  }
}

template <class U>
void integer_product(const View& x, const View& y, const View& out) {
  const std::int64_t down = block_count(out.shape[1], kRows);
  const std::int64_t across = block_count(out.shape[2], kColumns);
  parallel_for(out.shape[0] * down * across, out.size() * x.shape[2], [&](std::int64_t task) {
    integer_block<U>(task / (down * across), block_range(task / across % down, kRows, out.shape[1]),
                     block_range(task % across, kColumns, out.shape[2]), x, y, out);
  });
}

/// Signed integers wrap as unsigned ones do.
void integer_product_of_any(const View& x, const View& y, const View& out) {
  switch (itemsize(out.dtype)) {
    case 1: return integer_product<std::uint8_t>(x, y, out);
    case 2: return integer_product<std::uint16_t>(x, y, out);
    case 4: return integer_product<std::uint32_t>(x, y, out);
    default: return integer_product<std::uint64_t>(x, y, out);
  }
}

}  // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

HWY_EXPORT(integer_product_of_any);

void integer_product(const View& x, const View& y, const View& out) {
  HWY_DYNAMIC_DISPATCH(integer_product_of_any)(x, y, out);
}

}  // namespace tessera::cpu
#endif
