#pragma once

// Address sanitizer's calls, or nothing.

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace cuda_emulation {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
inline void poison(const void* data, std::size_t bytes) {
  __asan_poison_memory_region(data, bytes);
}
inline void unpoison(const void* data, std::size_t bytes) {
  __asan_unpoison_memory_region(data, bytes);
}
#else
inline constexpr bool kAddressSanitizer = false;
inline void poison(const void* /*data*/, std::size_t /*bytes*/) {}
inline void unpoison(const void* /*data*/, std::size_t /*bytes*/) {}
#endif

}  // namespace cuda_emulation
