#pragma once

// What the CUDA runtime hands out, given back by its owner.

#include <memory>
#include <type_traits>

#include <cuda_runtime_api.h>

namespace tessera::cuda {

template <auto release>
struct Release {
  template <class T>
  void operator()(T* handle) const {
    release(handle);
  }
};

using OwnedStream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Release<cudaStreamDestroy>>;
using OwnedEvent = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Release<cudaEventDestroy>>;
using PinnedMemory = std::unique_ptr<void, Release<cudaFreeHost>>;

struct FreeInQueue {
  cudaStream_t stream = nullptr;
  void operator()(void* data) const { cudaFreeAsync(data, stream); }
};
/// Device memory that is freed in queue order.
using QueuedMemory = std::unique_ptr<void, FreeInQueue>;

}  // namespace tessera::cuda
