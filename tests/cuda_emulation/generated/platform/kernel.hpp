#pragma once

// platform/kernel.hpp for kernels that the host's compiler makes at run time.

#include <cstdint>
#include <cstring>
#include <source_location>

#include "../calls.hpp"

#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__

namespace cuda_emulation {

/// As in emulation/block.hpp.
struct Position {
  struct Three {
    unsigned x, y, z;
  } thread, block, threads, blocks;
};

inline const Calls* calls = nullptr;

template <class To, class From>
To bits_as(From value) {
  To result{};
  std::memcpy(&result, &value, sizeof(To) < sizeof(From) ? sizeof(To) : sizeof(From));
  return result;
}

}  // namespace cuda_emulation

/// Called once, before any kernel. (Each kernel is one source: this is defined in it.)
extern "C" __attribute__((visibility("default"))) void tessera_bind(const cuda_emulation::Calls* calls) {
  cuda_emulation::calls = calls;
}

namespace tessera::cuda {
inline constexpr int kThreads = 64;  // as in the emulation's platform/kernel.hpp
}

#define threadIdx (::cuda_emulation::calls->position->thread)
#define blockIdx (::cuda_emulation::calls->position->block)
#define blockDim (::cuda_emulation::calls->position->threads)
#define gridDim (::cuda_emulation::calls->position->blocks)

#define TESSERA_SHARED(type, name, count) \
  static const char name##_key = 0;       \
  type* const name = static_cast<type*>(  \
      ::cuda_emulation::calls->shared(&name##_key, sizeof(type) * (count), alignof(type)))

/// By reference: the caller has more of it (ProgramArguments).
#define TESSERA_ARGUMENT(type, name) const type& name

inline void __syncthreads(const std::source_location& where = std::source_location::current()) {
  cuda_emulation::calls->synchronize(where);
}

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits,
                  const std::source_location& where = std::source_location::current()) {
  const int source = cuda_emulation::calls->lane() ^ bits;
  return cuda_emulation::bits_as<T>(cuda_emulation::calls->exchange(
      mask, cuda_emulation::bits_as<std::uint64_t>(value), source, "__shfl_xor_sync", where));
}

using std::memcpy;
