// The functions of the CUDA runtime that the module calls, over memory and threads of the host.

#include "runtime.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "block.hpp"
#include "memory.hpp"
#include "settings.hpp"

namespace cuda_emulation {
namespace {

/// A queue longer than this runs by itself: a device does not wait to be asked.
constexpr std::size_t kLongestQueue = 500;

struct Stream {
  int device;
  std::deque<std::function<void()>> work;
  bool running = false;
};

struct EventState {
  Stream* stream = nullptr;  ///< of the last record
  bool done = true;
  double seconds = 0;
};

struct Device {
  explicit Device(std::size_t bytes) : memory(bytes) {}
  DeviceMemory memory;
  bool lost = false;
};

struct Runtime {
  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<std::unique_ptr<Stream>> streams;
  std::map<const void*, std::size_t> pinned;
  long failing_allocation = 0;
  bool kernels_refused = false;
  long waits = 0;
  std::size_t events = 0;

  Runtime() {
    for (int i = 0; i < settings().devices; ++i) {
      devices.push_back(std::make_unique<Device>(settings().memory_bytes));
    }
  }
};

Runtime& runtime() {
  static auto* const instance = new Runtime;  // arrays may outlive main
  return *instance;
}

thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

Device& device_of(const Stream& stream) {
  return *runtime().devices[static_cast<std::size_t>(stream.device)];
}

Stream* stream_of(cudaStream_t handle) {
  auto* const stream = reinterpret_cast<Stream*>(handle);
  const auto& all = runtime().streams;
  const bool known = std::any_of(all.begin(), all.end(), [&](const auto& s) { return s.get() == stream; });
  return known ? stream : nullptr;
}

/// Runs all that is in the queue.
cudaError_t flush(Stream& stream) {
  Device& device = device_of(stream);
  if (stream.running) return cudaErrorNotPermitted;
  stream.running = true;
  if (!stream.work.empty()) {
    device.memory.open();
    while (!stream.work.empty() && !device.lost) {
      const std::function<void()> work = std::move(stream.work.front());
      stream.work.pop_front();
      work();
    }
    device.memory.check();
    device.memory.close();
  }
  stream.running = false;
  if (device.lost) {
    stream.work.clear();
    return cudaErrorIllegalAddress;
  }
  return cudaSuccess;
}

cudaError_t put(Stream& stream, std::function<void()> work) {
  if (device_of(stream).lost) return cudaErrorIllegalAddress;
  stream.work.push_back(std::move(work));
  if (stream.work.size() > kLongestQueue) return flush(stream);
  return cudaSuccess;
}

bool is_pinned(const void* data, std::size_t bytes) {
  const auto& pinned = runtime().pinned;
  const auto next = pinned.upper_bound(data);
  if (next == pinned.begin()) return false;
  const auto& [first, size] = *std::prev(next);
  const auto offset =
      static_cast<std::size_t>(static_cast<const std::byte*>(data) - static_cast<const std::byte*>(first));
  return offset + bytes <= size;
}

/// Whether `data` may be the device's side of a copy on the stream.
bool on_device(const Stream& stream, const void* data, std::size_t bytes) {
  return device_of(stream).memory.within_block(data, bytes);
}

bool on_any_device(const void* data) {
  const auto& all = runtime().devices;
  return std::any_of(all.begin(), all.end(), [&](const auto& device) { return device->memory.owns(data); });
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::shared_ptr<EventState>& event_of(cudaEvent_t handle) {
  return *reinterpret_cast<std::shared_ptr<EventState>*>(handle);
}

std::size_t dynamic_shared_bytes = 0;
const char dynamic_shared_key = 0;

}  // namespace

cudaError_t enqueue(cudaStream_t handle, std::function<void()> work) {
  const std::lock_guard lock(runtime().mutex);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  return remember(put(*stream, std::move(work)));
}

cudaError_t enqueue_grid(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream,
                         std::function<void()> thread) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  const bool fits = threads > 0 && threads <= 1024 && block.z <= 64 && grid.x > 0 && grid.y > 0 &&
                    grid.z > 0 && grid.x <= 0x7fffffffU && grid.y <= 65535 && grid.z <= 65535;
  if (!fits) return remember(cudaErrorInvalidConfiguration);
  if (shared > kSharedLimit) return remember(cudaErrorInvalidValue);
  return enqueue(stream, [=, thread = std::move(thread)] {
    dynamic_shared_bytes = shared;
    run_grid(grid, block, shared, thread);
  });
}

void* dynamic_shared_memory() {
  return Block::running().shared().array(&dynamic_shared_key, dynamic_shared_bytes, 16);
}

std::size_t pending() {
  const std::lock_guard lock(runtime().mutex);
  std::size_t count = 0;
  for (const auto& stream : runtime().streams) count += stream->work.size();
  return count;
}

void fail_allocation(long first) {
  const std::lock_guard lock(runtime().mutex);
  runtime().failing_allocation = first;
}

void refuse_kernels(bool refused) {
  runtime().kernels_refused = refused;
}

long waits() {
  const std::lock_guard lock(runtime().mutex);
  return runtime().waits;
}

std::size_t handles() {
  const std::lock_guard lock(runtime().mutex);
  return runtime().streams.size() + runtime().events + runtime().pinned.size();
}

void lose(int device) {
  const std::lock_guard lock(runtime().mutex);
  runtime().devices[static_cast<std::size_t>(device)]->lost = true;
}

void revive(int device) {
  const std::lock_guard lock(runtime().mutex);
  runtime().devices[static_cast<std::size_t>(device)]->lost = false;
}

}  // namespace cuda_emulation

using namespace cuda_emulation;  // NOLINT(google-build-using-namespace): the functions below are CUDA's
// NOLINTBEGIN(readability-identifier-naming)

// ---- errors

cudaError_t cudaGetLastError() {
  return std::exchange(last_error, cudaSuccess);
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
    case cudaErrorInsufficientDriver: return "cudaErrorInsufficientDriver";
    case cudaErrorInvalidResourceHandle: return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady: return "cudaErrorNotReady";
    case cudaErrorNoKernelImageForDevice: return "cudaErrorNoKernelImageForDevice";
    default: return "cudaErrorUnknown";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    case cudaErrorInsufficientDriver: return "CUDA driver version is insufficient for CUDA runtime version";
    default: return "an error of the emulation";
  }
}

// ---- devices

cudaError_t cudaGetDeviceCount(int* count) {
  if (settings().devices == 0) return remember(cudaErrorInsufficientDriver);  // `count` stays as it was
  *count = settings().devices;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= settings().devices) return remember(cudaErrorInvalidDevice);
  current_device = device;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device < 0 || device >= settings().devices) return remember(cudaErrorInvalidDevice);
  std::memset(properties, 0, sizeof *properties);
  std::strcpy(properties->name, "host threads as a GPU");
  properties->major = 7;
  properties->minor = 5;
  properties->totalGlobalMem = settings().memory_bytes;
  properties->multiProcessorCount = 4;
  properties->maxThreadsPerMultiProcessor = 1024;
  properties->l2CacheSize = 1 << 20;
  properties->memoryPoolsSupported = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device < 0 || device >= settings().devices) return remember(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevAttrMemoryPoolsSupported: *value = 1; return cudaSuccess;
    case cudaDevAttrMultiProcessorCount: *value = 4; return cudaSuccess;
    case cudaDevAttrL2CacheSize: *value = 1 << 20; return cudaSuccess;
    default: return remember(cudaErrorInvalidValue);
  }
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* /*attributes*/, const void* /*kernel*/) {
  return runtime().kernels_refused ? remember(cudaErrorNoKernelImageForDevice) : cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  const std::lock_guard lock(runtime().mutex);
  const DeviceMemory& memory = runtime().devices[static_cast<std::size_t>(current_device)]->memory;
  *total_bytes = memory.capacity();
  *free_bytes = memory.capacity() - memory.in_use();
  return cudaSuccess;
}

// ---- memory

cudaError_t cudaMallocAsync(void** data, std::size_t bytes, cudaStream_t handle) {
  const std::lock_guard lock(runtime().mutex);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (device_of(*stream).lost) return remember(cudaErrorIllegalAddress);
  long& failing = runtime().failing_allocation;
  if (failing > 0 && --failing == 0) return remember(cudaErrorMemoryAllocation);
  DeviceMemory& memory = device_of(*stream).memory;
  *data = memory.reserve(bytes);
  if (*data == nullptr) {  // what is freed in the queue may do
    if (const cudaError_t error = flush(*stream); error != cudaSuccess) return remember(error);
    *data = memory.reserve(bytes);
  }
  if (*data == nullptr) return remember(cudaErrorMemoryAllocation);
  return remember(put(*stream, [&memory, block = *data] { memory.format(block); }));
}

cudaError_t cudaFreeAsync(void* data, cudaStream_t handle) {
  const std::lock_guard lock(runtime().mutex);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  DeviceMemory& memory = device_of(*stream).memory;
  return remember(put(*stream, [&memory, data] { memory.release(data); }));
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (device < 0 || device >= settings().devices) return remember(cudaErrorInvalidDevice);
  *pool = reinterpret_cast<cudaMemPool_t>(runtime().devices[static_cast<std::size_t>(device)].get());
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t /*pool*/, std::size_t /*bytes*/) {
  return cudaSuccess;  // nothing is kept
}

cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned /*flags*/) {
  const std::lock_guard lock(runtime().mutex);
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*data == nullptr) return remember(cudaErrorMemoryAllocation);
  std::memset(*data, settings().fill, bytes);
  runtime().pinned.emplace(*data, bytes);
  return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void** device_data, void* data, unsigned /*flags*/) {
  *device_data = data;
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* data) {
  const std::lock_guard lock(runtime().mutex);
  if (runtime().pinned.erase(data) == 0) return remember(cudaErrorInvalidValue);
  std::free(data);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t handle) {
  const std::lock_guard lock(runtime().mutex);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  if ((!from_device && !to_device) ||
      (from_device ? !on_device(*stream, source, bytes) : on_any_device(source)) ||
      (to_device ? !on_device(*stream, target, bytes) : on_any_device(target))) {
    return remember(cudaErrorInvalidValue);
  }
  const bool pageable_source = !from_device && !is_pinned(source, bytes);
  if (pageable_source) {  // staged before the call returns
    const auto* const first = static_cast<const std::byte*>(source);
    return remember(put(*stream, [staged = std::vector<std::byte>(first, first + bytes), target] {
      std::memcpy(target, staged.data(), staged.size());
    }));
  }
  const cudaError_t error = put(*stream, [=] { std::memmove(target, source, bytes); });
  const bool waits = error == cudaSuccess && !to_device && !is_pinned(target, bytes);
  return remember(waits ? flush(*stream) : error);
}

cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t handle) {
  const std::lock_guard lock(runtime().mutex);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (!on_device(*stream, data, bytes)) return remember(cudaErrorInvalidValue);
  return remember(put(*stream, [=] { std::memset(data, value, bytes); }));
}

// ---- streams

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* handle, unsigned /*flags*/) {
  const std::lock_guard lock(runtime().mutex);
  runtime().streams.push_back(std::make_unique<Stream>());
  runtime().streams.back()->device = current_device;
  *handle = reinterpret_cast<cudaStream_t>(runtime().streams.back().get());
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  const std::lock_guard lock(runtime().mutex);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  flush(*stream);
  std::erase_if(runtime().streams, [&](const auto& each) { return each.get() == stream; });
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  const std::lock_guard lock(runtime().mutex);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (device_of(*stream).lost) return remember(cudaErrorIllegalAddress);
  return stream->work.empty() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  const std::lock_guard lock(runtime().mutex);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  ++runtime().waits;
  return remember(flush(*stream));
}

// ---- events

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* handle, unsigned /*flags*/) {
  const std::lock_guard lock(runtime().mutex);
  ++runtime().events;
  *handle = reinterpret_cast<cudaEvent_t>(new std::shared_ptr<EventState>(std::make_shared<EventState>()));
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  const std::lock_guard lock(runtime().mutex);
  --runtime().events;
  delete &event_of(handle);
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  const std::lock_guard lock(runtime().mutex);
  Stream* const stream = stream_of(stream_handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  const std::shared_ptr<EventState> event = event_of(handle);
  event->stream = stream;
  event->done = false;
  return remember(put(*stream, [event] {
    event->seconds = now();
    event->done = true;
  }));
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  const std::lock_guard lock(runtime().mutex);
  return event_of(handle)->done ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  const std::lock_guard lock(runtime().mutex);
  EventState& event = *event_of(handle);
  if (event.done) return cudaSuccess;
  ++runtime().waits;
  return remember(flush(*event.stream));
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  const std::lock_guard lock(runtime().mutex);
  if (!event_of(start)->done || !event_of(stop)->done) return remember(cudaErrorNotReady);
  *milliseconds = static_cast<float>((event_of(stop)->seconds - event_of(start)->seconds) * 1e3);
  return cudaSuccess;
}

// NOLINTEND(readability-identifier-naming)
