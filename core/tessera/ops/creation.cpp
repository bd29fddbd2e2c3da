#include <tessera/ops/creation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

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

// ---- arange

std::string spelled(const Scalar& start, const Scalar& stop, const Scalar& step) {
  return fmt::format("{} to {} by {}", start.to_string(), stop.to_string(), step.to_string());
}

// How many steps lie in [start, stop).
std::int64_t count_floats(const Scalar& start, const Scalar& stop, const Scalar& step) {
  const double count = std::ceil((stop.to<double>() - start.to<double>()) / step.to<double>());
  if (!(std::abs(count) < 9.2e18)) {
    throw ValueError(fmt::format("[arange] {} has no finite length", spelled(start, stop, step)));
  }
  return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

// Holds every int64 and uint64, and their differences.
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): the other takes no __extension__

Wide widen(const Scalar& value) {
  if (value.type() == Scalar::Type::unsigned_integer) return Wide{value.to<std::uint64_t>()};
  return Wide{value.to<std::int64_t>()};
}

struct Progression {
  std::int64_t count;
  DType dtype;
};

bool all_in(Wide a, Wide b, DType dtype) {
  return visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      return std::min(a, b) >= Wide{std::numeric_limits<T>::min()} &&
             std::max(a, b) <= Wide{std::numeric_limits<T>::max()};
    } else {
      return true;  // rounded
    }
  });
}

// How many integers lie in [start, stop), and the dtype: int64 unless asked for another, uint64 past it.
Progression count_integers(const Scalar& start, const Scalar& stop, const Scalar& step,
                           std::optional<DType> dtype) {
  const Wide first = widen(start);
  const Wide by = widen(step);
  const Wide span = by > 0 ? widen(stop) - first : first - widen(stop);
  const Wide stride = by > 0 ? by : -by;
  const Wide count = span > 0 ? (span - 1) / stride + 1 : 0;
  if (count > Wide{std::numeric_limits<std::int64_t>::max()}) {
    throw ValueError(
        fmt::format("[arange] {} has more elements than 64 bits count", spelled(start, stop, step)));
  }
  const Wide last = count > 0 ? first + (count - 1) * by : first;
  const DType result =
      dtype.value_or(count == 0 || all_in(first, last, DType::int64) ? DType::int64 : DType::uint64);
  if (count > 0 && !all_in(first, last, result)) {
    throw DTypeError(fmt::format("[arange] {} does not fit {}; use a wider dtype, or cast with astype",
                                 spelled(start, stop, step), name(result)));
  }
  return {static_cast<std::int64_t>(count), result};
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
  if (k <= -n_rows || k >= n_cols) return out;
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
  if (step.is_bool()) throw ValueError("[arange] step is a bool; expected a number");
  if (step.to<double>() == 0) throw ValueError("[arange] step is 0; expected another number");
  if (options.dtype && (is_bool(*options.dtype) || (floating && !is_floating(*options.dtype)))) {
    throw DTypeError(fmt::format("[arange] {} does not make {}; use integers, or cast with astype",
                                 spelled(start, stop, step), name(*options.dtype)));
  }
  const Progression found =
      floating ? Progression{count_floats(start, stop, step), options.dtype.value_or(DType::float32)}
               : count_integers(start, stop, step, options.dtype);
  const Array out = make_checked("arange", {found.count}, found.dtype, options.device);
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
