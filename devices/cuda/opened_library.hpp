#pragma once

// A library that a machine may lack, opened at the first need.

#include <array>
#include <string>

#include <tessera/device.hpp>
#include <tessera/error.hpp>

#include <platform/library.hpp>

// For the list of a library's functions: a member for each, and finding it.
#define TESSERA_LIBRARY_MEMBER(name) decltype(&::name) name = nullptr;
#define TESSERA_LIBRARY_FIND(name) find(#name, name);

namespace tessera::cuda {

class OpenedLibrary {
 public:
  OpenedLibrary(const OpenedLibrary&) = delete;
  OpenedLibrary& operator=(const OpenedLibrary&) = delete;

 protected:
  /// OpenedLibrary("cuBLAS", "libcublasLt.so", 13). Throws DeviceError where it cannot be opened.
  OpenedLibrary(const char* name, const std::string& file, int version) : name_(name) {
    const std::string with_version = file + "." + std::to_string(version);
    const std::string in_toolkit = "/usr/local/cuda/lib64/" + with_version;
    const std::array<const char*, 2> files = {with_version.c_str(), in_toolkit.c_str()};
    std::string reason;
    handle_ = open_library(files, reason);
    if (handle_ == nullptr) {
      refuse("cannot be opened: " + reason + "; install CUDA " + std::to_string(version) + "'s " + name_ +
             ", or add its folder to LD_LIBRARY_PATH");
    }
  }
  ~OpenedLibrary() = default;  // it stays open

  template <class Function>
  void find(const std::string& name, Function*& function) const {
    function = reinterpret_cast<Function*>(find_symbol(handle_, name.c_str()));
    if (function == nullptr) {
      refuse("has no function " + name + ": another version than the module was built with");
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw DeviceError(std::string("[") + current_operation() + "] " + name_ + " " + what);
  }

  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace tessera::cuda
