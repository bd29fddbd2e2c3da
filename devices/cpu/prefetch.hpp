#pragma once

#include <cstddef>

namespace tessera::cpu {

/// Asks for `bytes` bytes some distance past `data`: a core that reads one long run by itself leaves a
/// quarter of the memory's bandwidth unused without. Harmless where there is nothing. It asks the
/// second-level cache, which has room for more requests than the first has, and from afar.
inline void prefetch_ahead(const void* data, std::size_t bytes) {
  constexpr std::size_t ahead = 16384;
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < bytes; at += line) {
    __builtin_prefetch(static_cast<const std::byte*>(data) + ahead + at, 0, 2);
  }
}

}  // namespace tessera::cpu
