// The caching pool, as its users see it: counts, peaks, the cache, the limit.

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include <tessera/device_state.hpp>
#include <tessera/tessera.hpp>

#include "support/devices.hpp"

namespace tessera::test {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

class PoolTest : public DeviceTest {
 protected:
  /// An array of `bytes` bytes.
  Array bytes(std::int64_t count) const { return empty({count}, {.dtype = uint8, .device = device()}); }
  std::int64_t in_use() const { return device().memory().in_use; }

  void TearDown() override {
    if (!IsSkipped() && !HasFatalFailure()) device().set_memory_limit(0);
  }
};

TEST_P(PoolTest, CountsBytesAsTheyWereAskedFor) {
  const MemoryStats before = device().memory();
  {
    const Array x = bytes(1001);
    const MemoryStats with = device().memory();
    EXPECT_EQ(with.in_use - before.in_use, 1001);
    EXPECT_EQ(with.allocations - before.allocations, 1);
    EXPECT_GE(with.peak, with.in_use);
  }
  EXPECT_EQ(in_use(), before.in_use);
}

TEST_P(PoolTest, HandlesAndViewsTakeNoBytes) {
  const Array x = bytes(1000);
  const MemoryStats before = device().memory();
  const Array handle = x;
  const Array view = index(x, {slice(10, 500, 3)});
  const Array matrix = reshape(x, {10, 100});
  const Array turned = matrix_transpose(matrix);
  const Array spread = broadcast_to(expand_dims(x, 0), {50, 1000});
  EXPECT_EQ(in_use(), before.in_use);
  EXPECT_EQ(device().memory().allocations, before.allocations);
}

TEST_P(PoolTest, MemoryLivesAsLongAsTheLastViewOfIt) {
  const std::int64_t before = in_use();
  Array view;
  {
    const Array x = bytes(5000);
    view = index(x, {slice(0, 1)});
  }
  EXPECT_EQ(in_use() - before, 5000);
  view = Array();
  EXPECT_EQ(in_use(), before);
}

TEST_P(PoolTest, FreedBlocksAreReused) {
  bytes(3 * kMiB);  // freed at once
  const MemoryStats before = device().memory();
  for (int i = 0; i < 10; ++i) bytes(3 * kMiB);
  const MemoryStats after = device().memory();
  EXPECT_EQ(after.allocations - before.allocations, 10);
  EXPECT_EQ(after.device_allocations, before.device_allocations);
}

TEST_P(PoolTest, NearlyEqualSizesShareABlock) {
  bytes(3 * kMiB);
  const MemoryStats before = device().memory();
  bytes(3 * kMiB - 100);
  EXPECT_EQ(device().memory().device_allocations, before.device_allocations);
}

TEST_P(PoolTest, TrimGivesTheCacheBack) {
  bytes(kMiB);
  const MemoryStats before = device().memory();
  EXPECT_GE(before.cached, kMiB);
  EXPECT_EQ(device().trim(), before.cached);
  EXPECT_EQ(device().memory().cached, 0);
  EXPECT_EQ(in_use(), before.in_use);
  EXPECT_EQ(device().trim(), 0);
  bytes(kMiB);
  EXPECT_EQ(device().memory().device_allocations, before.device_allocations + 1);
}

TEST_P(PoolTest, BlocksWasteLittle) {
  for (const std::int64_t size : {kMiB, kMiB + 1, 3 * kMiB + 17, 13 * kMiB}) {
    device().trim();
    bytes(size);
    EXPECT_GE(device().memory().cached, size);
    EXPECT_LE(device().memory().cached, size + size / 4);
  }
}

TEST_P(PoolTest, PeakIsTheMostSinceReset) {
  device().reset_peak();
  const std::int64_t base = in_use();
  EXPECT_EQ(device().memory().peak, base);
  {
    const Array x = bytes(1000);
    const Array y = bytes(500);
  }
  bytes(1200);
  EXPECT_EQ(device().memory().peak, base + 1500);
  device().reset_peak();
  EXPECT_EQ(device().memory().peak, base);
}

TEST_P(PoolTest, PeakScopesNest) {
  const Array held = bytes(10000);
  const PeakScope outer(device());
  EXPECT_EQ(outer.peak(), 0);
  const Array x = bytes(800);
  {
    const PeakScope inner(device());
    EXPECT_EQ(inner.peak(), 0);
    bytes(1600);
    EXPECT_EQ(inner.peak(), 1600);
    EXPECT_EQ(outer.peak(), 2400);
  }
  bytes(100);
  EXPECT_EQ(outer.peak(), 2400);
  device().reset_peak();  // another count
  EXPECT_EQ(outer.peak(), 2400);
}

TEST_P(PoolTest, PeakScopeCountsAboveWhereItBegan) {
  Array held = bytes(10000);
  const PeakScope scope(device());
  held = Array();
  const Array x = bytes(4000);
  EXPECT_EQ(scope.peak(), 0);
  const Array y = bytes(7000);
  EXPECT_EQ(scope.peak(), 1000);
}

TEST_P(PoolTest, WorkspacesAreCounted) {
  DeviceInterface& kernels = device().state().device;
  const std::int64_t before = in_use();
  const PeakScope scope(device());
  {
    const Workspace space = kernels.workspace(12345);
    EXPECT_NE(space.data(), nullptr);
    EXPECT_EQ(in_use() - before, 12345);
    Workspace moved = kernels.workspace(55);
    const Workspace owner(std::move(moved));
    EXPECT_EQ(in_use() - before, 12400);
  }
  EXPECT_EQ(in_use(), before);
  EXPECT_EQ(scope.peak(), 12400);
}

TEST_P(PoolTest, AnArrayOfNothingIsAnArray) {
  const std::int64_t before = in_use();
  const Array x = zeros({0, 3}, {.device = device()});
  const Array y = x + 1;
  EXPECT_EQ(y.to_host<float>().size(), 0U);
  EXPECT_EQ(in_use(), before);
}

// ---- the limit

TEST_P(PoolTest, PastTheLimitIsAnErrorWithTheNumbers) {
  device().trim();
  device().set_memory_limit(in_use() + kMiB);
  EXPECT_EQ(device().memory().limit, in_use() + kMiB);
  const MemoryStats before = device().memory();
  try {
    const Array x = bytes(2 * kMiB);
    FAIL() << "no error";
  } catch (const OutOfMemoryError& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with("[empty] ")) << what;
    EXPECT_NE(what.find(device().name()), std::string::npos) << what;
    EXPECT_NE(what.find(std::to_string(2 * kMiB)), std::string::npos) << what;
    EXPECT_NE(what.find(std::to_string(before.limit)), std::string::npos) << what;
  }
  EXPECT_EQ(in_use(), before.in_use);
  const Array fits = bytes(kMiB / 2);
  EXPECT_EQ(in_use() - before.in_use, kMiB / 2);
  device().set_memory_limit(0);
  bytes(2 * kMiB);
}

TEST_P(PoolTest, UpToTheLimitIsNone) {
  device().trim();
  device().set_memory_limit(in_use() + kMiB);
  const Array x = bytes(kMiB);
  EXPECT_THROW(bytes(1), OutOfMemoryError);
}

TEST_P(PoolTest, TheLimitTrimsBeforeItFails) {
  device().trim();
  bytes(kMiB);  // cached
  ASSERT_GE(device().memory().cached, kMiB);
  device().set_memory_limit(in_use() + 2 * kMiB);
  const Array x = bytes(kMiB + kMiB / 2);
  EXPECT_EQ(device().memory().cached, 0);
}

TEST_P(PoolTest, AnOperationThatFailsLeavesEverythingUsable) {
  const Array x = ones({1000, 100}, {.device = device()});
  device().trim();
  const std::int64_t before = in_use();
  device().set_memory_limit(before + 1000 * 100 * 4 + 1000);
  EXPECT_THROW((x + 1) + (x + 2), OutOfMemoryError);
  EXPECT_EQ(in_use(), before);
  EXPECT_EQ(sum(x + 1).item<float>(), 200000);
}

// ---- threads

TEST_P(PoolTest, ThreadsShareIt) {
  const std::int64_t before = in_use();
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        const std::int64_t size = 100 + 37 * ((i * 7 + t) % 11);
        const Array x = full({size}, t * 1000 + i, {.dtype = int64, .device = device()});
        const Array y = x + x;
        const std::vector<std::int64_t> values = y.to_host<std::int64_t>();
        for (const std::int64_t value : values) {
          if (value != 2 * (t * 1000 + i)) ++wrong[static_cast<std::size_t>(t)];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
  EXPECT_EQ(in_use(), before);
}

TEST_P(PoolTest, PeakScopeSeesOtherThreads) {
  const PeakScope scope(device());
  std::thread([&] { bytes(4321); }).join();
  EXPECT_EQ(scope.peak(), 4321);
}

TESSERA_FOR_EACH_DEVICE(PoolTest);

}  // namespace
}  // namespace tessera::test
