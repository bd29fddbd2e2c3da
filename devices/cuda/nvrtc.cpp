#include "devices/cuda/nvrtc.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <vector>

#include <nvrtc.h>
#include <tessera/device.hpp>
#include <tessera/error.hpp>

#include "devices/cuda/embedded_headers.hpp"  // made by CMake
#include "devices/cuda/opened_library.hpp"

namespace tessera::cuda {
namespace {

#define TESSERA_NVRTC_FUNCTIONS(X) \
  X(nvrtcCreateProgram)            \
  X(nvrtcCompileProgram)           \
  X(nvrtcDestroyProgram)           \
  X(nvrtcGetProgramLogSize)        \
  X(nvrtcGetProgramLog)            \
  X(nvrtcGetCUBINSize)             \
  X(nvrtcGetCUBIN)                 \
  X(nvrtcGetPTXSize)               \
  X(nvrtcGetPTX)                   \
  X(nvrtcGetNumSupportedArchs)     \
  X(nvrtcGetSupportedArchs)        \
  X(nvrtcVersion)                  \
  X(nvrtcGetErrorString)

[[noreturn]] void fail(const std::string& what) {
  throw DeviceError(std::string("[") + current_operation() + "] " + what);
}

struct Nvrtc : OpenedLibrary {
  TESSERA_NVRTC_FUNCTIONS(TESSERA_LIBRARY_MEMBER)

  Nvrtc() : OpenedLibrary("NVRTC", "libnvrtc.so", TESSERA_CUDA_VERSION_MAJOR) {
    TESSERA_NVRTC_FUNCTIONS(TESSERA_LIBRARY_FIND)
    open_its_builtins();
  }

  void check(nvrtcResult result, const char* call) const {
    if (result != NVRTC_SUCCESS)
      fail(std::string("NVRTC: ") + call + " failed: " + nvrtcGetErrorString(result));
  }

 private:
  /// NVRTC opens a library of its own by name alone, which is found only where the loader searches. It lies
  /// beside NVRTC; once it is open, its name suffices. Where it can't be opened, NVRTC says so.
  void open_its_builtins() const {
    Dl_info info{};
    int major = 0;
    int minor = 0;
    if (nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return;
    if (dladdr(reinterpret_cast<const void*>(nvrtcVersion), &info) == 0 || info.dli_fname == nullptr) return;
    const std::string path = info.dli_fname;
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    const std::string name = "libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor);
    dlopen((folder + name).c_str(), RTLD_LAZY | RTLD_LOCAL);
  }
};

/// Made once; the next call tries again where it failed.
const Nvrtc& nvrtc() {
  static const auto* const instance = new Nvrtc;
  return *instance;
}

/// "-arch=sm_90"; for a GPU that is newer than this NVRTC, code that the driver translates.
std::string architecture_for(const Nvrtc& library, int capability, bool& translated) {
  int count = 0;
  library.check(library.nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> known(static_cast<std::size_t>(count));
  library.check(library.nvrtcGetSupportedArchs(known.data()), "nvrtcGetSupportedArchs");
  translated = std::find(known.begin(), known.end(), capability) == known.end();
  if (!translated) return "-arch=sm_" + std::to_string(capability);
  int best = 0;
  for (const int each : known) {
    if (each < capability) best = std::max(best, each);
  }
  if (best == 0)
    fail("NVRTC compiles for no compute capability as low as " + std::to_string(capability / 10) + "." +
         std::to_string(capability % 10));
  return "-arch=compute_" + std::to_string(best);
}

/// A program of NVRTC's, destroyed whatever happens.
struct Compilation {
  const Nvrtc& library;
  nvrtcProgram program = nullptr;
  explicit Compilation(const Nvrtc& functions) : library(functions) {}
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;
  ~Compilation() {
    if (program != nullptr) library.nvrtcDestroyProgram(&program);
  }
};

}  // namespace

std::string compile_to_code(const std::string& source, int capability) {
  const Nvrtc& library = nvrtc();
  Compilation compilation(library);
  std::vector<const char*> names;
  std::vector<const char*> texts;
  for (const EmbeddedHeader& header : kEmbeddedHeaders) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  library.check(library.nvrtcCreateProgram(&compilation.program, source.c_str(), "program.cu",
                                           static_cast<int>(names.size()), texts.data(), names.data()),
                "nvrtcCreateProgram");
  bool translated = false;
  const std::string architecture = architecture_for(library, capability, translated);
  const std::array<const char*, 5> options = {architecture.c_str(), "-std=c++20", "--fmad=false",
                                              "--device-as-default-execution-space", "-w"};
  const nvrtcResult result =
      library.nvrtcCompileProgram(compilation.program, static_cast<int>(options.size()), options.data());
  if (result != NVRTC_SUCCESS) {
    std::size_t size = 0;
    library.check(library.nvrtcGetProgramLogSize(compilation.program, &size), "nvrtcGetProgramLogSize");
    std::string log(size, '\0');
    library.check(library.nvrtcGetProgramLog(compilation.program, log.data()), "nvrtcGetProgramLog");
    fail(std::string("NVRTC does not compile a program: ") + library.nvrtcGetErrorString(result) + "\n" +
         log);
  }
  std::size_t size = 0;
  if (translated) {
    library.check(library.nvrtcGetPTXSize(compilation.program, &size), "nvrtcGetPTXSize");
    std::string code(size, '\0');
    library.check(library.nvrtcGetPTX(compilation.program, code.data()), "nvrtcGetPTX");
    return code;
  }
  library.check(library.nvrtcGetCUBINSize(compilation.program, &size), "nvrtcGetCUBINSize");
  std::string code(size, '\0');
  library.check(library.nvrtcGetCUBIN(compilation.program, code.data()), "nvrtcGetCUBIN");
  return code;
}

}  // namespace tessera::cuda
