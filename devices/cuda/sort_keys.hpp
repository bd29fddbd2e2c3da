#pragma once

// Elements as unsigned integers of the same order, and sorts of these.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/device_code.hpp"

namespace tessera::cuda {

/// An unsigned integer that sorts as the element does: ascending or descending, NaN last in both.
template <class T>
__device__ std::uint64_t sort_key(T value, bool descending) {
  constexpr int kBitsOfKey = static_cast<int>(sizeof(T) * 8);
  constexpr std::uint64_t kTop = std::uint64_t{1} << (kBitsOfKey - 1);
  constexpr std::uint64_t kOnes = ~std::uint64_t{0} >> (64 - kBitsOfKey);
  std::uint64_t key = 0;
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value) return kOnes;
    value = value + T{0};  // -0 sorts as +0
    std::memcpy(&key, &value, sizeof value);
    key = (key & kTop) != 0 ? ~key & kOnes : key | kTop;
  } else if constexpr (std::is_signed_v<T>) {
    key = (static_cast<std::uint64_t>(value) & kOnes) ^ kTop;
  } else {
    key = static_cast<std::uint64_t>(value);
  }
  return descending ? ~key & kOnes : key;
}

/// Keys, each with a value, and the room to sort them.
template <class Key>
class Pairs {
 public:
  Pairs(CudaDevice& device, std::int64_t count);

  Key* keys() const { return keys_[side_]->template as<Key>(); }
  Key* values() const { return values_[side_]->template as<Key>(); }

  /// By the lowest `bits` bits of the keys; stable. Other bits must be 0. Keys and values move.
  void sort(int bits);

 private:
  CudaDevice& device_;
  std::int64_t count_;
  int side_ = 0;
  std::optional<Workspace> keys_[2];
  std::optional<Workspace> values_[2];
};

extern template class Pairs<std::uint32_t>;
extern template class Pairs<std::uint64_t>;

/// How many bits hold 0 .. count - 1; at least one.
inline int bits_of(std::int64_t count) {
  return std::max(
      1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1) - 1))));
}

}  // namespace tessera::cuda
