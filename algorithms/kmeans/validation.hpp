#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <tessera/tessera.hpp>

// The checks of KMeans: each throws a ValueError, ShapeError, DTypeError or DeviceError that names the
// argument, what it was and, where a value is at fault, the first offending row, counted from 0.

namespace tessera::kmeans {

/// The dtype that samples are computed in: integers of 8 and 16 bits in float32, wider ones in float64.
DType working_dtype(DType dtype);

/// `x` as (n, d) of its working dtype; n > 0, d > 0.
Array as_samples(const std::string& argument, const Array& x);

/// Throws for the first NaN or infinity in x, if there is one: a tile of samples at a time.
void require_finite(const std::string& argument, const Array& x, std::int64_t tile_samples);

/// sample_weight as (n,) float64 on x's device: finite, >= 0, with a positive sum.
Array as_weights(const Array& weights, const Array& x);

/// Centers as (k, d) of a float dtype, on `device`; of the shape given, or any with k > 0.
Array as_centers(const std::string& argument, const Array& centers, const std::optional<Shape>& shape,
                 const Device& device);

void check_clusters(std::int64_t clusters, const Array& x);

}  // namespace tessera::kmeans
