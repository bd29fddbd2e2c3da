#include <tessera/random/random.hpp>

#include <Random123/philox.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tessera/error.hpp>
#include <tessera/funnel.hpp>
#include <tessera/ops/elementwise.hpp>
#include <tessera/ops/indexing.hpp>
#include <tessera/ops/manipulation.hpp>
#include <tessera/ops/reduction.hpp>
#include <tessera/ops/sorting.hpp>
#include <tessera/trace/tracer.hpp>

namespace tessera::random {
namespace {

/// Keys of split() come from here, so that they are none of the caller's own fold_in.
constexpr std::uint64_t kSplitTag = 0x73706c69746b6579;  // "splitkey"

/// Results are made in pieces of so many elements: temporaries stay small and in cache. A multiple of the
/// words of a Philox block, so that the numbers do not depend on it.
constexpr std::int64_t kPiece = std::int64_t{1} << 18;

void require_floating(const char* operation, DType dtype) {
  if (is_floating(dtype)) return;
  throw DTypeError(fmt::format("[{}] dtype is {}; it must be float32 or float64 (randint gives integers)",
                               operation, name(dtype)));
}

void require_extents(const char* operation, const Shape& shape) {
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      throw ShapeError(
          fmt::format("[{}] shape {} has a negative extent; extents are >= 0", operation, to_string(shape)));
    }
  }
  element_count(shape);
}

Array part(const Array& x, std::int64_t start, std::int64_t count, std::int64_t step = 1) {
  return view_of(x, slice(x.layout(), 0, start, count, step));
}

/// Words of the key's stream as `dtype` (uint32 or uint64), from element `start` on (a multiple of 4).
Array stream(const char* operation, const Key& key, std::int64_t start, std::int64_t count, DType dtype,
             const Device& device) {
  const Array words = make_array(operation, {count}, dtype, device);
  const auto words_each = static_cast<std::int64_t>(itemsize(dtype) / 4);
  kernels::random_bits(operation, key.bits(), static_cast<std::uint64_t>(start * words_each / 4), words);
  return words;
}

/// An array whose elements `make(start, count)` gives, a piece at a time, in its own dtype or another.
template <class Make>
Array in_pieces(const char* operation, const Shape& shape, DType dtype, const Device& device, Make make) {
  require_extents(operation, shape);
  const std::int64_t size = element_count(shape);
  if (size <= kPiece) return reshape(cast(operation, make(std::int64_t{0}, size), dtype), shape);
  const Array out = make_array(operation, shape, dtype, device);
  const Array flat = view_of(out, row_major({size}));
  for (std::int64_t start = 0; start < size; start += kPiece) {
    const std::int64_t count = std::min(kPiece, size - start);
    kernels::copy(operation, make(start, count), part(flat, start, count));
  }
  return out;
}

// ---- uniform

/// The unsigned integers that a float's randomness is cut from.
DType word_dtype(DType dtype) {
  return dtype == DType::float32 ? DType::uint32 : DType::uint64;
}

/// In [0, 1): as many bits as the mantissa has, all results equally spaced.
Array unit_interval(const char* operation, Array words, DType dtype) {
  const bool single = dtype == DType::float32;
  const Array top = bitwise_right_shift(std::move(words), single ? 8 : 11);
  return cast(operation, top, dtype) * (single ? 0x1p-24 : 0x1p-53);
}

/// In (0, 1]: all bits are kept, so that the logarithm has long tails.
Array positive_interval(const char* operation, const Array& words, DType dtype) {
  return (cast(operation, words, dtype) + 0.5) * (dtype == DType::float32 ? 0x1p-32 : 0x1p-64);
}

double largest(DType dtype) {
  return dtype == DType::float32 ? double{std::numeric_limits<float>::max()}
                                 : std::numeric_limits<double>::max();
}

/// The lowest value of the dtype that is at least `low`, and the highest below `high`.
struct Bounds {
  double first;
  double last;
};
template <class T>
Bounds bounds(double low, double high) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  T first = static_cast<T>(low);
  if (static_cast<double>(first) < low) first = std::nextafter(first, infinity);
  T last = static_cast<T>(high);
  if (static_cast<double>(last) >= high) last = std::nextafter(last, -infinity);
  return {static_cast<double>(first), static_cast<double>(last)};
}

// ---- normal

/// c[0] x + c[1] x^3 + ... or c[0] + c[1] x^2 + ..., by Horner's rule in z = x^2.
Array polynomial(const Array& z, std::span<const double> coefficients) {
  Array sum = z * coefficients.back();
  for (std::size_t i = coefficients.size() - 1; i-- > 1;) sum = (std::move(sum) + coefficients[i]) * z;
  return std::move(sum) + coefficients[0];
}

/// Cosine and sine of 2 pi u - pi for u in [0, 1). The series are those of a quarter of the angle, and two
/// doublings follow: basic arithmetic alone, hence the same bits on every device.
std::pair<Array, Array> circle(Array u, DType dtype) {
  // (-1)^i / (2i)! and (-1)^i / (2i + 1)!: the remainders are below half a unit in the last place.
  constexpr std::array<double, 10> kCosine = {1.0,
                                              -1.0 / 2,
                                              1.0 / 24,
                                              -1.0 / 720,
                                              1.0 / 40320,
                                              -1.0 / 3628800,
                                              1.0 / 479001600,
                                              -1.0 / 87178291200,
                                              1.0 / 20922789888000.0,
                                              -1.0 / 6402373705728000.0};
  constexpr std::array<double, 10> kSine = {1.0,
                                            -1.0 / 6,
                                            1.0 / 120,
                                            -1.0 / 5040,
                                            1.0 / 362880,
                                            -1.0 / 39916800,
                                            1.0 / 6227020800.0,
                                            -1.0 / 1307674368000.0,
                                            1.0 / 355687428096000.0,
                                            -1.0 / 121645100408832000.0};
  const std::size_t terms = dtype == DType::float32 ? 6 : 10;
  const Array angle = (std::move(u) - 0.5) * 1.5707963267948966;
  const Array z = square(angle);
  Array sine = polynomial(z, std::span(kSine).first(terms)) * angle;
  Array cosine = polynomial(z, std::span(kCosine).first(terms));
  for (int doubling = 0; doubling < 2; ++doubling) {
    Array product = sine * cosine * 2;
    cosine = 1 - square(std::move(sine)) * 2;
    sine = std::move(product);
  }
  return {std::move(cosine), std::move(sine)};
}

/// Standard normal numbers; each two come from two words.
Array normal_piece(const char* operation, const Key& key, std::int64_t start, std::int64_t count, DType dtype,
                   const Device& device) {
  const std::int64_t pairs = (count + 1) / 2;
  const Array words = stream(operation, key, start, 2 * pairs, word_dtype(dtype), device);
  const Array radius = sqrt(log(positive_interval(operation, part(words, 0, pairs, 2), dtype)) * -2);
  auto [cosine, sine] = circle(unit_interval(operation, part(words, 1, pairs, 2), dtype), dtype);
  const Array out = make_array(operation, {2 * pairs}, dtype, device);
  kernels::binary(operation, BinaryOp::multiply, radius, cosine, part(out, 0, pairs, 2));
  kernels::binary(operation, BinaryOp::multiply, radius, sine, part(out, 1, pairs, 2));
  return part(out, 0, count);
}

// ---- integers

/// floor(draw * range / 2^64) for 64-bit draws: the high half of the product, from halves of 32 bits.
Array scale_to_range(const Array& draws, std::uint64_t range) {
  constexpr std::uint64_t kLow = 0xffffffff;
  const std::uint64_t range_low = range & kLow;
  const std::uint64_t range_high = range >> 32;
  const Array low = draws & kLow;
  const Array high = bitwise_right_shift(draws, 32);
  Array middle = high * range_low;
  Array carry = bitwise_right_shift(low * range_low, 32);
  if (range_high == 0) return bitwise_right_shift(std::move(middle) + carry, 32);
  const Array other = low * range_high;
  carry = std::move(carry) + (middle & kLow) + (other & kLow);
  return high * range_high + bitwise_right_shift(std::move(middle), 32) + bitwise_right_shift(other, 32) +
         bitwise_right_shift(std::move(carry), 32);
}

struct Range {
  std::int64_t lowest;
  std::uint64_t highest;
};
Range range_of(DType dtype) {
  return visit_dtype(dtype, []<class T>(T) -> Range {
    if constexpr (std::is_integral_v<T>) {
      return {static_cast<std::int64_t>(std::numeric_limits<T>::min()),
              static_cast<std::uint64_t>(std::numeric_limits<T>::max())};
    } else {
      return {0, 0};
    }
  });
}

// ---- choice

/// The positive weights in float64, and where they are. There even while a function is traced.
struct Weights {
  Array values;
  Array positions;
};

Weights checked_weights(const Array& p, std::int64_t n) {
  require_array("choice", "p", p);
  if (p.ndim() != 1 || p.size() != n || is_bool(p.dtype())) {
    throw ShapeError(
        fmt::format("[choice] p is {}; expected {} numbers, one for each index", describe(p), n));
  }
  trace::require_values(
      "choice", p,
      "which weights are positive is read from p: draw outside of the function and pass the "
      "indices as an argument, or let it capture p");
  const trace::Pause eager;
  const Array values = cast("choice", p, DType::float64);
  if (!all(logical_and(values >= 0, isfinite(values))).item<bool>()) {
    const Array bad = nonzero(logical_not(logical_and(values >= 0, isfinite(values)))).front();
    const auto row = part(bad, 0, 1).item<std::int64_t>();
    throw ValueError(fmt::format("[choice] p[{}] is {}; weights are finite and >= 0", row,
                                 part(values, row, 1).item<double>()));
  }
  // Without the weights of 0 no rounding can choose one.
  const Array positions = nonzero(values).front();
  return {take(values, positions), positions};
}

/// The last of which is finite.
Array running_sums(const Weights& weights) {
  const trace::Pause eager;
  const Array sums = cumulative_sum(weights.values);
  if (!isfinite(part(sums, sums.size() - 1, 1)).item<bool>()) {
    throw ValueError("[choice] the sum of p is past the range of float64; scale p down");
  }
  return sums;
}

Array weighted_choice(const Key& key, const Shape& shape, const Weights& weights) {
  const Device device = weights.values.device();
  const Array sums = running_sums(weights);
  const Array total = part(sums, sums.size() - 1, 1);
  return in_pieces("choice", shape, DType::int64, device, [&](std::int64_t start, std::int64_t count) {
    Array u =
        unit_interval("choice", stream("choice", key, start, count, DType::uint64, device), DType::float64);
    const Array found = searchsorted(sums, std::move(u) * total, {.side = Side::right});
    return take(weights.positions, minimum(found, sums.size() - 1));
  });
}

/// The smallest of exponential numbers with the weights as rates: compared by logarithm, whose range is wide.
Array weighted_sample(const Key& key, std::int64_t count, const Weights& weights) {
  const Device device = weights.values.device();
  const Array words = stream("choice", key, 0, weights.values.size(), DType::uint64, device);
  const Array waits = log(-log(positive_interval("choice", words, DType::float64))) - log(weights.values);
  return take(weights.positions, part(argsort(waits), 0, count));
}

}  // namespace

// ---- keys

Key::Key(std::uint64_t seed) : bits_(seed) {}

Key Key::fold_in(std::uint64_t i) const {
  // The streams of a key count from 0 in the low half of the counter; this is far outside.
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const auto high = [](std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); };
  const r123::Philox4x32::ctr_type counter = {{low(i), high(i), 0x6b657973, 0x666f6c64}};
  const r123::Philox4x32::key_type key = {{low(bits_), high(bits_)}};
  const r123::Philox4x32::ctr_type words = r123::Philox4x32()(counter, key);
  return {Raw{}, static_cast<std::uint64_t>(words[1]) << 32 | words[0]};
}

std::vector<Key> split(const Key& key, int count) {
  if (count < 0) throw ValueError(fmt::format("[split] count is {}; it must be at least 0", count));
  const Key base = key.fold_in(kSplitTag);
  std::vector<Key> keys;
  keys.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) keys.push_back(base.fold_in(static_cast<std::uint64_t>(i)));
  return keys;
}

// ---- numbers

Array bits(const Key& key, const Shape& shape, const CreationOptions& options) {
  const DType dtype = options.dtype.value_or(DType::uint32);
  if (dtype != DType::uint32 && dtype != DType::uint64) {
    throw DTypeError(fmt::format("[bits] dtype is {}; it must be uint32 or uint64", name(dtype)));
  }
  require_extents("bits", shape);
  return reshape(stream("bits", key, 0, element_count(shape), dtype, options.device), shape);
}

Array uniform(const Key& key, const Shape& shape, const UniformOptions& options) {
  constexpr const char* kOperation = "uniform";
  const DType dtype = options.dtype;
  require_floating(kOperation, dtype);
  const double width = options.high - options.low;
  // In the dtype, of which a wider range would give few values or none.
  if (!(width > 0) || !(width <= largest(dtype)) || std::abs(options.low) > largest(dtype) ||
      std::abs(options.high) > largest(dtype)) {
    throw ValueError(
        fmt::format("[uniform] low is {}, high is {}; low must be below high, and both and their "
                    "difference finite {} numbers",
                    options.low, options.high, name(dtype)));
  }
  const Bounds range = dtype == DType::float32 ? bounds<float>(options.low, options.high)
                                               : bounds<double>(options.low, options.high);
  if (range.first > range.last) {
    throw ValueError(fmt::format("[uniform] no {} lies in [{}, {}); use float64, or a wider range",
                                 name(dtype), options.low, options.high));
  }
  const bool unit = options.low == 0 && options.high == 1;
  return in_pieces(kOperation, shape, dtype, options.device, [&](std::int64_t start, std::int64_t count) {
    Array u = unit_interval(kOperation,
                            stream(kOperation, key, start, count, word_dtype(dtype), options.device), dtype);
    if (unit) return u;
    return minimum(std::move(u) * width + range.first, range.last);
  });
}

Array normal(const Key& key, const Shape& shape, const NormalOptions& options) {
  constexpr const char* kOperation = "normal";
  require_floating(kOperation, options.dtype);
  if (!(options.stddev >= 0) || !(options.stddev <= largest(options.dtype)) ||
      !(std::abs(options.mean) <= largest(options.dtype))) {
    throw ValueError(fmt::format(
        "[normal] mean is {}, stddev is {}; both must be finite {} numbers, and stddev at least 0",
        options.mean, options.stddev, name(options.dtype)));
  }
  const bool standard = options.mean == 0 && options.stddev == 1;
  return in_pieces(kOperation, shape, options.dtype, options.device,
                   [&](std::int64_t start, std::int64_t count) {
                     Array z = normal_piece(kOperation, key, start, count, options.dtype, options.device);
                     if (standard) return z;
                     return std::move(z) * options.stddev + options.mean;
                   });
}

Array randint(const Key& key, std::int64_t low, std::int64_t high, const Shape& shape,
              const RandintOptions& options) {
  constexpr const char* kOperation = "randint";
  if (!is_integer(options.dtype)) {
    throw DTypeError(fmt::format("[randint] dtype is {}; it must be an integer dtype", name(options.dtype)));
  }
  if (low >= high) {
    throw ValueError(fmt::format("[randint] low is {}, high is {}; low must be below high", low, high));
  }
  const Range limits = range_of(options.dtype);
  if (low < limits.lowest || (high > 0 && static_cast<std::uint64_t>(high - 1) > limits.highest)) {
    throw ValueError(fmt::format("[randint] [{}, {}) does not fit {}; choose a wider dtype", low, high,
                                 name(options.dtype)));
  }
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  return in_pieces(kOperation, shape, options.dtype, options.device,
                   [&](std::int64_t start, std::int64_t count) {
                     const Array draws = stream(kOperation, key, start, count, DType::uint64, options.device);
                     return cast(kOperation, scale_to_range(draws, range), DType::int64) + low;
                   });
}

Array permutation(const Key& key, std::int64_t n, const PermutationOptions& options) {
  if (n < 0) throw ValueError(fmt::format("[permutation] n is {}; it must be at least 0", n));
  return argsort(stream("permutation", key, 0, n, DType::uint64, options.device));
}

Array choice(const Key& key, std::int64_t n, const Shape& shape, const ChoiceOptions& options) {
  require_extents("choice", shape);
  const std::int64_t count = element_count(shape);
  if (n < 0 || (n == 0 && count > 0)) {
    throw ValueError(fmt::format("[choice] n is {}; there is nothing to choose {} indices from", n, count));
  }
  if (!options.p) {
    if (options.replace) {
      return randint(key, 0, std::max<std::int64_t>(n, 1), shape, {.device = options.device});
    }
    if (count > n) {
      throw ValueError(
          fmt::format("[choice] {} indices of {} were asked for without replacement; ask for fewer, or set "
                      "replace",
                      count, n));
    }
    return reshape(part(permutation(key, n, {.device = options.device}), 0, count), shape);
  }
  const Weights weights = checked_weights(*options.p, n);
  const std::int64_t positive = weights.values.size();
  if (count > 0 && positive == 0) {
    throw ValueError(fmt::format("[choice] all {} weights of p are 0; at least one must be positive", n));
  }
  if (options.replace && count > 0) return weighted_choice(key, shape, weights);
  if (count > positive) {
    throw ValueError(
        fmt::format("[choice] {} indices were asked for without replacement, but only {} of p's {} weights "
                    "are positive; ask for fewer, or set replace",
                    count, positive, n));
  }
  return reshape(weighted_sample(key, count, weights), shape);
}

}  // namespace tessera::random
