#include "kmeans/headroom.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kmeans/init.hpp"
#include "kmeans/validation.hpp"

namespace tessera::kmeans {
namespace {

void check_about(const std::string& argument, const Array& values, const Array& point,
                 std::int64_t tile_samples) {
  const auto longest = max(centered_norms(values, point, tile_samples)).item<double>();
  if (!(longest <= largest_squared_length(values.dtype()))) throw_overflow(argument, values.dtype());
}

}  // namespace

double largest_squared_length(DType dtype) {
  // About the mean of the centers lengths are at most twice as long, squares four times, and a score is a
  // square and two products: 12 of the 16.
  return (dtype == float32 ? double{std::numeric_limits<float>::max()} : std::numeric_limits<double>::max()) /
         16;
}

void throw_overflow(const std::string& argument, DType dtype) {
  throw ValueError("[kmeans] " + argument + " has values so large that squared distances overflow " +
                   std::string(name(dtype)) + "; scale x down" +
                   (dtype == float32 ? " or convert it to float64" : ""));
}

void check_values(const Array& x, const Array& centers, std::int64_t tile_samples) {
  // A NaN makes both extremes one.
  const Array extremes = stack({min(x), max(x), min(centers), max(centers)});
  const auto values = astype(extremes, float64).to_host<double>();
  const double of_x = std::max(std::abs(values[0]), std::abs(values[1]));
  const double of_centers = std::max(std::abs(values[2]), std::abs(values[3]));
  if (!std::isfinite(values[2]) || !std::isfinite(of_centers)) {
    require_finite("centers", centers, tile_samples);
  }
  if (!std::isfinite(values[0]) || !std::isfinite(of_x)) require_finite("x", x, tile_samples);
  const double largest = std::max(of_x, of_centers);
  if (static_cast<double>(x.shape(1)) * largest * largest <= largest_squared_length(x.dtype())) return;
  const Array point = astype(mean(astype(centers, float64), {.axis = 0}), x.dtype());
  check_about("centers", centers, point, tile_samples);
  check_about("x", x, point, tile_samples);
}

}  // namespace tessera::kmeans
