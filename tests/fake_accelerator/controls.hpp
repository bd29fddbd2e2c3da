#pragma once

// For tests: the switches of the fake accelerator's module, which is loaded by path and never linked.

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace tessera::fake {

class Controls {
 public:
  /// `path` is the module's file. It does not matter whether the registry has loaded it yet.
  explicit Controls(const std::string& path) : module_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (module_ == nullptr) throw std::runtime_error(dlerror());
  }

  void fail_allocations(int device, long first, long count = 1) const {
    find<void(int, long, long)>("tessera_fake_fail_allocations")(device, first, count);
  }
  void fail_operation(int device, long nth) const {
    find<void(int, long)>("tessera_fake_fail_operation")(device, nth);
  }
  void lose(int device) const { find<void(int)>("tessera_fake_lose")(device); }
  void reset(int device) const { find<void(int)>("tessera_fake_reset")(device); }
  long pending(int device) const { return find<long(int)>("tessera_fake_pending")(device); }

 private:
  template <class F>
  F* find(const char* name) const {
    void* symbol = dlsym(module_, name);
    if (symbol == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<F*>(symbol);
  }

  void* module_;  // never closed: modules stay
};

}  // namespace tessera::fake
