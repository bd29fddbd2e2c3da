// The emulation catches what it is there to catch: faults are planted, and must be found.

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <platform/kernel.hpp>

#include "emulation/runtime.hpp"
#include "emulation/sanitizer.hpp"
#include "emulation/settings.hpp"

namespace cuda_emulation {
namespace {

using tessera::cuda::launch;

constexpr unsigned kCount = 64;
constexpr Order kOrders[] = {Order::forward, Order::reversed, Order::shuffled};

/// A device, its queue, and some of its memory.
class EmulationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    set_violation_listener([this](const std::string& text) { violations_.push_back(text); });
  }
  void TearDown() override {
    cudaStreamSynchronize(stream_);
    set_violation_listener(nullptr);
    settings() = Settings{};
  }

  template <class T>
  T* allocate(std::size_t count) {
    void* data = nullptr;
    EXPECT_EQ(cudaMallocAsync(&data, count * sizeof(T), stream_), cudaSuccess);
    return static_cast<T*>(data);
  }
  template <class T>
  std::vector<T> download(const T* data, std::size_t count) {
    std::vector<T> result(count);
    EXPECT_EQ(cudaMemcpyAsync(result.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost, stream_),
              cudaSuccess);
    return result;
  }
  void free(void* data) { EXPECT_EQ(cudaFreeAsync(data, stream_), cudaSuccess); }

  /// What a kernel over 64 ints makes under each order and fill.
  template <class Kernel>
  std::vector<std::vector<int>> results(Kernel kernel) {
    std::vector<std::vector<int>> all;
    for (const Order order : kOrders) {
      for (const unsigned char fill : {std::uint8_t{0xff}, std::uint8_t{0x3c}}) {
        settings().order = order;
        settings().fill = fill;
        int* const out = allocate<int>(kCount);
        EXPECT_EQ(launch(kernel, 1, kCount, 0, stream_, out), cudaSuccess);
        all.push_back(download(out, kCount));
        free(out);
      }
    }
    return all;
  }

  std::string violation_text() const { return violations_.empty() ? "" : violations_.front(); }

  cudaStream_t stream_ = nullptr;
  std::vector<std::string> violations_;
};

bool all_equal(const std::vector<std::vector<int>>& results) {
  for (const auto& result : results) {
    if (result != results.front()) return false;
  }
  return true;
}

// ---- orders and fills

__global__ void reverse_kernel(int* out) {
  TESSERA_SHARED(int, shared, kCount);
  shared[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = shared[kCount - 1 - threadIdx.x];
}

__global__ void reverse_without_barrier_kernel(int* out) {
  TESSERA_SHARED(int, shared, kCount);
  shared[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = shared[kCount - 1 - threadIdx.x];
}

__global__ void half_written_kernel(int* out) {
  if (threadIdx.x % 2 == 0) out[threadIdx.x] = 1;
}

TEST_F(EmulationTest, ACorrectKernelHasTheSameBitsInEachOrder) {
  const auto all = results(reverse_kernel);
  EXPECT_TRUE(all_equal(all));
  EXPECT_EQ(all.front()[0], static_cast<int>(kCount) - 1);
  EXPECT_EQ(violation_text(), "");
}

TEST_F(EmulationTest, AMissingBarrierChangesBitsBetweenOrders) {
  EXPECT_FALSE(all_equal(results(reverse_without_barrier_kernel)));
}

TEST_F(EmulationTest, MemoryThatWasNeverWrittenChangesBitsBetweenFills) {
  EXPECT_FALSE(all_equal(results(half_written_kernel)));
}

// ---- barriers

__global__ void barrier_for_some_kernel(int* out) {
  if (threadIdx.x < 16) __syncthreads();
  out[threadIdx.x] = 0;
}

__global__ void two_barriers_kernel(int* out) {
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 0;
}

__global__ void shuffle_for_some_kernel(int* out) {
  if (threadIdx.x % 32 < 7) out[threadIdx.x] = __shfl_sync(0xffffffffU, 1, 0);
}

TEST_F(EmulationTest, ABarrierReachedBySomeIsReported) {
  results(barrier_for_some_kernel);
  EXPECT_NE(violation_text().find("reached by only some"), std::string::npos) << violation_text();
  EXPECT_NE(violation_text().find("emulation_test.cpp"), std::string::npos) << "says where";
}

TEST_F(EmulationTest, DifferentBarriersAreReported) {
  results(two_barriers_kernel);
  EXPECT_NE(violation_text().find("different barriers"), std::string::npos) << violation_text();
}

TEST_F(EmulationTest, AWarpsExchangeReachedBySomeIsReported) {
  results(shuffle_for_some_kernel);
  EXPECT_NE(violation_text().find("reached by only some"), std::string::npos) << violation_text();
}

TEST_F(EmulationTest, KernelsRunAfterAnAbandonedBlock) {
  results(barrier_for_some_kernel);
  EXPECT_TRUE(all_equal(results(reverse_kernel)));
}

// ---- stray accesses

__global__ void past_the_end_kernel(int* out) {
  out[threadIdx.x + 1] = 7;
}

__global__ void past_shared_kernel(int* out) {
  TESSERA_SHARED(int, shared, kCount);
  shared[threadIdx.x + 1] = 7;
  out[threadIdx.x] = 0;
}

__global__ void read_past_the_end_kernel(int* out) {
  out[0] = out[threadIdx.x + 1];
}

TEST_F(EmulationTest, AWriteOutsideOfABlockIsCaught) {
  if (kAddressSanitizer) {
    EXPECT_DEATH(results(past_the_end_kernel), "AddressSanitizer: use-after-poison");
  } else {
    results(past_the_end_kernel);
    EXPECT_NE(violation_text().find("wrote outside of a block of 256 bytes"), std::string::npos)
        << violation_text();
  }
}

TEST_F(EmulationTest, AWriteOutsideOfSharedMemoryIsCaught) {
  if (kAddressSanitizer) {
    EXPECT_DEATH(results(past_shared_kernel), "AddressSanitizer: use-after-poison");
  } else {
    results(past_shared_kernel);
    EXPECT_NE(violation_text().find("shared memory"), std::string::npos) << violation_text();
  }
}

TEST_F(EmulationTest, AReadOutsideOfABlockIsCaughtByTheSanitizer) {
  if (!kAddressSanitizer) GTEST_SKIP() << "only address sanitizer sees reads";
  EXPECT_DEATH(results(read_past_the_end_kernel), "AddressSanitizer: use-after-poison");
}

TEST_F(EmulationTest, TheHostCannotTouchDeviceMemory) {
  int* const data = allocate<int>(kCount);
  cudaStreamSynchronize(stream_);
  EXPECT_DEATH(*const_cast<volatile int*>(data) = 1, "");
  free(data);
}

TEST_F(EmulationTest, AKernelCannotTouchAnotherDevicesMemory) {
  int* const data = allocate<int>(kCount);
  cudaStreamSynchronize(stream_);
  cudaStream_t other = nullptr;
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  EXPECT_EQ(launch(reverse_kernel, 1, kCount, 0, other, data), cudaSuccess);
  EXPECT_DEATH(cudaStreamSynchronize(other), "");
  free(data);
}

// ---- warps

__global__ void warp_kernel(int* out) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const unsigned all = 0xffffffffU;
  int failures = 0;
  const auto expect = [&](bool good) { failures += good ? 0 : 1; };
  expect(__shfl_sync(all, lane * 10, 3) == 30);
  expect(__shfl_xor_sync(all, lane, 16) == (lane ^ 16));
  expect(__shfl_up_sync(all, lane, 2) == (lane < 2 ? lane : lane - 2));
  expect(__shfl_down_sync(all, lane, 2) == (lane < 30 ? lane + 2 : lane));
  expect(__ballot_sync(all, lane == 5 ? 1 : 0) == 1U << 5U);
  expect(__any_sync(all, lane == 31 ? 1 : 0) == 1);
  expect(__all_sync(all, lane >= 0 ? 1 : 0) == 1);
  expect(__all_sync(all, lane > 0 ? 1 : 0) == 0);
  const double half = __shfl_xor_sync(all, lane + 0.5, 1);
  expect(half == (lane ^ 1) + 0.5);
  out[threadIdx.x] = failures;
}

TEST_F(EmulationTest, WarpsExchangeAsOnAGpu) {
  for (const auto& result : results(warp_kernel)) EXPECT_EQ(result, std::vector<int>(kCount, 0));
}

__global__ void dynamic_kernel(int* out) {
  TESSERA_DYNAMIC_SHARED(int, shared);
  shared[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = shared[(threadIdx.x + 1) % kCount];
}

TEST_F(EmulationTest, DynamicSharedMemoryIsTheLaunchs) {
  int* const out = allocate<int>(kCount);
  EXPECT_EQ(launch(dynamic_kernel, 1, kCount, kCount * sizeof(int), stream_, out), cudaSuccess);
  EXPECT_EQ(download(out, kCount)[kCount - 1], 0);
  free(out);
}

// ---- queues and calls

__global__ void store_kernel(int* out) {
  *out = 42;
}

TEST_F(EmulationTest, QueuesRunLate) {
  void* pinned = nullptr;
  ASSERT_EQ(cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocMapped), cudaSuccess);
  auto* const value = static_cast<int*>(pinned);
  *value = 0;
  EXPECT_EQ(launch(store_kernel, 1, 1, 0, stream_, value), cudaSuccess);
  EXPECT_EQ(*value, 0);
  EXPECT_GE(pending(), 1U);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(*value, 42);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(EmulationTest, ACopyFromPinnedMemoryReadsItLate) {
  void* pinned = nullptr;
  ASSERT_EQ(cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocDefault), cudaSuccess);
  auto* const value = static_cast<int*>(pinned);
  int* const data = allocate<int>(1);
  *value = 1;
  EXPECT_EQ(cudaMemcpyAsync(data, value, sizeof(int), cudaMemcpyHostToDevice, stream_), cudaSuccess);
  *value = 2;  // too early, and so it shows
  EXPECT_EQ(download(data, 1)[0], 2);
  free(data);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(EmulationTest, WrongCallsAreRefused) {
  int* const data = allocate<int>(kCount);
  int host = 0;
  EXPECT_EQ(launch(store_kernel, 0, 1, 0, stream_, data), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(store_kernel, 1, 1025, 0, stream_, data), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(store_kernel, dim3(1, 70000), 1, 0, stream_, data), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaMemcpyAsync(&host, data, sizeof host, cudaMemcpyHostToDevice, stream_),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(&host, data + kCount, sizeof host, cudaMemcpyDeviceToHost, stream_),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  free(data);
}

TEST_F(EmulationTest, WithoutADriverTheCountIsLeftAlone) {
  settings().devices = 0;
  int count = -1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
  EXPECT_EQ(count, -1);
}

}  // namespace
}  // namespace cuda_emulation
