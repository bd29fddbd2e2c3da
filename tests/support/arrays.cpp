#include "support/arrays.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <tessera/ops/indexing.hpp>
#include <tessera/ops/manipulation.hpp>

namespace tessera::test {

HostArray::HostArray(DType type, const Shape& extents)
    : dtype(type), shape(extents), bytes(static_cast<std::size_t>(element_count(extents)) * itemsize(type)) {}

void HostArray::require_bytes(std::size_t count) const {
  if (count != bytes.size()) throw std::logic_error("HostArray: values do not fill " + to_string(shape));
}

HostArray to_host_array(const Array& x) {
  HostArray host(x.dtype(), x.shape());
  x.to_host(host.bytes.data(), host.dtype, host.size());
  return host;
}

Array upload(const HostArray& x, const Device& device) {
  return from_host(x.bytes.data(), x.dtype, x.shape, device);
}

// ---- values

std::uint64_t Numbers::next() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

std::int64_t Numbers::between(std::int64_t low, std::int64_t high) {
  const auto range = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<std::int64_t>(next() % range);
}

const char* name(Values values) {
  switch (values) {
    case Values::plain: return "plain";
    case Values::special: return "special";
    case Values::few: return "few";
    case Values::positive: return "positive";
    case Values::near_one: break;
  }
  return "near_one";
}

namespace {

template <class T>
T plain_value(Numbers& numbers) {
  if constexpr (std::is_same_v<T, bool>) {
    return numbers.next() % 2 == 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(numbers.uniform() * 8 - 4);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(numbers.between(-50, 50));
  } else {
    return static_cast<T>(numbers.between(0, 100));
  }
}

template <class T>
T special_value(Numbers& numbers) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return plain_value<T>(numbers);
  } else if constexpr (std::is_floating_point_v<T>) {
    constexpr T inf = Limits::infinity();
    constexpr T values[] = {Limits::quiet_NaN(),
                            inf,
                            -inf,
                            0,
                            -T{0},
                            Limits::denorm_min(),
                            -Limits::denorm_min(),
                            Limits::min(),
                            Limits::max(),
                            Limits::lowest(),
                            T(0.5),
                            T(-0.5),
                            T(1.5),
                            T(-1.5),
                            T(2.5),
                            T(-2.5),
                            T(1),
                            T(-1),
                            T(0.1),
                            T(127.9),
                            T(-128.9),
                            T(255.5),
                            T(65536),
                            T(2147483648.0),
                            T(-2147483649.0),
                            T(4294967296.0),
                            T(9.3e18),
                            T(-9.3e18),
                            T(1.9e19),
                            T(88),
                            T(-87),
                            T(1e-3),
                            T(8388607.5),
                            T(710),
                            T(-745)};
    const auto pick = numbers.next() % (std::size(values) * 2);
    return pick < std::size(values) ? values[pick] : plain_value<T>(numbers);
  } else {
    constexpr T values[] = {Limits::min(),
                            Limits::max(),
                            static_cast<T>(Limits::min() + 1),
                            static_cast<T>(Limits::max() - 1),
                            static_cast<T>(Limits::max() / 2),
                            0,
                            1,
                            2,
                            3,
                            7,
                            static_cast<T>(-1),
                            static_cast<T>(-2),
                            static_cast<T>(-7),
                            static_cast<T>(sizeof(T) * 8 - 1),
                            static_cast<T>(sizeof(T) * 8)};
    const auto pick = numbers.next() % (std::size(values) * 2);
    return pick < std::size(values) ? values[pick] : plain_value<T>(numbers);
  }
}

template <class T>
T make_value(Values values, Numbers& numbers) {
  switch (values) {
    case Values::plain: return plain_value<T>(numbers);
    case Values::special: return special_value<T>(numbers);
    case Values::few: {
      constexpr int low = std::is_signed_v<T> ? -1 : 0;
      if constexpr (std::is_same_v<T, bool>) return plain_value<T>(numbers);
      return static_cast<T>(numbers.between(low, 2));
    }
    case Values::positive:
      if constexpr (std::is_floating_point_v<T>) return static_cast<T>(0.5 + 1.5 * numbers.uniform());
      return static_cast<T>(numbers.between(1, std::is_same_v<T, bool> ? 1 : 3));
    case Values::near_one: break;
  }
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(0.99 + 0.02 * numbers.uniform());
  return static_cast<T>(std::is_signed_v<T> && numbers.next() % 2 == 0 ? -1 : 1);
}

/// What lies around the elements of a view: values that would show in a result.
template <class T>
T garbage_value() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) return Limits::quiet_NaN();
  return static_cast<T>(Limits::max() - 2);
}

}  // namespace

HostArray make_values(DType dtype, const Shape& shape, Values values, std::uint64_t seed) {
  HostArray host(dtype, shape);
  Numbers numbers(seed * 1000 + static_cast<std::uint64_t>(dtype));
  const std::int64_t size = host.size();
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < size; ++i) host.set<T>(i, make_value<T>(values, numbers));
  });
  return host;
}

HostArray make_indices(const Shape& shape, std::int64_t length, std::uint64_t seed) {
  HostArray host(int64, shape);
  Numbers numbers(seed);
  const std::int64_t size = host.size();
  for (std::int64_t i = 0; i < size; ++i) host.set<std::int64_t>(i, numbers.between(-length, length - 1));
  return host;
}

// ---- layouts

const char* name(LayoutKind kind) {
  switch (kind) {
    case LayoutKind::contiguous: return "contiguous";
    case LayoutKind::offset: return "offset";
    case LayoutKind::transposed: return "transposed";
    case LayoutKind::swapped: return "swapped";
    case LayoutKind::sliced: return "sliced";
    case LayoutKind::stepped: return "stepped";
    case LayoutKind::negative: return "negative";
    case LayoutKind::broadcast: break;
  }
  return "broadcast";
}

HostArray suited(HostArray values, LayoutKind kind) {
  if (kind != LayoutKind::broadcast || values.shape.empty() || values.size() == 0) return values;
  const std::size_t row = values.bytes.size() / static_cast<std::size_t>(values.shape[0]);
  for (std::size_t at = row; at < values.bytes.size(); at += row) {
    std::memcpy(values.bytes.data() + at, values.bytes.data(), row);
  }
  return values;
}

namespace {

/// The order of axes in memory: `axes` of the laid-out array, from the slowest to the fastest.
Dims memory_order(LayoutKind kind, int rank) {
  Dims axes;
  for (int axis = 0; axis < rank; ++axis)
    axes.push_back(kind == LayoutKind::transposed ? rank - 1 - axis : axis);
  if (kind == LayoutKind::swapped && rank >= 2) std::swap(axes[rank - 2], axes[rank - 1]);
  return axes;
}

Shape permuted(const Shape& shape, const Dims& axes) {
  Shape result;
  for (const std::int64_t axis : axes) result.push_back(shape[static_cast<int>(axis)]);
  return result;
}

}  // namespace

Placement placement(const Shape& shape, LayoutKind kind) {
  const int rank = shape.size();
  Placement placed{row_major(shape), 0};
  Shape outer = shape;
  switch (kind) {
    case LayoutKind::contiguous: break;
    case LayoutKind::offset: placed.layout.offset = 1; break;
    case LayoutKind::transposed:
    case LayoutKind::swapped: {
      // Both orders are their own inverse.
      const Dims axes = memory_order(kind, rank);
      placed.layout = permute(row_major(permuted(shape, axes)), axes);
      break;
    }
    case LayoutKind::sliced:
      for (auto& extent : outer) extent += 3;
      placed.layout = row_major(outer);
      for (int axis = 0; axis < rank; ++axis) placed.layout = slice(placed.layout, axis, 1, shape[axis], 1);
      break;
    case LayoutKind::stepped:
      for (auto& extent : outer) extent = 2 * extent + 1;
      placed.layout = row_major(outer);
      for (int axis = 0; axis < rank; ++axis) placed.layout = slice(placed.layout, axis, 1, shape[axis], 2);
      break;
    case LayoutKind::negative:
      for (int axis = 0; axis < rank; ++axis) {
        if (shape[axis] > 0) placed.layout = slice(placed.layout, axis, shape[axis] - 1, shape[axis], -1);
      }
      break;
    case LayoutKind::broadcast:
      if (rank > 0) {
        outer[0] = std::min<std::int64_t>(shape[0], 1);
        placed.layout = row_major(outer);
        placed.layout.shape = shape;
        placed.layout.strides[0] = 0;
      }
      break;
  }
  placed.elements = element_count(outer) + placed.layout.offset * (kind == LayoutKind::offset ? 1 : 0);
  return placed;
}

Array place(const HostArray& values, LayoutKind kind, const Device& device) {
  const Placement placed = placement(values.shape, kind);
  HostArray image(values.dtype, {placed.elements});
  visit_dtype(values.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < placed.elements; ++i) image.set<T>(i, garbage_value<T>());
    for_each_element(placed.layout,
                     [&](std::int64_t i, std::int64_t at) { image.set<T>(at, values.at<T>(i)); });
  });
  const Array buffer = upload(image, device);
  const int rank = values.shape.size();
  switch (kind) {
    case LayoutKind::contiguous: break;
    case LayoutKind::offset: return reshape(index(buffer, {slice(1)}), values.shape);
    case LayoutKind::transposed:
    case LayoutKind::swapped: {
      const Dims axes = memory_order(kind, rank);
      return permute_dims(reshape(buffer, permuted(values.shape, axes)), axes);
    }
    case LayoutKind::sliced:
    case LayoutKind::stepped: {
      const std::int64_t step = kind == LayoutKind::sliced ? 1 : 2;
      Shape outer;
      std::vector<Index> items;
      for (const std::int64_t extent : values.shape) {
        outer.push_back(step == 1 ? extent + 3 : 2 * extent + 1);
        items.emplace_back(slice(1, 1 + extent * step, step));
      }
      return index(reshape(buffer, outer), std::span<const Index>(items));
    }
    case LayoutKind::negative: return flip(reshape(buffer, values.shape));
    case LayoutKind::broadcast: {
      if (rank == 0 || values.shape[0] == 0) break;
      Shape row = values.shape;
      row[0] = 1;
      return broadcast_to(reshape(buffer, row), values.shape);
    }
  }
  return reshape(buffer, values.shape);
}

}  // namespace tessera::test
