#pragma once

// What kernels that are compiled at run time call of the emulation: a table, as they cannot link to it.

#include <cstddef>
#include <cstdint>
#include <source_location>

namespace cuda_emulation {

struct Position;

struct Calls {
  const Position* position;
  void (*synchronize)(const std::source_location& where);
  /// Gives the word of lane `source`.
  std::uint64_t (*exchange)(unsigned mask, std::uint64_t word, int source, const char* operation,
                            const std::source_location& where);
  int (*lane)();
  void* (*shared)(const void* key, std::size_t bytes, std::size_t alignment);
};

}  // namespace cuda_emulation
