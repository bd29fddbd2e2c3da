#include <tessera/io/file.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <tessera/error.hpp>

namespace tessera {
namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // Linux moves less than 2 GiB a call

std::string reason(int error) {
  return std::generic_category().message(error);
}

std::string hint_for(int error) {
  switch (error) {
    case ENOENT: return "check the path";
    case EACCES:
    case EPERM:
    case EROFS: return "check the permissions, or choose another folder";
    case ENOSPC:
    case EDQUOT: return "free some space, or choose another disk";
    default: return "check the path and the disk";
  }
}

}  // namespace

InputFile::InputFile(const char* operation, std::string path)
    : operation_(operation),
      path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat info = {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &info) != 0) {
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw IOError(fmt::format("[{}] \"{}\" cannot be opened: {}; {}", operation_, path_, reason(error),
                              hint_for(error)));
  }
  if (!S_ISREG(info.st_mode)) {
    ::close(descriptor_);
    throw IOError(fmt::format("[{}] \"{}\" is {}; expected a regular file", operation_, path_,
                              S_ISDIR(info.st_mode) ? "a folder" : "no regular file"));
  }
  size_ = static_cast<std::uint64_t>(info.st_size);
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

void InputFile::read(void* target, std::size_t bytes, std::uint64_t offset) const {
  auto* next = static_cast<std::byte*>(target);
  while (bytes > 0) {
    const ssize_t got = ::pread(descriptor_, next, std::min(bytes, kMostAtOnce), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int error = errno;
      throw IOError(fmt::format("[{}] \"{}\" cannot be read at byte {}: {}; {}", operation_, path_, offset,
                                reason(error), hint_for(error)));
    }
    if (got == 0) {
      throw IOError(fmt::format("[{}] \"{}\" ends at byte {}, {} bytes too early; write or copy it again",
                                operation_, path_, offset, bytes));
    }
    next += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

std::shared_ptr<const std::byte> InputFile::map() const {
  const auto bytes = static_cast<std::size_t>(size_);
  void* const data = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (data == MAP_FAILED) {
    const int error = errno;
    throw IOError(fmt::format("[{}] \"{}\" cannot be mapped into memory: {}; read it without memory_map",
                              operation_, path_, reason(error)));
  }
  return {static_cast<const std::byte*>(data),
          [bytes](const std::byte* start) { ::munmap(const_cast<std::byte*>(start), bytes); }};
}

OutputFile::OutputFile(const char* operation, std::string path)
    : operation_(operation), path_(std::move(path)), target_(path_) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(path_, ignored)) {
    const auto resolved = std::filesystem::weakly_canonical(path_, ignored);
    if (!ignored) target_ = resolved.string();
  }
  struct stat info = {};
  if (::stat(target_.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    static std::atomic<int> count{0};
    temporary_ = fmt::format("{}.{}.{}.tmp", target_, ::getpid(), count++);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) fail("cannot be written", errno);
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail(const char* what, int error) const {
  throw IOError(
      fmt::format("[{}] \"{}\" {}: {}; {}", operation_, path_, what, reason(error), hint_for(error)));
}

void OutputFile::write(const void* data, std::size_t bytes) {
  const auto* next = static_cast<const std::byte*>(data);
  while (bytes > 0) {
    const ssize_t put = ::write(descriptor_, next, std::min(bytes, kMostAtOnce));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("cannot be written", errno);
    next += put;
    bytes -= static_cast<std::size_t>(put);
  }
}

void OutputFile::commit() {
  const int closed = ::close(descriptor_);
  const int close_error = errno;
  descriptor_ = -1;
  const bool renamed =
      closed == 0 && (temporary_.empty() || ::rename(temporary_.c_str(), target_.c_str()) == 0);
  if (renamed) return;
  const int error = closed != 0 ? close_error : errno;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  fail("cannot be written", error);
}

}  // namespace tessera
