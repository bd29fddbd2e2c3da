// An array that outlives main: its destructor runs when everything that can be unloaded would have been.

#include <cstdio>
#include <fstream>
#include <string>

#include <tessera/tessera.hpp>

namespace {

bool is_mapped(const std::string& file) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(file) != std::string::npos) return true;
  }
  return false;
}

struct Last {
  std::string module;
  tessera::Array array;

  ~Last() {
    const bool there = is_mapped("libtessera_device_" + module + ".so");
    const double total = tessera::sum(array).item<double>();  // still computes
    std::printf("after main: module %s, sum %g\n", there ? "mapped" : "gone", total);
  }
};

Last last;

}  // namespace

int main(int argc, char** argv) {
  last.module = argc > 1 ? argv[1] : "cpu";
  last.array = tessera::ones({1000}, {.dtype = tessera::float64, .device = tessera::device(last.module)}) * 3;
  std::puts("main ends");
  return 0;
}
