#pragma once

// Takes the place of devices/cuda/platform/kernel.hpp where the same sources are compiled for the host.

#include <cstddef>
#include <cstring>
#include <tuple>
#include <utility>

#include <cuda_runtime_api.h>

#include "emulation/intrinsics.hpp"
#include "emulation/runtime.hpp"

/// `count` elements of a block's own memory.
#define TESSERA_SHARED(type, name, count) \
  static const char name##_key = 0;       \
  type* const name = static_cast<type*>(  \
      ::cuda_emulation::Block::running().shared().array(&name##_key, sizeof(type) * (count), alignof(type)))

/// The memory that the launch asked for.
#define TESSERA_DYNAMIC_SHARED(type, name) \
  type* const name = static_cast<type*>(::cuda_emulation::dynamic_shared_memory())

/// Loops stay loops: a shorter compilation.
#define TESSERA_UNROLL

namespace tessera::cuda {

/// Two warps are several; more cost time.
inline constexpr int kThreads = 64;

/// Puts a kernel into the stream's queue.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared,
                   cudaStream_t stream, Arguments&&... arguments) {
  static_assert((sizeof(Parameters) + ... + 0) <= 4096, "a kernel takes at most 4 KiB of arguments");
  std::tuple<Parameters...> values(std::forward<Arguments>(arguments)...);
  return ::cuda_emulation::enqueue_grid(grid, block, shared, stream,
                                        [kernel, values] { std::apply(kernel, values); });
}

/// What the memory held is gone: a kernel that reads it before it is written gives results that depend on the
/// pattern.
inline void forget(void* data, std::size_t bytes, cudaStream_t stream) {
  ::cuda_emulation::enqueue(stream, [=] { std::memset(data, ::cuda_emulation::settings().fill, bytes); });
}

}  // namespace tessera::cuda
