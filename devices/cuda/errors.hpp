#pragma once

// CUDA's error codes as Tessera's exceptions, and wrong indices that kernels found.

#include <cstdint>
#include <string>

#include <cuda_runtime_api.h>

namespace tessera::cuda {

/// After such an error nothing works on the device any more, for as long as the process lives.
bool loses_device(cudaError_t error);

/// "an illegal memory access was encountered (cudaErrorIllegalAddress)".
std::string describe(cudaError_t error);

/// Memory that the host and kernels share. The first kernel that meets an index outside of its axis writes
/// what it saw; the next wait on the device throws it.
struct IndexReport {
  const char* operation = nullptr;
  std::int64_t index = 0;
  std::int64_t length = 0;
  std::int32_t raised = 0;
};

/// What kernels take to report a wrong index. `taken` is on the device and keeps the first.
struct IndexCheck {
  IndexReport* report = nullptr;
  int* taken = nullptr;
  const char* operation = nullptr;
};

}  // namespace tessera::cuda
