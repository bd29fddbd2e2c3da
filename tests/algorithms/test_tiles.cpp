// Splitting rows into tiles: arithmetic without data.

#include <kmeans/tiles.hpp>

#include <gtest/gtest.h>

namespace tessera::kmeans {
namespace {

TEST(Tiles, SplitCoversEveryRowOnceInTilesThatDifferByOneRowAtMost) {
  for (const std::int64_t total : {1, 2, 7, 100, 1000, 1023}) {
    for (const std::int64_t most : {1, 2, 3, 7, 64, 5000}) {
      const auto tiles = split(total, most);
      std::int64_t next = 0;
      for (const Tile& tile : tiles) {
        EXPECT_EQ(tile.start, next);
        EXPECT_GE(tile.count, 1);
        EXPECT_LE(tile.count, most);
        EXPECT_LE(tiles.front().count - tile.count, 1);
        next += tile.count;
      }
      EXPECT_EQ(next, total);
      EXPECT_EQ(static_cast<std::int64_t>(tiles.size()), (total + most - 1) / most);
    }
  }
  EXPECT_TRUE(split(0, 5).empty());
}

TEST(Tiles, EqualTilesCoverEveryRowAndAreEquallyLong) {
  for (const std::int64_t total : {1, 2, 7, 33, 100, 1000, 1023, 300000}) {
    for (const std::int64_t most : {1, 2, 3, 7, 17, 64, 5000}) {
      const auto tiles = split_equally(total, most);
      std::int64_t end = 0;
      for (const Tile& tile : tiles) {
        ASSERT_EQ(tile.count, tiles.front().count);
        ASSERT_LE(tile.start, end);
        ASSERT_GT(tile.start + tile.count, end);
        end = tile.start + tile.count;
      }
      EXPECT_EQ(end, total);
      EXPECT_LE(tiles.front().count, most);
    }
  }
}

TEST(Tiles, SizesBelowOneAreRefused) {
  EXPECT_THROW(split(10, 0), ValueError);
  EXPECT_THROW(split_equally(10, -3), ValueError);
}

TEST(Tiles, AutomaticSizesNeverReachAMatrixOfAllDistances) {
  constexpr std::int64_t cache = 2 << 20;
  for (const std::int64_t d : {1, 3, 64, 2048, 16384}) {
    for (const std::int64_t k : {1, 3, 256, 1024, 4096, 300000}) {
      const TileSizes tiles = automatic_tiles(d, k, float32, cache);
      EXPECT_GE(tiles.samples, 2048);
      EXPECT_LE(tiles.centers, 1024);
      EXPECT_LE(tiles.centers, k);
      EXPECT_LE(tiles.samples * tiles.centers * 4, std::max<std::int64_t>(cache, 2048 * 1024 * 4));
      const TileSizes of_samples = automatic_tiles(d, k, float32, cache, false);
      EXPECT_GE(of_samples.samples, 2048);
      EXPECT_EQ(of_samples.centers, tiles.centers);
      EXPECT_LE(of_samples.samples * d * 4, std::max<std::int64_t>(cache, 2048 * d * 4));
    }
  }
}

}  // namespace
}  // namespace tessera::kmeans
