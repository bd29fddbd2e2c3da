// As many threads run as were asked for, also more than the processor has; and each block once.

#include "devices/cpu/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include <tessera/device.hpp>
#include <tessera/error.hpp>
#include <tessera/operation.hpp>
#include <tessera/threads.hpp>

namespace tessera::cpu {
namespace {

constexpr std::int64_t kMuchWork = 100 * kSerialWork;

/// Whether `count` blocks all are under way at one time, each on a thread of its own.
bool all_run_at_once(int count) {
  std::atomic<int> arrived = 0;
  std::atomic<bool> together = true;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  parallel_for(count, kMuchWork, [&](std::int64_t) {
    ++arrived;
    while (arrived < count) {
      if (std::chrono::steady_clock::now() > deadline) {
        together = false;
        return;
      }
      std::this_thread::yield();
    }
  });
  return together;
}

std::size_t threads_seen(std::int64_t blocks, std::int64_t work) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  parallel_for(blocks, work, [&](std::int64_t) {
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  return seen.size();
}

TEST(ThreadsTest, AsManyRunAsWereAskedFor) {
  for (const int threads : {2, 7, 3}) {
    const ThreadScope scope(threads);
    EXPECT_TRUE(all_run_at_once(threads)) << threads;
  }
}

TEST(ThreadsTest, NoMoreRunThanWereAskedFor) {
  for (const int threads : {7, 2, 1}) {
    const ThreadScope scope(threads);
    EXPECT_LE(threads_seen(1000, kMuchWork), static_cast<std::size_t>(threads));
  }
}

TEST(ThreadsTest, LittleWorkStaysOnTheCallersThread) {
  const ThreadScope scope(7);
  EXPECT_EQ(threads_seen(1000, kSerialWork - 1), 1U);
}

TEST(ThreadsTest, EachBlockRunsOnce) {
  const ThreadScope scope(3);
  std::vector<std::atomic<int>> runs(1001);
  parallel_for(1001, kMuchWork, [&](std::int64_t block) { ++runs[static_cast<std::size_t>(block)]; });
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

TEST(ThreadsTest, ScopesNestAndEnd) {
  const int before = num_threads();
  {
    const ThreadScope outer(3);
    EXPECT_EQ(num_threads(), 3);
    {
      const ThreadScope inner(7);
      EXPECT_EQ(num_threads(), 7);
    }
    EXPECT_EQ(num_threads(), 3);
  }
  EXPECT_EQ(num_threads(), before);
}

TEST(ThreadsTest, AnErrorInABlockReachesTheCaller) {
  const ThreadScope scope(3);
  const auto fail = [](std::int64_t block) {
    if (block == 500) throw std::runtime_error("block 500");
  };
  EXPECT_THROW(parallel_for(1000, kMuchWork, fail), std::runtime_error);
}

TEST(ThreadsTest, BlocksOfEveryThreadKnowTheOperation) {
  const ThreadScope scope(3);
  set_current_operation("sort");
  std::atomic<int> others = 0;
  parallel_for(3000, kMuchWork, [&](std::int64_t /*block*/) {
    if (std::string_view(current_operation()) != "sort") ++others;
  });
  EXPECT_EQ(others, 0);
}

TEST(ThreadsTest, ManyThreadsMayCallAtOnceWhileTheNumberChanges) {
  std::atomic<std::int64_t> total = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        parallel_for(100, kMuchWork, [&](std::int64_t block) { total += block; });
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    const ThreadScope scope(1 + i % 5);
    std::this_thread::yield();
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 4 * 50 * (99 * 100 / 2));
}

TEST(ThreadsTest, RefusesNumbersBelowOne) {
  EXPECT_THROW(set_num_threads(0), ValueError);
  EXPECT_THROW(ThreadScope(-1), ValueError);
}

TEST(ThreadsTest, BlocksCoverTheRange) {
  EXPECT_EQ(block_count(0, 4), 0);
  EXPECT_EQ(block_count(9, 4), 3);
  EXPECT_EQ(block_range(2, 4, 9).begin, 8);
  EXPECT_EQ(block_range(2, 4, 9).end, 9);
}

}  // namespace
}  // namespace tessera::cpu
