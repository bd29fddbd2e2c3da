#include <tessera/module.hpp>

#include <string>

#include <cuda_runtime_api.h>

#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/errors.hpp"

// The emulated module has a name of its own.
#ifndef TESSERA_CUDA_MODULE_NAME
#define TESSERA_CUDA_MODULE_NAME "cuda"
#endif

namespace {

int count_devices(std::string& reason) noexcept {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return count;
  cudaGetLastError();  // the next call starts without it
  try {
    switch (error) {
      case cudaErrorInsufficientDriver: {
        int driver = 0;
        cudaDriverGetVersion(&driver);
        const std::string needed =
            std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
        reason =
            driver == 0
                ? "there is no NVIDIA driver (libcuda.so.1) on this machine; install one for CUDA " + needed
                : "the NVIDIA driver is for CUDA " + std::to_string(driver / 1000) + "." +
                      std::to_string(driver % 1000 / 10) + ", and CUDA " + needed +
                      " is needed; install a newer driver";
        break;
      }
      case cudaSuccess:
      case cudaErrorNoDevice: reason = "the NVIDIA driver finds no GPU (is CUDA_VISIBLE_DEVICES set?)"; break;
      default: reason = "counting the GPUs failed: " + tessera::cuda::describe(error);
    }
  } catch (...) {  // no memory for the words
    reason.clear();
  }
  return 0;
}

/// Counted once: neither the machine nor the driver changes under a process.
struct Found {
  std::string reason;
  int count = count_devices(reason);
};
const Found& found() {
  static const auto* const instance = new Found;
  return *instance;
}

int device_count() noexcept {
  return found().count;
}

const char* why_none() noexcept {
  return found().reason.c_str();
}

tessera::DeviceInterface* create(int index) {
  return new tessera::cuda::CudaDevice(index);
}

}  // namespace

TESSERA_DEVICE_MODULE(TESSERA_CUDA_MODULE_NAME, TESSERA_VERSION, device_count, why_none, create)
