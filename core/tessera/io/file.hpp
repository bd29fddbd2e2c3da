#pragma once

// Internal to core: files, with errors in words.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tessera {

/// A regular file that is open for reading.
class InputFile {
 public:
  /// Throws IOError where it cannot be opened or is no regular file.
  InputFile(const char* operation, std::string path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// Exactly `bytes` bytes from `offset` on; throws IOError where the file ends before.
  void read(void* target, std::size_t bytes, std::uint64_t offset) const;
  /// The whole file in memory, read-only; unmapped when the last owner lets go.
  std::shared_ptr<const std::byte> map() const;

 private:
  const char* operation_;
  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

/// A file that appears under its name only when it is complete: written beside it, then renamed. A path
/// that is no regular file (a device, a pipe) is written directly.
class OutputFile {
 public:
  /// Throws IOError where it cannot be made.
  OutputFile(const char* operation, std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes what was written unless it was committed.
  ~OutputFile();

  void write(const void* data, std::size_t bytes);
  /// Closes and renames.
  void commit();

 private:
  [[noreturn]] void fail(const char* what, int error) const;

  const char* operation_;
  std::string path_;       ///< as it was given
  std::string target_;     ///< where a symbolic link leads
  std::string temporary_;  ///< empty where written directly
  int descriptor_ = -1;
};

}  // namespace tessera
