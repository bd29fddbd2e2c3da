#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>

#include <tessera/device.hpp>
#include <tessera/error.hpp>

namespace tessera::cpu {

/// Turns elements of an index array into positions along an axis. Out of bounds, it gives no position and
/// remembers the first such element, whatever the order in which threads meet them.
class Positions {
 public:
  explicit Positions(std::int64_t length) : length_(length) {}

  /// -1 where out of bounds. `element` says which element of the index array it is.
  std::int64_t operator()(std::int64_t index, std::int64_t element) {
    const std::int64_t position = index < 0 ? index + length_ : index;
    if (position >= 0 && position < length_) [[likely]]
      return position;
    std::int64_t first = first_wrong_.load(std::memory_order_relaxed);
    while (element < first && !first_wrong_.compare_exchange_weak(first, element)) {
    }
    return -1;
  }

  /// Throws IndexError if there was one. `index_at(element)` gives its value again.
  template <class F>
  void check(const F& index_at) const {
    const std::int64_t element = first_wrong_.load();
    if (element == kNone) return;
    throw IndexError(std::string("[") + current_operation() + "] index " + std::to_string(index_at(element)) +
                     " at position " + std::to_string(element) + " is out of bounds for an axis of length " +
                     std::to_string(length_) + "; use indices from " + std::to_string(-length_) + " to " +
                     std::to_string(length_ - 1));
  }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  std::int64_t length_;
  std::atomic<std::int64_t> first_wrong_{kNone};
};

/// Throws IndexError where an element of a 1-d index array is out of bounds.
inline void check_indices(std::int64_t length, const View& indices) {
  const auto* const index = indices.as<const std::int64_t>();
  const std::int64_t stride = indices.strides[0];
  if (stride == 1) {
    // The sign of a distance to either end of the axis tells; they wrap, and one of the two still tells.
    const auto end = static_cast<std::uint64_t>(length);
    std::uint64_t distances = 0;
    for (std::int64_t c = 0; c < indices.shape[0]; ++c) {
      const auto place = static_cast<std::uint64_t>(index[c]);
      distances |= (place + end) | (end - 1 - place);
    }
    if (distances >> 63U == 0) return;
  }
  Positions positions(length);
  for (std::int64_t c = 0; c < indices.shape[0]; ++c) positions(index[c * stride], c);
  positions.check([&](std::int64_t c) { return index[c * stride]; });
}

}  // namespace tessera::cpu
