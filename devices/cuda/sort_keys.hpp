#pragma once

// Elements as unsigned integers of the same order, and the temporary memory of sorts.

#include <cstddef>
#include <list>

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

/// Bytes from the pool for a library's own use, until this goes.
class PoolAllocator {
 public:
  using value_type = char;

  explicit PoolAllocator(CudaDevice& device) : device_(device) {}
  PoolAllocator(const PoolAllocator&) = delete;
  PoolAllocator& operator=(const PoolAllocator&) = delete;

  char* allocate(std::ptrdiff_t bytes) {
    return kept_.emplace_back(device_.scratch(static_cast<std::size_t>(bytes))).as<char>();
  }
  /// At the end, all at once.
  void deallocate(char* /*data*/, std::size_t /*bytes*/) {}

 private:
  CudaDevice& device_;
  std::list<Workspace> kept_;
};

// In sort.cu; others need them too.
void sort_pairs(CudaDevice& device, std::uint32_t* keys, std::uint32_t* values, std::int64_t count);
void sort_pairs(CudaDevice& device, std::uint64_t* keys, std::uint64_t* values, std::int64_t count);

}  // namespace tessera::cuda
