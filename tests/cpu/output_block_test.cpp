#include "devices/cpu/output_block.hpp"

#include <gtest/gtest.h>

#include "devices/cpu/threads.hpp"

namespace tessera::cpu {
namespace {

std::int64_t tasks(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t cores) {
  const Block block = output_block(batch, m, n, cores);
  return batch * block_count(m, block.rows) * block_count(n, block.columns);
}

TEST(OutputBlock, IsLargeWhereThereIsOneCore) {
  EXPECT_EQ(tasks(1, 256, 1024, 1), 1);
  EXPECT_EQ(tasks(1, 65536, 1024, 1), 64);
  EXPECT_EQ(tasks(7, 100, 100, 1), 7);
}

// A tile of samples by centers has few rows; it is cut all the same.
TEST(OutputBlock, GivesEachCoreATask) {
  EXPECT_EQ(tasks(1, 256, 1024, 2), 2);
  EXPECT_EQ(tasks(1, 1024, 256, 2), 2);
  EXPECT_EQ(tasks(1, 128, 128, 2), 2);
  EXPECT_EQ(tasks(1, 2048, 1024, 8), 8);
  EXPECT_EQ(tasks(1, 65536, 1024, 64), 64);
}

TEST(OutputBlock, LeavesNoCoreIdleAtTheEnd) {
  EXPECT_EQ(tasks(1, 3000, 200, 2) % 2, 0);
  EXPECT_EQ(tasks(1, 10000, 1500, 8) % 8, 0);
  EXPECT_EQ(tasks(3, 1024, 1024, 2) % 2, 0);
}

TEST(OutputBlock, HasNearlyEqualBlocks) {
  for (const std::int64_t m : {256, 1000, 2048, 4096, 5000}) {
    const std::int64_t rows = output_block(1, m, 64, 2).rows;
    const std::int64_t last = m - (block_count(m, rows) - 1) * rows;
    EXPECT_GE(10 * last, 9 * rows) << m;
  }
}

TEST(OutputBlock, KeepsWithinItsBounds) {
  for (const std::int64_t cores : {1, 2, 3, 64, 384}) {
    for (const std::int64_t m : {1, 65, 300, 1025, 100'000}) {
      for (const std::int64_t n : {2, 129, 1024, 70'000}) {
        const Block block = output_block(1, m, n, cores);
        EXPECT_LE(block.rows, kLongestBlock + 12) << m << " x " << n;
        EXPECT_LE(block.columns, kLongestBlock + 32) << m << " x " << n;
        EXPECT_TRUE(block.rows >= kShortestBlock || block.rows >= m) << m << " x " << n;
        EXPECT_TRUE(block.columns >= kShortestBlock || block.columns >= n) << m << " x " << n;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::cpu
