// Positions past 2^31, where memory allows it.

#include <fstream>
#include <string>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {

namespace {

using LargeTest = DeviceTest;

/// What the machine can give without swapping; 0 where it does not say.
double available_gibibytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string key; file >> key;) {
    double kibibytes = 0;
    if (key == "MemAvailable:" && file >> kibibytes) return kibibytes / (1024 * 1024);
  }
  return 0;
}

TEST_P(LargeTest, MoreThanTwoToTheThirtyOneElements) {
  if (device().name() != "cpu") GTEST_SKIP() << "on cpu alone: others are too slow for it";
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "takes too long under a sanitizer";
#endif
  if (available_gibibytes() < 8) GTEST_SKIP() << "needs 8 GiB, there are " << available_gibibytes();
  const std::int64_t far = (std::int64_t{1} << 31U) + 5;
  const std::int64_t count = (std::int64_t{1} << 31U) + 8;
  const Array at = asarray<std::int64_t>({3, far}, {.device = device()});
  Array x = zeros({count}, {.dtype = uint8, .device = device()});
  x = scatter_set(std::move(x), at, asarray<std::uint8_t>({7, 9}, {.device = device()}));
  EXPECT_EQ(argmax(x).item<std::int64_t>(), far);
  EXPECT_EQ(sum(x).item<std::int64_t>(), 16);
  EXPECT_TRUE(equal(take(x, at), std::vector<std::uint8_t>{7, 9}, {2}));
  EXPECT_EQ(index(x, {far}).item<std::int64_t>(), 9);
  const Array tail = index(x, {slice(count - 4, {})});
  EXPECT_TRUE(equal(tail, std::vector<std::uint8_t>{0, 9, 0, 0}, {4}));
  EXPECT_TRUE(equal(index(x, {slice({}, {}, -far)}), std::vector<std::uint8_t>{0, 0}, {2}));
  x = x + 1;
  EXPECT_EQ(index(x, {far}).item<std::int64_t>(), 10);
  EXPECT_EQ(max(x).item<std::int64_t>(), 10);
}

TESSERA_FOR_EACH_DEVICE(LargeTest);

}  // namespace

}  // namespace tessera::test
