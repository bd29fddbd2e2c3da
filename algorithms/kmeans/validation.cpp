#include "kmeans/validation.hpp"

#include <cmath>

#include "kmeans/tiles.hpp"

namespace tessera::kmeans {
namespace {

std::string describe(const Array& x) {
  return "shape " + to_string(x.shape()) + " " + std::string(name(x.dtype()));
}

std::string at_row(std::int64_t row) {
  return " in row " + std::to_string(row);
}

void require_number(const std::string& argument, const Array& x) {
  if (!x.valid()) throw ValueError("[kmeans] " + argument + " is no array");
  if (is_bool(x.dtype())) {
    throw DTypeError("[kmeans] " + argument + " is bool; give numbers, for instance astype(" + argument +
                     ", float32)");
  }
}

void require_device(const std::string& argument, const Array& x, const Device& device) {
  if (x.device() == device) return;
  throw DeviceError("[kmeans] " + argument + " is on " + x.device().name() + " but x is on " + device.name() +
                    "; copy it there with to_device");
}

// The position of the first true element of (n,) bool, or -1.
std::int64_t first_true(const Array& flags) {
  if (!any(flags).item<bool>()) return -1;
  return argmax(astype(flags, uint8), {.axis = 0}).item<std::int64_t>();
}

[[noreturn]] void throw_weight(const Array& weights, std::int64_t row, const std::string& wrong) {
  const double value = index(weights, {row}).item<double>();
  throw ValueError("[kmeans] sample_weight has " + wrong + at_row(row) + ": " + std::to_string(value) +
                   "; weights must be finite and at least 0");
}

}  // namespace

DType working_dtype(DType dtype) {
  if (is_floating(dtype)) return dtype;
  return itemsize(dtype) <= 2 ? float32 : float64;
}

Array as_samples(const std::string& argument, const Array& x) {
  require_number(argument, x);
  if (x.ndim() != 2) {
    throw ShapeError("[kmeans] " + argument + " has " + describe(x) +
                     "; expected 2 dimensions, (samples, features)" +
                     (x.ndim() == 1 ? ": reshape(" + argument + ", {-1, 1}) for a single feature" : ""));
  }
  if (x.shape(0) == 0) {
    throw ValueError("[kmeans] " + argument + " has no samples: " + describe(x) + "; at least 1 is needed");
  }
  if (x.shape(1) == 0) {
    throw ValueError("[kmeans] " + argument + " has no features: " + describe(x) + "; at least 1 is needed");
  }
  return astype(x, working_dtype(x.dtype()));
}

void require_finite(const std::string& argument, const Array& x, std::int64_t tile_samples) {
  for (const Tile& tile : split(x.shape(0), tile_samples)) {
    const Array some = rows(x, tile);
    const std::int64_t row = first_true(any(~isfinite(some), {.axis = 1}));
    if (row < 0) continue;
    const Array values = index(some, {row});
    const std::int64_t column = first_true(~isfinite(values));
    throw ValueError("[kmeans] " + argument + " has a value that is not finite as " +
                     std::string(name(x.dtype())) + at_row(tile.start + row) + ": " +
                     std::to_string(index(values, {column}).item<double>()) + " in column " +
                     std::to_string(column) + "; remove such rows or replace the values");
  }
}

Array as_weights(const Array& weights, const Array& x) {
  require_number("sample_weight", weights);
  require_device("sample_weight", weights, x.device());
  if (weights.ndim() != 1 || weights.shape(0) != x.shape(0)) {
    throw ShapeError("[kmeans] sample_weight has " + describe(weights) +
                     "; expected one weight for each of the " + std::to_string(x.shape(0)) +
                     " samples of x, " + describe(x));
  }
  Array values = astype(weights, float64);
  const auto summary = stack({min(values), sum(values)}).to_host<double>();
  if (summary[0] >= 0 && summary[1] > 0 && std::isfinite(summary[1])) return values;

  const std::int64_t bad = first_true(~isfinite(values));
  if (bad >= 0) throw_weight(values, bad, "a value that is not finite");
  const std::int64_t negative = first_true(values < 0);
  if (negative >= 0) throw_weight(values, negative, "a negative value");
  if (summary[1] > 0)
    throw ValueError("[kmeans] sample_weight has a sum that overflows; scale the weights down");
  throw ValueError("[kmeans] sample_weight sums to 0: all " + std::to_string(x.shape(0)) +
                   " weights, from row 0 on, are 0; at least one must be above 0");
}

Array as_centers(const std::string& argument, const Array& centers, const std::optional<Shape>& shape,
                 const Device& device) {
  require_number(argument, centers);
  require_device(argument, centers, device);
  const bool fits = shape ? centers.shape() == *shape : centers.ndim() == 2 && centers.shape(0) > 0;
  if (!fits) {
    throw ShapeError("[kmeans] " + argument + " has " + describe(centers) + "; expected " +
                     (shape ? to_string(*shape) : "(k, d)") + ": a center a row, with the features of x");
  }
  return astype(centers, working_dtype(centers.dtype()));
}

void check_clusters(std::int64_t clusters, const Array& x) {
  if (clusters < 1) {
    throw ValueError("[kmeans] n_clusters is " + std::to_string(clusters) + "; it must be at least 1");
  }
  if (clusters > x.shape(0)) {
    throw ValueError("[kmeans] n_clusters is " + std::to_string(clusters) + " but x has only " +
                     std::to_string(x.shape(0)) + " samples: " + describe(x) +
                     "; ask for fewer clusters or give more samples");
  }
}

}  // namespace tessera::kmeans
