// Bits: the generator's published vectors, the same on every device and in every size.

#include <Random123/philox.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

using random::Key;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Words = std::array<std::uint32_t, 4>;

Words philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  const r123::Philox4x32::ctr_type result =
      r123::Philox4x32()({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
  return {result[0], result[1], result[2], result[3]};
}

// kat_vectors of Random123: philox4x32 with 10 rounds.
TEST(PhiloxTest, GivesThePublishedVectors) {
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(KeyTest, KeysAreIndependentAndReproducible) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Key key(seed);
    seen.insert(key.bits());
    for (std::uint64_t i = 0; i < 100; ++i) seen.insert(key.fold_in(i).bits());
    for (const Key& part : random::split(key, 100)) seen.insert(part.bits());
  }
  EXPECT_EQ(seen.size(), 10U * 201U);
  EXPECT_EQ(Key(3).fold_in(4), Key(3).fold_in(4));
  EXPECT_EQ(random::split(Key(3), 2)[1], random::split(Key(3), 5)[1]);
  EXPECT_EQ(random::split(Key(3), 0).size(), 0U);
  EXPECT_THROW(random::split(Key(3), -1), ValueError);
}

// Frozen: a change of these changes everybody's results.
TEST(KeyTest, AreTheSameInEveryVersion) {
  EXPECT_EQ(Key(7).bits(), 7U);
  const Words words = philox({5, 0, 0x6b657973, 0x666f6c64}, {7, 0});
  EXPECT_EQ(Key(7).fold_in(5).bits(), static_cast<std::uint64_t>(words[1]) << 32 | words[0]);
}

class RandomTest : public DeviceTest {
 protected:
  /// `make` gives the same bits here as on the reference device.
  template <class Make>
  void expect_as_on_reference(Make make) const {
    EXPECT_TRUE(same_bits(make(device()), make(tessera::device("reference"))));
  }
};

TEST_P(RandomTest, BitsAreTheGenerators) {
  const std::vector<std::uint64_t> keys = {0, 1, std::numeric_limits<std::uint64_t>::max(),
                                           0x299f31d0a4093822};
  for (const std::uint64_t key : keys) {
    constexpr std::int64_t kCount = 1003;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t block = 0; expected.size() < kCount; ++block) {
      const Words words =
          philox({block, 0, 0, 0}, {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)});
      expected.insert(expected.end(), words.begin(), words.end());
    }
    expected.resize(kCount);
    EXPECT_TRUE(equal(random::bits(Key(key), {kCount}, {.device = device()}), expected, {kCount}));
    std::vector<std::uint64_t> wide(kCount / 2);
    for (std::size_t i = 0; i < wide.size(); ++i) {
      wide[i] = static_cast<std::uint64_t>(expected[2 * i + 1]) << 32 | expected[2 * i];
    }
    EXPECT_TRUE(equal(random::bits(Key(key), {kCount / 2}, {.dtype = DType::uint64, .device = device()}),
                      wide, {kCount / 2}));
  }
}

TEST_P(RandomTest, SameBitsOnEveryDevice) {
  const Key key(42);
  expect_as_on_reference([&](const Device& d) { return random::uniform(key, {1001}, {.device = d}); });
  expect_as_on_reference([&](const Device& d) {
    return random::uniform(key, {7, 11}, {.low = -3, .high = 0.1, .dtype = DType::float64, .device = d});
  });
  expect_as_on_reference(
      [&](const Device& d) { return random::randint(key, -5, 1000, {1001}, {.device = d}); });
  expect_as_on_reference([&](const Device& d) {
    return random::randint(key, std::numeric_limits<std::int64_t>::min(),
                           std::numeric_limits<std::int64_t>::max(), {101}, {.device = d});
  });
  expect_as_on_reference([&](const Device& d) { return random::permutation(key, 1001, {.device = d}); });
  expect_as_on_reference(
      [&](const Device& d) { return random::choice(key, 50, {20}, {.replace = false, .device = d}); });
}

TEST_P(RandomTest, NormalIsTheSameToRoundingOnEveryDevice) {
  const Key key(42);
  const Device reference = tessera::device("reference");
  EXPECT_TRUE(close(random::normal(key, {1001}, {.device = device()}),
                    to_host_array(random::normal(key, {1001}, {.device = reference})),
                    {.relative = 1e-5, .absolute = 1e-6}));
  EXPECT_TRUE(
      close(random::normal(key, {1001}, {.dtype = DType::float64, .device = device()}),
            to_host_array(random::normal(key, {1001}, {.dtype = DType::float64, .device = reference})),
            {.relative = 1e-13, .absolute = 1e-14}));
}

TEST_P(RandomTest, AreMadeOfTheSameBitsInPieces) {
  // More than one piece inside; every element is that of a shorter array with the same key.
  constexpr std::int64_t kLong = (1 << 18) + 5;
  constexpr std::int64_t kShort = 1000;
  const Key key(3);
  const auto expect_prefix = [&](auto make) {
    EXPECT_TRUE(same_bits(index(make(kLong), {slice(0, kShort)}), make(kShort)));
  };
  expect_prefix([&](std::int64_t n) { return random::uniform(key, {n}, {.device = device()}); });
  expect_prefix([&](std::int64_t n) {
    return random::uniform(key, {n}, {.dtype = DType::float64, .device = device()});
  });
  expect_prefix([&](std::int64_t n) { return random::normal(key, {n}, {.device = device()}); });
  expect_prefix([&](std::int64_t n) { return random::randint(key, 0, 100, {n}, {.device = device()}); });
  // And the second piece goes on where the first ended.
  const Array words = random::bits(key, {kLong}, {.device = device()});
  const Array u = random::uniform(key, {kLong}, {.device = device()});
  const Array expected = astype(bitwise_right_shift(words, 8), DType::float32) * 0x1p-24;
  EXPECT_TRUE(same_bits(u, expected));
}

TEST_P(RandomTest, ShapesAndDTypes) {
  const Key key(1);
  EXPECT_EQ(random::uniform(key, {}, {.device = device()}).shape(), Shape());
  EXPECT_EQ(random::uniform(key, {0, 3}, {.device = device()}).shape(), Shape({0, 3}));
  EXPECT_EQ(random::normal(key, {0}, {.device = device()}).shape(), Shape({0}));
  EXPECT_EQ(random::normal(key, {1}, {.device = device()}).shape(), Shape({1}));
  EXPECT_EQ(random::normal(key, {3, 5}, {.dtype = DType::float64, .device = device()}).dtype(),
            DType::float64);
  EXPECT_EQ(random::permutation(key, 0, {.device = device()}).shape(), Shape({0}));
  EXPECT_EQ(random::choice(key, 5, {2, 3}, {.device = device()}).shape(), Shape({2, 3}));
  EXPECT_EQ(random::choice(key, 5, {}, {.device = device()}).ndim(), 0);
  EXPECT_EQ(random::choice(key, 0, {0}, {.device = device()}).shape(), Shape({0}));
  EXPECT_EQ(random::randint(key, 0, 5, {3}, {.dtype = DType::uint8, .device = device()}).dtype(),
            DType::uint8);
}

TEST_P(RandomTest, RandintKeepsItsRange) {
  const Key key(9);
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
  struct Range {
    std::int64_t low;
    std::int64_t high;
  };
  for (const Range range :
       {Range{0, 1}, Range{-3, 4}, Range{0, std::int64_t{1} << 32}, Range{kLowest, kHighest},
        Range{kHighest - 2, kHighest}, Range{kLowest, kLowest + 1},
        Range{-(std::int64_t{1} << 40), (std::int64_t{1} << 41) + 12345}}) {
    const auto values =
        random::randint(key, range.low, range.high, {2000}, {.device = device()}).to_host<std::int64_t>();
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    EXPECT_GE(*least, range.low);
    EXPECT_LT(*most, range.high);
    // Both ends are reached, to a hundredth of the range.
    const double width = static_cast<double>(range.high) - static_cast<double>(range.low);
    EXPECT_LE(static_cast<double>(*least) - static_cast<double>(range.low), 0.01 * width);
    EXPECT_LE(static_cast<double>(range.high) - static_cast<double>(*most), 0.01 * width + 1);
  }
}

TEST_P(RandomTest, RandintScalesTheDraw) {
  // floor(draw * range / 2^64), checked in 128 bits.
  const Key key(11);
  const auto draws =
      random::bits(key, {500}, {.dtype = DType::uint64, .device = device()}).to_host<std::uint64_t>();
  for (const std::int64_t range : {std::int64_t{10}, (std::int64_t{1} << 32) - 1, std::int64_t{1} << 32,
                                   (std::int64_t{1} << 32) + 1, std::int64_t{1234567890123456789}}) {
    const auto values = random::randint(key, 0, range, {500}, {.device = device()}).to_host<std::int64_t>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      __extension__ using Wide = unsigned __int128;
      ASSERT_EQ(values[i],
                static_cast<std::int64_t>(static_cast<Wide>(draws[i]) * static_cast<Wide>(range) >> 64));
    }
  }
}

TEST_P(RandomTest, PermutationsHoldEverythingOnce) {
  for (const std::int64_t n : {1, 2, 10, 1000}) {
    auto values = random::permutation(Key(5), n, {.device = device()}).to_host<std::int64_t>();
    std::sort(values.begin(), values.end());
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], i);
  }
}

TEST_P(RandomTest, RefusesBadArguments) {
  const Key key(1);
  const Array p = from_host(std::vector<double>{1, 0, 2}, {3}, {.device = device()});
  EXPECT_THROW(random::uniform(key, {3}, {.low = 1, .high = 1, .device = device()}), ValueError);
  EXPECT_THROW(random::uniform(key, {3}, {.low = 0, .high = kNan, .device = device()}), ValueError);
  EXPECT_THROW(random::uniform(key, {3}, {.low = -1e308, .high = 1e308, .device = device()}), ValueError);
  EXPECT_THROW(random::uniform(key, {3}, {.low = 0.1, .high = 0.1 + 1e-16, .device = device()}), ValueError);
  EXPECT_THROW(random::uniform(key, {3}, {.dtype = DType::int32, .device = device()}), DTypeError);
  EXPECT_THROW(random::uniform(key, {-3}, {.device = device()}), ShapeError);
  EXPECT_THROW(random::normal(key, {3}, {.stddev = -1, .device = device()}), ValueError);
  EXPECT_THROW(random::randint(key, 5, 5, {3}, {.device = device()}), ValueError);
  EXPECT_THROW(random::randint(key, 0, 257, {3}, {.dtype = DType::uint8, .device = device()}), ValueError);
  EXPECT_THROW(random::randint(key, -1, 5, {3}, {.dtype = DType::uint8, .device = device()}), ValueError);
  EXPECT_THROW(random::randint(key, 0, 5, {3}, {.dtype = DType::float32, .device = device()}), DTypeError);
  EXPECT_THROW(random::bits(key, {3}, {.dtype = DType::int32, .device = device()}), DTypeError);
  EXPECT_THROW(random::permutation(key, -1, {.device = device()}), ValueError);
  EXPECT_THROW(random::choice(key, 0, {3}, {.device = device()}), ValueError);
  EXPECT_THROW(random::choice(key, 3, {4}, {.replace = false, .device = device()}), ValueError);
  EXPECT_THROW(random::choice(key, 3, {3}, {.replace = false, .p = p}), ValueError)
      << "only two are positive";
  EXPECT_THROW(random::choice(key, 4, {1}, {.p = p}), ShapeError);
  EXPECT_THROW(random::choice(key, 3, {1}, {.p = p * 0}), ValueError);
  EXPECT_THROW(random::choice(key, 3, {1}, {.p = p - 1}), ValueError);
  EXPECT_THROW(random::choice(key, 3, {1}, {.p = p / 0}), ValueError);
  EXPECT_EQ(random::randint(key, 0, 256, {3}, {.dtype = DType::uint8, .device = device()}).size(), 3);
}

TESSERA_FOR_EACH_DEVICE(RandomTest);

}  // namespace
}  // namespace tessera::test
