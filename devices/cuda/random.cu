// Philox4x32-10 (Salmon, Moraes, Dror and Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011).

#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/device_code.hpp"

namespace tessera::cuda {
namespace {

struct Words {
  std::uint32_t v[4];
};

__device__ inline Words philox(std::uint64_t key, std::uint64_t counter_low, std::uint64_t counter_high) {
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32U);
  Words c{{static_cast<std::uint32_t>(counter_low), static_cast<std::uint32_t>(counter_low >> 32U),
           static_cast<std::uint32_t>(counter_high), static_cast<std::uint32_t>(counter_high >> 32U)}};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53U} * c.v[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * c.v[2];
    c = {{static_cast<std::uint32_t>(b >> 32U) ^ c.v[1] ^ k0, static_cast<std::uint32_t>(b),
          static_cast<std::uint32_t>(a >> 32U) ^ c.v[3] ^ k1, static_cast<std::uint32_t>(a)}};
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return c;
}

/// `count` 32-bit words.
__global__ void random_kernel(std::uint64_t key, std::uint64_t counter, std::int64_t count,
                              std::uint32_t* out) {
  const std::int64_t blocks = (count + 3) / 4;
  for (std::int64_t block = thread_in_grid(); block < blocks; block += threads_in_grid()) {
    const std::uint64_t low = counter + static_cast<std::uint64_t>(block);
    const Words words = philox(key, low, low < counter ? 1 : 0);
    for (int w = 0; w < 4; ++w) {
      if (block * 4 + w < count) out[block * 4 + w] = words.v[w];
    }
  }
}

}  // namespace

void CudaDevice::random_bits(std::uint64_t key, std::uint64_t counter, const View& out) {
  const std::int64_t words =
      out.size() * static_cast<std::int64_t>(itemsize(out.dtype) / sizeof(std::uint32_t));
  if (words == 0) return;
  enter();
  enqueue(random_kernel, grid_for((words + 3) / 4, kThreads), kThreads, key, counter, words,
          out.as<std::uint32_t>());
}

}  // namespace tessera::cuda
