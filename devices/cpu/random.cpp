#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/random.cpp"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle): compiled once a target

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <limits>

#include <tessera/device.hpp>

#include "devices/cpu/cpu_device.hpp"
#include "devices/cpu/threads.hpp"

// Philox4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

struct Counter {
  std::uint64_t low;
  std::uint64_t high;
};

/// One block.
void block(std::uint64_t key, Counter counter, std::uint32_t* out) {
  auto word0 = static_cast<std::uint32_t>(counter.low);
  auto word1 = static_cast<std::uint32_t>(counter.low >> 32U);
  auto word2 = static_cast<std::uint32_t>(counter.high);
  auto word3 = static_cast<std::uint32_t>(counter.high >> 32U);
  auto key0 = static_cast<std::uint32_t>(key);
  auto key1 = static_cast<std::uint32_t>(key >> 32U);
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{kMultiplier0} * word0;
    const std::uint64_t product1 = std::uint64_t{kMultiplier1} * word2;
    word0 = static_cast<std::uint32_t>(product1 >> 32U) ^ word1 ^ key0;
    word1 = static_cast<std::uint32_t>(product1);
    word2 = static_cast<std::uint32_t>(product0 >> 32U) ^ word3 ^ key1;
    word3 = static_cast<std::uint32_t>(product0);
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  out[0] = word0;
  out[1] = word1;
  out[2] = word2;
  out[3] = word3;
}

#if HWY_TARGET != HWY_SCALAR

/// As many blocks as a vector has 64-bit lanes, a word in the lower half of each lane; returns how many
/// were done. The counters' high halves are `high` for all.
std::int64_t whole_vectors(std::uint64_t key, Counter first, std::uint32_t* out, std::int64_t blocks) {
  const hn::ScalableTag<std::uint64_t> d;
  const hn::Repartition<std::uint32_t, decltype(d)> d32;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto multiplier0 = hn::Set(d32, kMultiplier0);
  const auto multiplier1 = hn::Set(d32, kMultiplier1);
  const auto low_half = hn::Set(d, std::numeric_limits<std::uint32_t>::max());
  // MulEven reads the lower halves alone: the upper ones may hold anything.
  const auto product = [&](auto word, auto multiplier)
                           HWY_ATTR { return hn::MulEven(hn::BitCast(d32, word), multiplier); };
  std::int64_t done = 0;
  auto counters = hn::Iota(d, 0);
  counters = hn::Add(counters, hn::Set(d, first.low));
  for (; done + lanes <= blocks; done += lanes) {
    auto word0 = counters;
    auto word1 = hn::ShiftRight<32>(counters);
    auto word2 = hn::Set(d, first.high);
    auto word3 = hn::Set(d, first.high >> 32U);
    auto key0 = static_cast<std::uint32_t>(key);
    auto key1 = static_cast<std::uint32_t>(key >> 32U);
#pragma GCC unroll 10
    for (int round = 0; round < kRounds; ++round) {
      const auto product0 = product(word0, multiplier0);
      const auto product1 = product(word2, multiplier1);
      word0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product1), word1), hn::Set(d, key0));
      word1 = product1;
      word2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product0), word3), hn::Set(d, key1));
      word3 = product0;
      key0 += kWeyl0;
      key1 += kWeyl1;
    }
    const auto lower = hn::Or(hn::And(word0, low_half), hn::ShiftLeft<32>(word1));
    const auto upper = hn::Or(hn::And(word2, low_half), hn::ShiftLeft<32>(word3));
    hn::StoreInterleaved2(lower, upper, d, reinterpret_cast<std::uint64_t*>(out + 4 * done));
    counters = hn::Add(counters, hn::Set(d, static_cast<std::uint64_t>(lanes)));
  }
  return done;
}

#endif

void philox(std::uint64_t key, std::uint64_t counter, std::uint64_t first, std::uint32_t* out,
            std::int64_t blocks) {
  // Where the counter's low half wraps on the way, block by block.
  const auto at = [&](std::int64_t index) {
    const std::uint64_t low = counter + first + static_cast<std::uint64_t>(index);
    return Counter{low, low < counter ? std::uint64_t{1} : std::uint64_t{0}};
  };
  std::int64_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  if (at(0).high == at(blocks - 1).high) done = whole_vectors(key, at(0), out, blocks);
#endif
  for (; done < blocks; ++done) block(key, at(done), out + 4 * done);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tessera::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {
namespace {

HWY_EXPORT(philox);

constexpr std::int64_t kWordsABlock = 4;
constexpr std::int64_t kTaskBlocks = 16 * 1024;

}  // namespace

void CpuDevice::random_bits(std::uint64_t key, std::uint64_t counter, const View& out) {
  const std::int64_t words =
      out.shape[0] * static_cast<std::int64_t>(itemsize(out.dtype) / sizeof(std::uint32_t));
  auto* to = out.as<std::uint32_t>();
  const auto run = [&](std::uint64_t first, std::uint32_t* target, std::int64_t blocks) {
    HWY_DYNAMIC_DISPATCH(philox)(key, counter, first, target, blocks);
  };
  const std::int64_t whole = words / kWordsABlock;
  parallel_for(block_count(whole, kTaskBlocks), words, [&](std::int64_t task) {
    const BlockRange mine = block_range(task, kTaskBlocks, whole);
    run(static_cast<std::uint64_t>(mine.begin), to + mine.begin * kWordsABlock, mine.size());
  });
  if (words % kWordsABlock != 0) {
    std::uint32_t last[kWordsABlock];
    run(static_cast<std::uint64_t>(whole), last, 1);
    std::memcpy(to + whole * kWordsABlock, last,
                static_cast<std::size_t>(words % kWordsABlock) * sizeof *last);
  }
}

}  // namespace tessera::cpu
#endif
