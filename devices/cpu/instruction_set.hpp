#pragma once

#include <string>

namespace tessera::cpu {

/// Takes TESSERA_CPU_FEATURES into account: "avx512" (or unset: the best that there is), "avx2" or
/// "baseline" is the most that vector kernels may use. Called once, before any kernel runs.
/// Throws ValueError for another word.
void choose_instruction_set();

/// Of the vector kernels: "AVX-512", "AVX2" or "baseline".
std::string instruction_set();

/// The features that kernels are chosen by, as the processor has them: "avx2 fma avx512f ...".
std::string processor_features();

}  // namespace tessera::cpu
