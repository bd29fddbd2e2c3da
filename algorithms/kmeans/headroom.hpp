#pragma once

#include <cstdint>
#include <string>

#include <tessera/tessera.hpp>

// Scores are sums of products in x's dtype. Where one overflows, an infinity or a NaN wins and the label is
// wrong without a word: values that could do so are refused before.

namespace tessera::kmeans {

/// What |v - p|^2 may be at most, for samples and centers v about some point p: with the mean of the centers
/// taken off instead of p, no score and no step on the way to it overflows the dtype.
double largest_squared_length(DType dtype);

/// Throws the ValueError for values that are farther apart than that.
[[noreturn]] void throw_overflow(const std::string& argument, DType dtype);

/// Throws where x or the centers, both (.., d) of one dtype, have a NaN, an infinity or values so large that
/// scores overflow. A tile of samples is read at once where bounds don't settle it.
void check_values(const Array& x, const Array& centers, std::int64_t tile_samples);

}  // namespace tessera::kmeans
