#include <tessera/ops/creation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <tessera/error.hpp>
#include <tessera/funnel.hpp>
#include <tessera/ops/elementwise.hpp>
#include <tessera/ops/indexing.hpp>
#include <tessera/ops/manipulation.hpp>

namespace tessera {
namespace {

Array make_checked(const char* operation, const Shape& shape, DType dtype, const Device& device) {
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      throw ShapeError(fmt::format("[{}] shape {} has a negative extent", operation, to_string(shape)));
    }
  }
  return make_array(operation, shape, dtype, device);
}

Array filled(const char* operation, const Shape& shape, Scalar value, DType dtype, const Device& device) {
  const Array out = make_checked(operation, shape, dtype, device);
  kernels::fill(operation, value, out);
  return out;
}

// Python's int and float: float64 arguments make a float array.
DType number_dtype(const Scalar& value) {
  return value.is_floating() ? DType::float32 : value.default_dtype();
}

// How many steps lie in [start, stop).
std::int64_t arange_count(const Scalar& start, const Scalar& stop, const Scalar& step, bool floating) {
  if (floating) {
    const double count = std::ceil((stop.to<double>() - start.to<double>()) / step.to<double>());
    if (!(std::abs(count) < 9.2e18)) {
      throw ValueError(fmt::format("[arange] {} to {} by {} has no finite length", start.to_string(),
                                   stop.to_string(), step.to_string()));
    }
    return count > 0 ? static_cast<std::int64_t>(count) : 0;
  }
  const auto first = start.to<std::int64_t>();
  const auto last = stop.to<std::int64_t>();
  const auto by = step.to<std::int64_t>();
  if (by > 0 ? first >= last : first <= last) return 0;
  // Differences of 64-bit integers fit their unsigned counterparts.
  const auto low = static_cast<std::uint64_t>(std::min(first, last));
  const std::uint64_t span = static_cast<std::uint64_t>(std::max(first, last)) - low;
  const std::uint64_t stride = by > 0 ? static_cast<std::uint64_t>(by) : 0 - static_cast<std::uint64_t>(by);
  const std::uint64_t count = span / stride + (span % stride != 0 ? 1 : 0);
  if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw ValueError(fmt::format("[arange] {} to {} has more elements than 64 bits count", start.to_string(),
                                 stop.to_string()));
  }
  return static_cast<std::int64_t>(count);
}

}  // namespace

Array empty(const Shape& shape, const CreationOptions& options) {
  return make_checked("empty", shape, options.dtype.value_or(DType::float32), options.device);
}
Array zeros(const Shape& shape, const CreationOptions& options) {
  return filled("zeros", shape, 0, options.dtype.value_or(DType::float32), options.device);
}
Array ones(const Shape& shape, const CreationOptions& options) {
  return filled("ones", shape, 1, options.dtype.value_or(DType::float32), options.device);
}
Array full(const Shape& shape, Scalar value, const CreationOptions& options) {
  const DType dtype = options.dtype.value_or(number_dtype(value));
  require_weak("full", value, dtype);
  return filled("full", shape, value, dtype, options.device);
}

Array eye(std::int64_t n_rows, const CreationOptions& options) {
  return eye(n_rows, n_rows, 0, options);
}

Array eye(std::int64_t n_rows, std::int64_t n_cols, std::int64_t k, const CreationOptions& options) {
  Array out = make_checked("eye", {n_rows, n_cols}, options.dtype.value_or(DType::float32), options.device);
  kernels::fill("eye", 0, out);
  const std::int64_t row = k < 0 ? -k : 0;
  const std::int64_t column = k < 0 ? 0 : k;
  const std::int64_t length = std::min(n_rows - row, n_cols - column);
  if (length <= 0) return out;
  const Array diagonal = view_of(out, {{length}, {n_cols + 1}, row * n_cols + column});
  kernels::fill("eye", 1, diagonal);
  return out;
}

Array arange(Scalar stop, const CreationOptions& options) {
  return arange(0, stop, 1, options);
}

Array arange(Scalar start, Scalar stop, Scalar step, const CreationOptions& options) {
  const bool floating = start.is_floating() || stop.is_floating() || step.is_floating();
  if (step.to<double>() == 0 || step.is_bool())
    throw ValueError("[arange] step is 0; expected another number");
  const DType dtype = options.dtype.value_or(floating ? DType::float32 : DType::int64);
  if (is_bool(dtype) || (floating && !is_floating(dtype))) {
    throw DTypeError(
        fmt::format("[arange] {} to {} by {} does not make {}; use integers, or cast with astype",
                    start.to_string(), stop.to_string(), step.to_string(), name(dtype)));
  }
  const Array out =
      make_checked("arange", {arange_count(start, stop, step, floating)}, dtype, options.device);
  kernels::iota("arange", start, step, out);
  return out;
}

Array linspace(double start, double stop, std::int64_t num, const LinspaceOptions& options) {
  if (num < 0) throw ValueError(fmt::format("[linspace] num is {}; expected 0 or more", num));
  const DType dtype = options.dtype.value_or(DType::float32);
  if (!is_floating(dtype))
    throw DTypeError(fmt::format("[linspace] takes a floating-point dtype, not {}", name(dtype)));
  const std::int64_t intervals = options.endpoint ? num - 1 : num;
  const double step = intervals > 0 ? (stop - start) / static_cast<double>(intervals) : 0;
  Array out = make_checked("linspace", {num}, dtype, options.device);
  kernels::iota("linspace", start, step, out);
  if (options.endpoint && num > 1)
    kernels::fill("linspace", stop, view_of(out, slice(out.layout(), 0, num - 1, 1, 1)));
  return out;
}

Array empty_like(const Array& x, const LikeOptions& options) {
  require_array("empty_like", "x", x);
  return make_array("empty_like", x.shape(), options.dtype.value_or(x.dtype()),
                    options.device.value_or(x.device()));
}
Array zeros_like(const Array& x, const LikeOptions& options) {
  require_array("zeros_like", "x", x);
  return filled("zeros_like", x.shape(), 0, options.dtype.value_or(x.dtype()),
                options.device.value_or(x.device()));
}
Array ones_like(const Array& x, const LikeOptions& options) {
  require_array("ones_like", "x", x);
  return filled("ones_like", x.shape(), 1, options.dtype.value_or(x.dtype()),
                options.device.value_or(x.device()));
}
Array full_like(const Array& x, Scalar value, const LikeOptions& options) {
  require_array("full_like", "x", x);
  require_weak("full_like", value, options.dtype.value_or(x.dtype()));
  return filled("full_like", x.shape(), value, options.dtype.value_or(x.dtype()),
                options.device.value_or(x.device()));
}

}  // namespace tessera
