#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tessera::cpu {

/// Unsigned integers whose order is that of a sort: ascending or descending, NaN last, -0.0 equal to +0.0.
template <class T>
struct SortKey {
  using Key = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  static constexpr bool kFloat = std::is_floating_point_v<T>;
  static constexpr Key kOnes = static_cast<Key>(~Key{0});
  static constexpr Key kSign = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));

  static Key of(T value, bool descending) {
    Key key = 0;
    if constexpr (kFloat) {
      if (value != value) return kOnes;
      key = std::bit_cast<Key>(value + T{0});  // -0.0 + 0.0 is 0.0
      key ^= (key & kSign) != 0 ? kOnes : kSign;
    } else if constexpr (std::is_signed_v<T>) {
      key = static_cast<Key>(static_cast<Key>(value) ^ kSign);
    } else {
      key = static_cast<Key>(value);
    }
    return descending ? static_cast<Key>(~key) : key;
  }

  /// The value that a key stands for; 0 and NaN may differ from it in their bits.
  static T value(Key key, bool descending) {
    if constexpr (kFloat) {
      if (key == kOnes) return std::bit_cast<T>(kOnes);
    }
    if (descending) key = static_cast<Key>(~key);
    if constexpr (kFloat) {
      key ^= (key & kSign) != 0 ? kSign : kOnes;
      return std::bit_cast<T>(key);
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(static_cast<Key>(key ^ kSign));
    } else {
      return static_cast<T>(key);
    }
  }

  /// Whether values of one key can differ in their bits.
  static bool is_ambiguous(T value) {
    if constexpr (kFloat)
      return value != value || value == T{0};
    else
      return false;
  }
};

}  // namespace tessera::cpu
