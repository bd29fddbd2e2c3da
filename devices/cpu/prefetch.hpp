#pragma once

#include <cstddef>

namespace tessera::cpu {

/// Asks the second-level cache for `bytes` bytes `distance` bytes past `data`: it has room for more requests
/// than the first-level one has, and a core that reads one long run by itself leaves a quarter of the
/// memory's bandwidth unused without. Harmless where there is nothing.
inline void prefetch_far(const void* data, std::size_t bytes, std::size_t distance) {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < bytes; at += line) {
    __builtin_prefetch(static_cast<const std::byte*>(data) + distance + at, 0, 2);
  }
}

/// The same for loops that read and do not write: what has arrived goes on to the first-level cache, since
/// those that do much with each element see less far ahead by themselves. (Where lines are written past the
/// caches, their buffers are needed for that.)
inline void prefetch_ahead(const void* data, std::size_t bytes) {
  constexpr std::size_t line = 64;
  constexpr std::size_t far = 24576;
  constexpr std::size_t near = 4096;
  prefetch_far(data, bytes, far);
  for (std::size_t at = 0; at < bytes; at += line) {
    __builtin_prefetch(static_cast<const std::byte*>(data) + near + at, 0, 3);
  }
}

}  // namespace tessera::cpu
