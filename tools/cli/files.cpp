#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <unistd.h>

#include "command.hpp"

namespace tessera::cli {

namespace {

[[noreturn]] void fail_output(const std::string& path, const std::string& reason) {
  throw CommandError(ExitCode::output, "cannot write " + path + ": " + reason,
                     "choose another --output, or make its folder writable");
}

/// Not by the permission bits: root passes them, and full or read-only file systems don't show in them.
void try_to_create(const std::string& path, const std::string& named) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) fail_output(named, std::strerror(errno));
  std::fclose(file);
  std::remove(path.c_str());
}

std::string probe_beside(const std::string& path) {
  return path + ".probe" + std::to_string(::getpid());
}

}  // namespace

Array load_input(const std::string& path, const Device& device) {
  return load_npy(path, {.device = device, .memory_map = device.host_memory()});
}

void require_writable(const std::string& path) {
  if (std::filesystem::is_directory(path)) fail_output(path, "it is a folder");
  try_to_create(probe_beside(path), path);
}

void require_writable_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_output(folder, error.message());
  if (!std::filesystem::is_directory(folder)) fail_output(folder, "it is not a folder");
  try_to_create(probe_beside(folder + "/"), folder);
}

void write_array(const std::string& path, const Array& x) {
  try {
    save_npy(path, x);
  } catch (const IOError& error) {
    throw CommandError(ExitCode::output, error.what(), "choose another --output, or free some space");
  }
}

void write_text(const std::string& path, const std::string& text) {
  const std::string temporary = probe_beside(path);
  {
    std::ofstream file(temporary, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
      std::remove(temporary.c_str());
      fail_output(path, "the file system refused it");
    }
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) fail_output(path, error.message());
}

}  // namespace tessera::cli
