// devices/cuda/compiler.cpp for the emulation: the same source, compiled by the host's compiler.

#include "devices/cuda/compiler.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <span>
#include <sstream>
#include <vector>

#include <tessera/device.hpp>
#include <tessera/error.hpp>

#include "compiler.hpp"
#include "emulation/block.hpp"
#include "emulation/libraries.hpp"
#include "emulation/runtime.hpp"
#include "generated/calls.hpp"

namespace cuda_emulation {

long compilations = 0;

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw tessera::DeviceError(std::string("[") + tessera::current_operation() + "] " + what);
}

/// What generated code calls of the emulation, which it cannot link to.
const Calls& calls() {
  static const Calls instance{
      .position = &position,
      .synchronize = [](const std::source_location& where) { Block::running().synchronize(where); },
      .exchange =
          [](unsigned mask, std::uint64_t word, int source, const char* operation,
             const std::source_location& where) {
            Block& block = Block::running();
            block.exchange(mask, word, operation, where);
            return block.lane_word(source);
          },
      .lane = [] { return Block::running().lane(); },
      .shared = [](const void* key, std::size_t bytes,
                   std::size_t alignment) { return Block::running().shared().array(key, bytes, alignment); }};
  return instance;
}

/// A folder that goes with everything in it.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera-program-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) fail("there is no folder for temporary files");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Without a function until it is compiled.
struct Kernel {
  std::string source;
  std::string name;
  void (*function)(const tessera::cuda::ProgramArguments&) = nullptr;
};

bool collecting = false;
std::vector<Kernel*> collected;

/// In one translation unit: most of its time goes into headers.
void compile(std::span<Kernel* const> kernels) {
  const Folder folder;
  std::string text;
  const auto name_of = [&](std::size_t i) { return kernels[i]->name + "_" + std::to_string(i); };
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Kernel& kernel = *kernels[i];
    std::string source = kernel.source;
    source.replace(source.find(kernel.name + "("), kernel.name.size(), name_of(i));
    text += source;
  }
  std::ofstream(folder / "program.cpp") << text;
  // TESSERA_GENERATED_COMPILER: the compiler with its options.
  const std::string command = TESSERA_GENERATED_COMPILER " -o " + (folder / "program.so").string() + " " +
                              (folder / "program.cpp").string() + " >" + (folder / "log").string() + " 2>&1";
  if (std::system(command.c_str()) != 0) {  // NOLINT(cert-env33-c): a command of this file's own
    fail("the host's compiler does not compile a program: " + text_of(folder / "log") + text);
  }
  void* const library = dlopen((folder / "program.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(dlerror());
  const auto bind = reinterpret_cast<void (*)(const Calls*)>(dlsym(library, "tessera_bind"));
  bind(&calls());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i]->function = reinterpret_cast<void (*)(const tessera::cuda::ProgramArguments&)>(
        dlsym(library, name_of(i).c_str()));
    ++compilations;
  }
}

}  // namespace

void collect(bool on) {
  collecting = on;
  if (on) return;
  constexpr std::size_t kAtOnce = 100;
  const std::span<Kernel* const> all = collected;
  for (std::size_t first = 0; first < all.size(); first += kAtOnce) {
    compile(all.subspan(first, std::min(kAtOnce, all.size() - first)));
  }
  collected.clear();
}

}  // namespace cuda_emulation

namespace tessera::cuda {

CompiledKernel compile_kernel(const std::string& source, const std::string& name, int /*capability*/) {
  using namespace cuda_emulation;  // NOLINT(google-build-using-namespace)
  if (libraries_are_hidden()) fail("the compiler cannot be opened");
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static std::deque<Kernel> kernels;
  kernels.push_back({source, name});
  Kernel* const kernel = &kernels.back();
  if (collecting) {
    collected.push_back(kernel);
  } else {
    compile({&kernel, 1});
  }
  return kernel;
}

cudaError_t launch_compiled(CompiledKernel kernel, dim3 grid, dim3 block, cudaStream_t stream,
                            const ProgramArguments& arguments) {
  const auto function = static_cast<const cuda_emulation::Kernel*>(kernel)->function;
  if (function == nullptr) return cudaSuccess;  // only collected yet: the results are of no meaning
  return cuda_emulation::enqueue_grid(grid, block, 0, stream, [function, arguments] { function(arguments); });
}

}  // namespace tessera::cuda
