#include "memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <iterator>
#include <string>

#include <tessera/error.hpp>

namespace tessera::fake {
namespace {

constexpr std::size_t kPage = 4096;

std::byte* map(int pages, std::size_t bytes, int protection) {
  void* mapping = mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, pages, 0);
  return mapping == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapping);
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t bytes) : capacity_(bytes) {
  pages_ = memfd_create("fake accelerator", MFD_CLOEXEC);
  if (pages_ >= 0 && ftruncate(pages_, static_cast<off_t>(bytes)) == 0) {
    device_ = map(pages_, bytes, PROT_NONE);
    host_ = map(pages_, bytes, PROT_READ | PROT_WRITE);
  }
  if (device_ == nullptr || host_ == nullptr) {
    throw DeviceError("[device] the fake accelerator cannot map its memory: " + std::string(strerror(errno)));
  }
}

void* DeviceMemory::allocate(std::size_t bytes) {
  const std::size_t block = (bytes + kPage - 1) / kPage * kPage;
  const std::scoped_lock lock(mutex_);
  std::size_t offset = 0;  // the first gap that is wide enough
  for (const auto& [begin, size] : blocks_) {
    if (begin - offset >= block) break;
    offset = begin + size;
  }
  if (block < bytes || block > capacity_ || offset > capacity_ - block) return nullptr;
  blocks_.emplace(offset, block);
  std::memset(host_ + offset, 0xff, block);  // fresh memory is NaN, never a convenient zero
  return device_ + offset;
}

void DeviceMemory::deallocate(void* data) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto block = blocks_.find(static_cast<std::size_t>(static_cast<std::byte*>(data) - device_));
  if (block == blocks_.end()) return;
  // Gives the pages back to the system.
  fallocate(pages_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(block->first),
            static_cast<off_t>(block->second));
  blocks_.erase(block);
}

std::byte* DeviceMemory::translate(const void* data, std::int64_t begin, std::int64_t end) const {
  // Integers: the pointer may belong to anything.
  const auto offset = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data)) -
                      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(device_));
  const std::scoped_lock lock(mutex_);
  auto block = blocks_.upper_bound(static_cast<std::size_t>(offset + begin < 0 ? 0 : offset + begin));
  if (block != blocks_.begin()) {
    block = std::prev(block);
    const auto first = static_cast<std::int64_t>(block->first);
    const std::int64_t last = first + static_cast<std::int64_t>(block->second);
    if (offset + begin >= first && offset + end <= last) return host_ + offset;
  }
  throw DeviceError(std::string("[") + current_operation() +
                    "] a kernel was given memory that is not allocated on this device");
}

}  // namespace tessera::fake
