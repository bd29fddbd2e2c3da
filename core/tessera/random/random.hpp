#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/ops/creation.hpp>

/// Random numbers from explicit keys: the same key gives the same numbers, on any device and for any number
/// of threads. Nothing is hidden: use a key once, and split it for more. Philox4x32-10 (Salmon, Moraes, Dror,
/// Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
namespace tessera::random {

class Key {
 public:
  /// A seed's own key.
  TESSERA_API explicit Key(std::uint64_t seed = 0);
  /// An independent key for each `i`.
  TESSERA_API Key fold_in(std::uint64_t i) const;
  std::uint64_t bits() const { return bits_; }
  friend bool operator==(const Key&, const Key&) = default;

 private:
  struct Raw {};
  Key(Raw, std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_;
};

/// `count` independent keys.
TESSERA_API std::vector<Key> split(const Key& key, int count = 2);

/// Uniform bits, uint32 or uint64.
TESSERA_API Array bits(const Key& key, const Shape& shape,
                       const CreationOptions& options = {.dtype = DType::uint32});

struct UniformOptions {
  double low = 0;
  double high = 1;
  DType dtype = DType::float32;
  Device device = default_device();
};
/// In [low, high): 24 bits of randomness for float32, 53 for float64. The same bits on every device.
TESSERA_API Array uniform(const Key& key, const Shape& shape, const UniformOptions& options = {});

struct NormalOptions {
  double mean = 0;
  double stddev = 1;
  DType dtype = DType::float32;
  Device device = default_device();
};
/// By Box and Muller's transform; the same to rounding on every device.
TESSERA_API Array normal(const Key& key, const Shape& shape, const NormalOptions& options = {});

struct RandintOptions {
  DType dtype = DType::int64;
  Device device = default_device();
};
/// Uniform in [low, high): a 64-bit draw scaled to the range (bias below 2^-32 for ranges below 2^32). The
/// same on every device.
TESSERA_API Array randint(const Key& key, std::int64_t low, std::int64_t high, const Shape& shape,
                          const RandintOptions& options = {});

struct PermutationOptions {
  Device device = default_device();
};
/// 0 .. n-1 in random order (int64), by a stable sort of random 64-bit keys. The same on every device.
TESSERA_API Array permutation(const Key& key, std::int64_t n, const PermutationOptions& options = {});

struct ChoiceOptions {
  bool replace = true;
  /// Weights, >= 0, 1-d of length n, need not sum to 1; on their device the choice is made.
  std::optional<Array> p = {};
  Device device = default_device();
};
/// Indices from 0 .. n-1 (int64). Weighted with replacement: by the cumulative sum in float64; without: by
/// exponential keys. An index of weight 0 is never chosen.
TESSERA_API Array choice(const Key& key, std::int64_t n, const Shape& shape,
                         const ChoiceOptions& options = {});

}  // namespace tessera::random
