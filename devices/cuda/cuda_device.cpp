#include "devices/cuda/cuda_device.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <string>
#include <utility>

#include <tessera/error.hpp>

#include <platform/limits.hpp>

namespace tessera::cuda {
namespace {

// The least that kernels are built for.
constexpr int kLeastMajor = 7;
constexpr int kLeastMinor = 5;
// Grids of kernels that walk over their elements: enough to fill the device several times.
constexpr std::int64_t kBlocksPerMultiprocessor = 32;

struct QueueEvent final : Event {
  OwnedEvent event;
};

std::string mebibytes(std::int64_t bytes) {
  return std::to_string(bytes >> 20U) + " MiB";
}

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace

CudaDevice::CudaDevice(int index)
    : index_(index),
      name_("cuda:" + std::to_string(index)),
      staging_([this](cudaError_t error) { check(error); }) {
  enter();
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, index));
  if (device.major < kLeastMajor || (device.major == kLeastMajor && device.minor < kLeastMinor)) {
    throw DeviceError("[device] " + name_ + " (" + device.name + ") has compute capability " +
                      std::to_string(device.major) + "." + std::to_string(device.minor) +
                      "; kernels are built for 7.5 and newer");
  }
  if (const cudaError_t error = probe_kernels(); error != cudaSuccess) {
    cudaGetLastError();
    throw DeviceError("[device] this module has no kernels for " + name_ + " (" + device.name +
                      ", compute capability " + std::to_string(device.major) + "." +
                      std::to_string(device.minor) + "), only for " TESSERA_CUDA_BUILT_FOR ": " +
                      describe(error) +
                      "; build it with the preset cuda, or with -DTESSERA_CUDA_ARCHITECTURES=" +
                      std::to_string(device.major) + std::to_string(device.minor) + "-real");
  }
  if (device.memoryPoolsSupported == 0) {
    throw DeviceError("[device] " + name_ + " (" + device.name +
                      ") has no stream-ordered memory (cudaMallocAsync); a newer driver may offer it");
  }
  capability_ = 10 * device.major + device.minor;
  multiprocessors_ = std::max(1, device.multiProcessorCount);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  stream_.reset(stream);
  check(cudaDeviceGetDefaultMemPool(&memory_pool_, index));
  staging_.attach(stream);
  void* report = nullptr;
  check(cudaHostAlloc(&report, sizeof(IndexReport), cudaHostAllocMapped));
  report_memory_.reset(report);
  report_ = new (report) IndexReport;
  void* report_on_device = nullptr;
  check(cudaHostGetDevicePointer(&report_on_device, report, 0));
  report_on_device_ = static_cast<IndexReport*>(report_on_device);
  void* taken = nullptr;
  check(cudaMallocAsync(&taken, sizeof(int), stream));
  report_taken_ = QueuedMemory(taken, FreeInQueue{stream});
  check(cudaMemsetAsync(taken, 0, sizeof(int), stream));

  int runtime = 0;
  int driver = 0;
  check(cudaRuntimeGetVersion(&runtime));
  check(cudaDriverGetVersion(&driver));
  const std::string capability = std::to_string(device.major) + "." + std::to_string(device.minor);
  properties_.description = std::string(device.name) + ", compute capability " + capability + ", " +
                            mebibytes(static_cast<std::int64_t>(device.totalGlobalMem));
  properties_.asynchronous = true;
  properties_.memory_bytes = static_cast<std::int64_t>(device.totalGlobalMem);
  // Half of the L2: the other half is for what streams past the tile.
  properties_.cache_bytes = device.l2CacheSize / 2;
  properties_.details = {{"compute capability", capability},
                         {"multiprocessors", std::to_string(multiprocessors_)},
                         {"L2 cache", mebibytes(device.l2CacheSize)},
                         {"CUDA", "runtime " + version(runtime) + ", driver for " + version(driver)},
                         {"products", Products::description()},
                         {"programs", "compiled at run time (NVRTC, opened at the first need), from " +
                                          std::to_string(fewest_compiled_elements()) + " elements"}};
}

DeviceProperties CudaDevice::properties() const {
  DeviceProperties result = properties_;
  result.library_bytes = products_.library_bytes();
  return result;
}

// ---- errors

void CudaDevice::enter() const {
  if (lost_) {
    throw DeviceError(std::string("[") + current_operation() + "] device " + name_ +
                      " was lost by an earlier error; its arrays are gone: start the process again");
  }
  check(cudaSetDevice(index_));
}

void CudaDevice::check(cudaError_t error) const {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // an error that leaves the device alive is told once
  const std::string where = std::string("[") + current_operation() + "] ";
  if (loses_device(error)) {
    lost_ = true;
    throw DeviceError(where + "device " + name_ + " was lost: " + describe(error) +
                      "; its arrays are gone: start the process again");
  }
  if (error == cudaErrorMemoryAllocation) {
    throw OutOfMemoryError(where + "CUDA has no memory left on " + name_ + ": " + describe(error));
  }
  throw DeviceError(where + "a CUDA call failed on " + name_ + ": " + describe(error) +
                    "; the device goes on, but this should not happen: please report it");
}

void CudaDevice::check_alive() const {
  const cudaError_t error = cudaStreamQuery(stream());
  if (error != cudaErrorNotReady) check(error);
}

IndexCheck CudaDevice::index_check() const {
  return {report_on_device_, static_cast<int*>(report_taken_.get()), current_operation()};
}

void CudaDevice::throw_wrong_index() {
  const std::lock_guard lock(report_mutex_);
  if (std::atomic_ref(report_->raised).load(std::memory_order_acquire) == 0) return;
  const IndexReport found = *report_;
  *report_ = IndexReport{};
  check(cudaMemsetAsync(report_taken_.get(), 0, sizeof(int), stream()));
  throw IndexError(std::string("[") + found.operation + "] index " + std::to_string(found.index) +
                   " is outside an axis of length " + std::to_string(found.length) + "; use -" +
                   std::to_string(found.length) + " .. " + std::to_string(found.length - 1));
}

// ---- memory

void* CudaDevice::allocate(std::size_t bytes) {
  enter();
  void* data = nullptr;
  cudaError_t error = cudaMallocAsync(&data, bytes, stream());
  if (error == cudaErrorMemoryAllocation) {
    // What was freed may still wait in the queue, or lie in CUDA's own pool in pieces.
    cudaGetLastError();
    check(cudaStreamSynchronize(stream()));
    check(cudaMemPoolTrimTo(memory_pool_, 0));
    error = cudaMallocAsync(&data, bytes, stream());
  }
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(error);
  return data;
}

void CudaDevice::deallocate(void* data, std::size_t /*bytes*/) noexcept {
  if (lost_ || cudaSetDevice(index_) != cudaSuccess) return;
  if (cudaFreeAsync(data, stream()) != cudaSuccess) cudaGetLastError();
}

void CudaDevice::upload(void* target, const void* source, std::size_t bytes) {
  enter();
  staging_.upload(target, source, bytes);
}

void CudaDevice::download(void* target, const void* source, std::size_t bytes) {
  enter();
  staging_.download(target, source, bytes);
  throw_wrong_index();
}

void CudaDevice::synchronize() {
  enter();
  check(cudaStreamSynchronize(stream()));
  throw_wrong_index();
}

Workspace CudaDevice::scratch(std::size_t bytes) {
  Workspace result = workspace(std::max<std::size_t>(bytes, 1));
  forget(result.data(), bytes, stream());
  return result;
}

// ---- time

std::shared_ptr<Event> CudaDevice::record() {
  enter();
  auto result = std::make_shared<QueueEvent>();
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDefault));
  result->event.reset(event);
  check(cudaEventRecord(event, stream()));
  return result;
}

double CudaDevice::elapsed(const Event& start, const Event& stop) {
  enter();
  const cudaEvent_t from = static_cast<const QueueEvent&>(start).event.get();
  const cudaEvent_t to = static_cast<const QueueEvent&>(stop).event.get();
  check(cudaEventSynchronize(from));
  check(cudaEventSynchronize(to));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, from, to));
  throw_wrong_index();
  return static_cast<double>(milliseconds) * 1e-3;
}

// ---- launches

dim3 CudaDevice::grid_for(std::int64_t count, int block) const {
  const std::int64_t wanted = (count + block - 1) / block;
  const std::int64_t most = multiprocessors_ * kBlocksPerMultiprocessor;
  return {static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, most)), 1, 1};
}

}  // namespace tessera::cuda
