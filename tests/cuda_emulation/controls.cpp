// The switches of the emulated device, for tests that find them by name (controls.hpp).

#include <cstddef>

#include "compiler.hpp"
#include "emulation/libraries.hpp"
#include "emulation/runtime.hpp"
#include "emulation/settings.hpp"

#define TESSERA_CUDA_CONTROL extern "C" __attribute__((visibility("default")))

/// 0: forward, 1: reversed, 2: shuffled.
TESSERA_CUDA_CONTROL void tessera_cuda_emulation_set_order(int order) {
  cuda_emulation::settings().order = static_cast<cuda_emulation::Order>(order);
}
TESSERA_CUDA_CONTROL void tessera_cuda_emulation_set_fill(int byte) {
  cuda_emulation::settings().fill = static_cast<unsigned char>(byte);
}
TESSERA_CUDA_CONTROL void tessera_cuda_emulation_fail_allocation(long first) {
  cuda_emulation::fail_allocation(first);
}
TESSERA_CUDA_CONTROL void tessera_cuda_emulation_lose(int device) {
  cuda_emulation::lose(device);
}
TESSERA_CUDA_CONTROL void tessera_cuda_emulation_hide_libraries(int hidden) {
  cuda_emulation::hide_libraries(hidden != 0);
}
TESSERA_CUDA_CONTROL long tessera_cuda_emulation_pending() {
  return static_cast<long>(cuda_emulation::pending());
}
TESSERA_CUDA_CONTROL void tessera_cuda_emulation_refuse_kernels(int refused) {
  cuda_emulation::refuse_kernels(refused != 0);
}
TESSERA_CUDA_CONTROL long tessera_cuda_emulation_handles() {
  return static_cast<long>(cuda_emulation::handles());
}
TESSERA_CUDA_CONTROL long tessera_cuda_emulation_waits() {
  return cuda_emulation::waits();
}
/// Programs of so many elements or more are compiled.
TESSERA_CUDA_CONTROL void tessera_cuda_emulation_compile_from(long elements) {
  cuda_emulation::settings().fewest_compiled_elements = elements;
}
TESSERA_CUDA_CONTROL long tessera_cuda_emulation_compilations() {
  return cuda_emulation::compilations;
}
/// While on, programs are only collected, and don't run; then all are compiled together.
TESSERA_CUDA_CONTROL void tessera_cuda_emulation_collect_programs(int on) {
  cuda_emulation::collect(on != 0);
}
