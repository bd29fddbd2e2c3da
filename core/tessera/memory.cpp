#include <tessera/memory.hpp>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <tessera/device.hpp>
#include <tessera/device_state.hpp>
#include <tessera/error.hpp>
#include <tessera/registry.hpp>

namespace tessera {
namespace {

constexpr std::size_t kSmallestBlock = 64;

struct SizeClass {
  int index;
  std::size_t bytes;
};

// Between 2^e and 2^(e+1) blocks grow by an eighth of 2^e, and never by less than the smallest block.
std::size_t step_of(int exponent) {
  return std::max(kSmallestBlock, (std::size_t{1} << exponent) / 8);
}

SizeClass size_class(std::size_t bytes) {
  if (bytes <= kSmallestBlock) return {0, kSmallestBlock};
  const int exponent =
      static_cast<int>(std::bit_width(bytes - 1)) - 1;  // 2^exponent < bytes <= 2^(exponent + 1)
  const std::size_t step = step_of(exponent);
  const std::size_t steps = (bytes - (std::size_t{1} << exponent) + step - 1) / step;  // 1 to 8
  return {8 * exponent + static_cast<int>(steps) - 1, (std::size_t{1} << exponent) + steps * step};
}

std::size_t block_bytes(int index) {
  if (index == 0) return kSmallestBlock;
  const int exponent = index / 8;
  return (std::size_t{1} << exponent) + static_cast<std::size_t>(index % 8 + 1) * step_of(exponent);
}

}  // namespace

MemoryPool::MemoryPool(DeviceInterface& device, const char* device_name)
    : device_(device), device_name_(device_name) {
  // Blocks of many odd sizes could pile up: nine tenths of the machine is enough.
  soft_limit_ = device.properties().memory_bytes / 10 * 9;
}

void* MemoryPool::allocate(std::size_t bytes) {
  const SizeClass wanted = size_class(bytes);
  const std::lock_guard lock(mutex_);
  if (stats_.limit > 0 && static_cast<std::int64_t>(bytes) > stats_.limit - stats_.in_use) fail(bytes);
  auto& blocks = free_[static_cast<std::size_t>(wanted.index)];
  void* data = nullptr;
  if (!blocks.empty()) {
    data = blocks.back();
    blocks.pop_back();
    stats_.cached -= static_cast<std::int64_t>(wanted.bytes);
  } else {
    data = take_fresh(bytes, wanted.bytes);
  }
  count_locked(bytes);
  return data;
}

void* MemoryPool::take_fresh(std::size_t bytes, std::size_t block) {
  const auto passes = [&](std::int64_t limit) {
    return limit > 0 && static_cast<std::int64_t>(bytes) > limit - stats_.in_use - stats_.cached;
  };
  if (stats_.cached > 0 && (passes(stats_.limit) || passes(soft_limit_))) trim_locked();
  void* data = device_.allocate(block);
  if (data == nullptr && stats_.cached > 0) {
    trim_locked();
    data = device_.allocate(block);
  }
  if (data == nullptr) fail(bytes);
  ++stats_.device_allocations;
  return data;
}

void MemoryPool::count_locked(std::size_t bytes) {
  stats_.in_use += static_cast<std::int64_t>(bytes);
  stats_.peak = std::max(stats_.peak, stats_.in_use);
  ++stats_.allocations;
  for (PeakScope* const scope : scopes_) scope->top_ = std::max(scope->top_, stats_.in_use);
}

void MemoryPool::deallocate(void* data, std::size_t bytes) noexcept {
  const SizeClass block = size_class(bytes);
  const std::lock_guard lock(mutex_);
  stats_.in_use -= static_cast<std::int64_t>(bytes);
  try {
    free_[static_cast<std::size_t>(block.index)].push_back(data);
    stats_.cached += static_cast<std::int64_t>(block.bytes);
  } catch (...) {  // no room for the list's own entry
    device_.deallocate(data, block.bytes);
  }
}

MemoryStats MemoryPool::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void MemoryPool::reset_peak() {
  const std::lock_guard lock(mutex_);
  stats_.peak = stats_.in_use;
}

std::int64_t MemoryPool::trim() {
  const std::lock_guard lock(mutex_);
  return trim_locked();
}

std::int64_t MemoryPool::trim_locked() {
  const std::int64_t before = stats_.cached;
  for (int index = 0; index < kClassCount; ++index) {
    auto& blocks = free_[static_cast<std::size_t>(index)];
    if (blocks.empty()) continue;
    const std::size_t bytes = block_bytes(index);
    for (void* const data : blocks) device_.deallocate(data, bytes);
    stats_.cached -= static_cast<std::int64_t>(bytes * blocks.size());
    blocks.clear();
  }
  return before - stats_.cached;
}

void MemoryPool::set_limit(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  stats_.limit = std::max<std::int64_t>(bytes, 0);
}

void MemoryPool::fail(std::size_t bytes) const {
  const std::string limit = stats_.limit > 0 ? fmt::format(", limit {}", stats_.limit) : "";
  throw OutOfMemoryError(fmt::format(
      "[{}] out of memory on {}: {} bytes wanted, {} in use, {} cached{}; use smaller tiles, free arrays, or "
      "raise the limit",
      current_operation(), device_name_, bytes, stats_.in_use, stats_.cached, limit));
}

PeakScope::PeakScope(const Device& device) : pool_(&device.state().pool) {
  const std::lock_guard lock(pool_->mutex_);
  base_ = top_ = pool_->stats_.in_use;
  pool_->scopes_.push_back(this);
}

PeakScope::~PeakScope() {
  const std::lock_guard lock(pool_->mutex_);
  std::erase(pool_->scopes_, this);
}

std::int64_t PeakScope::peak() const {
  const std::lock_guard lock(pool_->mutex_);
  return top_ - base_;
}

}  // namespace tessera
