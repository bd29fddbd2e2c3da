#include "memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>
#include <string>

#include "sanitizer.hpp"
#include "settings.hpp"

namespace cuda_emulation {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kRedZone = 256;
constexpr std::byte kCanary{0xc5};
constexpr std::size_t kPage = 4096;
// By how much the part that is ever opened grows: a huge page.
constexpr std::size_t kStep = std::size_t{2} << 20U;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Room that a block takes after its first byte: its own, and a red zone up to the next block's.
std::size_t footprint(std::size_t bytes) {
  return round_up(bytes, kAlignment) + kRedZone;
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t capacity) : capacity_(round_up(capacity, kPage)) {
  void* const mapping =
      mmap(nullptr, capacity_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(mapping);
  // Opening and closing the memory costs as many steps as it has pages.
  madvise(mapping, capacity_, MADV_HUGEPAGE);
}

std::size_t DeviceMemory::offset(const void* data) const {
  return static_cast<std::size_t>(static_cast<const std::byte*>(data) - base_);
}

void* DeviceMemory::reserve(std::size_t bytes) {
  std::size_t begin = kRedZone;  // the first gap that is wide enough
  for (const auto& [offset, block] : blocks_) {
    if (bytes <= capacity_ && begin + footprint(bytes) <= offset) break;
    begin = offset + footprint(block.bytes);
  }
  if (bytes > capacity_ || footprint(bytes) > capacity_ - std::min(begin, capacity_)) return nullptr;
  blocks_.emplace(begin, BlockRange{bytes, false});
  in_use_ += bytes;
  return base_ + begin;
}

void DeviceMemory::format(void* data) {
  const std::size_t begin = offset(data);
  BlockRange& block = blocks_.at(begin);
  block.formatted = true;
  const std::size_t end = begin + footprint(block.bytes);
  if (end > top_) {
    const std::size_t top = std::min(round_up(end, kStep), capacity_);
    mprotect(base_ + top_, top - top_, PROT_READ | PROT_WRITE);
    poison(base_ + top_, top - top_);
    top_ = top;
  }
  unpoison(base_ + begin - kRedZone, end - begin + kRedZone);
  std::fill(base_ + begin - kRedZone, base_ + begin, kCanary);
  std::memset(base_ + begin, settings().fill, block.bytes);
  std::fill(base_ + begin + block.bytes, base_ + end, kCanary);
  poison(base_ + begin - kRedZone, kRedZone);
  poison(base_ + begin + block.bytes, end - begin - block.bytes);
}

bool DeviceMemory::red_zones_whole(std::size_t begin, std::size_t bytes) const {
  const auto whole = [&](std::size_t from, std::size_t to) {
    return std::all_of(base_ + from, base_ + to, [](std::byte value) { return value == kCanary; });
  };
  return whole(begin - kRedZone, begin) && whole(begin + bytes, begin + footprint(bytes));
}

void DeviceMemory::release(void* data) {
  const auto block = blocks_.find(offset(data));
  if (block == blocks_.end()) {
    violation("memory was freed that is not allocated");
    return;
  }
  if (!kAddressSanitizer && block->second.formatted && !red_zones_whole(block->first, block->second.bytes)) {
    violation("a kernel wrote outside of a block of " + std::to_string(block->second.bytes) +
              " bytes of device memory");
  }
  poison(data, block->second.bytes);
  in_use_ -= block->second.bytes;
  blocks_.erase(block);
}

void DeviceMemory::check() const {
  if (kAddressSanitizer) return;  // it has said so already
  for (const auto& [begin, block] : blocks_) {
    if (!block.formatted || red_zones_whole(begin, block.bytes)) continue;
    violation("a kernel wrote outside of a block of " + std::to_string(block.bytes) +
              " bytes of device memory");
    std::fill(base_ + begin - kRedZone, base_ + begin, kCanary);  // said once
    std::fill(base_ + begin + block.bytes, base_ + begin + footprint(block.bytes), kCanary);
  }
}

void DeviceMemory::open() {
  if (top_ > 0) mprotect(base_, top_, PROT_READ | PROT_WRITE);
}

void DeviceMemory::close() {
  if (top_ > 0) mprotect(base_, top_, PROT_NONE);
}

bool DeviceMemory::owns(const void* data) const {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const auto base = reinterpret_cast<std::uintptr_t>(base_);
  return address >= base && address < base + capacity_;
}

bool DeviceMemory::within_block(const void* data, std::size_t bytes) const {
  if (!owns(data)) return false;
  const std::size_t begin = offset(data);
  const auto next = blocks_.upper_bound(begin);
  if (next == blocks_.begin()) return false;
  const auto& [first, block] = *std::prev(next);
  return begin + bytes <= first + block.bytes;
}

}  // namespace cuda_emulation
