#pragma once

// What kernels and their launches need from CUDA beyond the runtime's functions. The module's sources are
// also compiled as plain C++ for the host (tests/cuda_emulation), where another file takes this one's place;
// so there is no <<<>>>, no __shared__ and no CUB outside of this folder.

#include <cstddef>
#include <tuple>
#include <utility>

#include <cuda_runtime.h>

/// `count` elements of a block's own memory.
#define TESSERA_SHARED(type, name, count) __shared__ type name[count]

/// The memory that the launch asked for.
#define TESSERA_DYNAMIC_SHARED(type, name)                                \
  extern __shared__ __align__(16) unsigned char tessera_dynamic_shared[]; \
  type* const name = reinterpret_cast<type*>(tessera_dynamic_shared)

/// Before a loop whose index picks registers: each turn is written out.
#define TESSERA_UNROLL _Pragma("unroll")

namespace tessera::cuda {

/// Of a block, where a kernel has no reason for another number.
inline constexpr int kThreads = 256;

/// Puts a kernel into the stream's queue.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared,
                   cudaStream_t stream, Arguments&&... arguments) {
  static_assert((sizeof(Parameters) + ... + 0) <= 4096, "a kernel takes at most 4 KiB of arguments");
  std::tuple<Parameters...> values(std::forward<Arguments>(arguments)...);
  return std::apply(
      [&](auto&... value) {
        void* pointers[] = {static_cast<void*>(&value)..., nullptr};
        return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, pointers, shared, stream);
      },
      values);
}

/// Says that what `data` held does not matter any more: nothing on a GPU, a fill in the emulation.
inline void forget(void* /*data*/, std::size_t /*bytes*/, cudaStream_t /*stream*/) {}

}  // namespace tessera::cuda
