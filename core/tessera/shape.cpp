#include <tessera/shape.hpp>

#include <fmt/format.h>

#include <tessera/error.hpp>

namespace tessera {

void Dims::fail_rank(std::size_t rank) {
  throw ShapeError(
      fmt::format("[shape] an array has at most {} dimensions, not {}; merge some of them first with reshape",
                  kMaxRank, rank));
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  bool overflow = false;
  for (const std::int64_t extent : shape) {
    if (extent == 0) return 0;
    overflow |= __builtin_mul_overflow(count, extent, &count);
  }
  if (overflow) {
    throw ShapeError(
        fmt::format("[shape] {} has more than 2^63 - 1 elements; use smaller extents", to_string(shape)));
  }
  return count;
}

Strides row_major_strides(const Shape& shape) {
  Strides strides = shape;
  std::int64_t step = 1;
  for (int i = shape.size() - 1; i >= 0; --i) {
    strides[i] = step;
    // Past 2^63 the array is empty or element_count has refused it: the value is never used.
    if (shape[i] > 0 && __builtin_mul_overflow(step, shape[i], &step)) step = 0;
  }
  return strides;
}

Shape broadcast_shapes(const char* operation, const Shape& a, const Shape& b) {
  if (a == b) return a;
  const bool a_is_longer = a.size() >= b.size();
  Shape result = a_is_longer ? a : b;
  const Shape& other = a_is_longer ? b : a;
  const int lead = result.size() - other.size();
  for (int i = 0; i < other.size(); ++i) {
    std::int64_t& extent = result[lead + i];
    if (extent == other[i] || other[i] == 1) continue;
    if (extent != 1) {
      throw ShapeError(fmt::format(
          "[{}] shapes {} and {} do not broadcast; extents must be equal, or one of them 1, counted "
          "from the last dimension",
          operation, to_string(a), to_string(b)));
    }
    extent = other[i];
  }
  return result;
}

int normalize_axis(const char* operation, int axis, int rank) {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  if (rank == 0) {
    throw IndexError(fmt::format("[{}] axis {} of an array without dimensions; reshape it to (1,) first",
                                 operation, axis));
  }
  throw IndexError(
      fmt::format("[{}] axis {} is out of range for an array of {} dimension{}; it must be in {} .. {}",
                  operation, axis, rank, rank == 1 ? "" : "s", -rank, rank - 1));
}

std::string to_string(const Dims& dims) {
  if (dims.size() == 1) return fmt::format("({},)", dims[0]);
  return fmt::format("({})", fmt::join(dims.begin(), dims.end(), ", "));
}

}  // namespace tessera
