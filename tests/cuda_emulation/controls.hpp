#pragma once

// For tests: the switches of the emulated device's module, which is loaded by path and never linked.

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace tessera::test {

class CudaControls {
 public:
  /// `path` is the module's file. It does not matter whether the registry has loaded it yet.
  explicit CudaControls(const std::string& path) : module_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (module_ == nullptr) throw std::runtime_error(dlerror());
  }

  /// 0: forward, 1: reversed, 2: shuffled.
  void set_order(int order) const { find<void(int)>("set_order")(order); }
  void set_fill(int byte) const { find<void(int)>("set_fill")(byte); }
  void fail_allocation(long first) const { find<void(long)>("fail_allocation")(first); }
  void lose(int device) const { find<void(int)>("lose")(device); }
  void hide_libraries(bool hidden) const { find<void(int)>("hide_libraries")(hidden ? 1 : 0); }
  /// Programs of so many elements or more are compiled.
  void compile_from(long elements) const { find<void(long)>("compile_from")(elements); }
  /// While on, programs are only collected, and don't run; then all are compiled together.
  void collect_programs(bool on) const { find<void(int)>("collect_programs")(on ? 1 : 0); }
  long compilations() const { return find<long()>("compilations")(); }
  void refuse_kernels(bool refused) const { find<void(int)>("refuse_kernels")(refused ? 1 : 0); }
  /// Streams, events and pieces of pinned memory that there are.
  long handles() const { return find<long()>("handles")(); }
  /// How often the host has waited for a queue.
  long waits() const { return find<long()>("waits")(); }
  long pending() const { return find<long()>("pending")(); }

 private:
  template <class F>
  F* find(const std::string& name) const {
    void* symbol = dlsym(module_, ("tessera_cuda_emulation_" + name).c_str());
    if (symbol == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<F*>(symbol);
  }

  void* module_;  // never closed: modules stay
};

}  // namespace tessera::test
