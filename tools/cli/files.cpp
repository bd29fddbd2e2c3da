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

Array load_file(const std::string& option, const std::string& path, const Device& device, bool map) {
  try {
    return load_npy(path, {.device = device, .memory_map = map && device.host_memory()});
  } catch (const IOError& error) {
    std::string text = error.what();
    if (text.rfind("[load_npy] ", 0) == 0) text.erase(0, std::strlen("[load_npy] "));
    throw IOError(option + ": " + text);
  }
}

void require_writable(const std::string& path) {
  if (path.empty()) fail_output("\"\"", "a file has a name");
  if (std::filesystem::is_directory(path)) fail_output(path, "it is a folder");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    throw CommandError(ExitCode::output, "cannot write " + path + ": there is no folder " + folder.string(),
                       "make that folder, or choose another --output");
  }
  try_to_create(probe_beside(path), path);
}

void require_writable_folder(const std::string& folder) {
  if (folder.empty()) fail_output("\"\"", "a folder has a name");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_output(folder, error.message());
  if (!std::filesystem::is_directory(folder)) fail_output(folder, "it is not a folder");
  try_to_create(probe_beside(folder + "/"), folder);
  for (const char* const name : {"labels.npy", "centers.npy", "summary.json"}) {
    const std::string path = folder + "/" + name;
    if (std::filesystem::is_directory(path)) fail_output(path, "it is a folder");
  }
}

void write_array(const std::string& path, const Array& x) {
  try {
    save_npy(path, x);
  } catch (const IOError& error) {
    throw CommandError(ExitCode::output, error.what(), "choose another --output, or free some space");
  }
}

void write_text(const std::string& path, const std::string& text) {
  // What is no regular file (a device, a pipe) stays what it is.
  const bool direct = std::filesystem::exists(path) && !std::filesystem::is_regular_file(path);
  const std::string temporary = direct ? path : probe_beside(path);
  {
    std::ofstream file(temporary, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
      if (!direct) std::remove(temporary.c_str());
      fail_output(path, "the file system refused it");
    }
  }
  if (direct) return;
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) fail_output(path, error.message());
}

}  // namespace tessera::cli
