#pragma once

#include <cstdint>
#include <string>

namespace tessera::cpu {

/// Chooses BLIS's kernels by what the processor has, unless the user has chosen. Before BLIS's first call.
void choose_blis_kernels();

/// "BLIS 0.9.0 skx", and who chose: "by CPUID" or "by BLIS_ARCH_TYPE".
std::string blis_description();
std::string blis_chooser();

/// Bytes of BLIS's packing buffers, outside core's pool.
std::int64_t blis_buffer_bytes();

}  // namespace tessera::cpu
