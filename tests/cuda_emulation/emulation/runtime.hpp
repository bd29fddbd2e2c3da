#pragma once

// The runtime's side of the emulation: devices with memory of their own, queues that run late. The CUDA
// functions themselves are declared by CUDA's headers and defined in runtime_*.cpp.

#include <cstddef>
#include <functional>

#include <cuda_runtime_api.h>

namespace cuda_emulation {

/// Puts a kernel into the queue; what a real launch refuses is refused.
cudaError_t enqueue_grid(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream,
                         std::function<void()> thread);

/// Puts anything into the queue that may touch device memory (sorts).
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

/// What a kernel sees as `extern __shared__`.
void* dynamic_shared_memory();

// ---- for tests

/// Work in all queues that has not run.
std::size_t pending();
/// Allocation number `first` from now on (1: the next) on any device finds no memory; 0: none does.
void fail_allocation(long first);
/// Kernels were built for other devices.
void refuse_kernels(bool refused);
/// How often the host has waited for a queue.
long waits();
/// Streams, events and pieces of pinned memory that were made and not given back.
std::size_t handles();
/// A kernel of the device has failed; nothing works there any more, until `revive`.
void lose(int device);
void revive(int device);

}  // namespace cuda_emulation
