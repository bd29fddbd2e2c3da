#pragma once

#include <cstddef>

namespace tessera::cpu {

/// Asks for `bytes` bytes some distance past `data`: a core that reads one long run by itself leaves a
/// quarter of the memory's bandwidth unused without. Harmless where there is nothing. From afar it asks the
/// second-level cache, which has room for more requests than the first has; what has arrived there goes on to
/// the first in time for loops that do much with each element, and so see less far ahead by themselves.
inline void prefetch_ahead(const void* data, std::size_t bytes) {
  constexpr std::size_t far = 24576;
  constexpr std::size_t near = 4096;
  constexpr std::size_t line = 64;
  const auto* const at = static_cast<const std::byte*>(data);
  for (std::size_t i = 0; i < bytes; i += line) __builtin_prefetch(at + far + i, 0, 2);
  for (std::size_t i = 0; i < bytes; i += line) __builtin_prefetch(at + near + i, 0, 3);
}

}  // namespace tessera::cpu
