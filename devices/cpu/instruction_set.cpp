#include "devices/cpu/instruction_set.hpp"

#include <cstdlib>
#include <string_view>

#include <hwy/highway.h>

#include <tessera/error.hpp>

namespace tessera::cpu {

void choose_instruction_set() {
  constexpr const char* variable = "TESSERA_CPU_FEATURES";
  const char* text = std::getenv(variable);
  const std::string_view most = text == nullptr ? "" : text;
  if (most.empty() || most == "avx512") return;
  if (most == "avx2") {
    hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL);
  } else if (most == "baseline") {
    hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL | HWY_AVX2);
  } else {
    throw ValueError(std::string("[device] ") + variable + " is \"" + std::string(most) +
                     "\"; it takes avx512, avx2 or baseline");
  }
}

std::string instruction_set() {
  const auto targets = hwy::SupportedTargets();
  if ((targets & HWY_AVX3) != 0) return "AVX-512";
  if ((targets & HWY_AVX2) != 0) return "AVX2";
  return "baseline";
}

std::string processor_features() {
  std::string features;
  const auto note = [&](bool has, const char* feature) {
    if (!has) return;
    if (!features.empty()) features += ' ';
    features += feature;
  };
  note(__builtin_cpu_supports("avx2") != 0, "avx2");
  note(__builtin_cpu_supports("fma") != 0, "fma");
  note(__builtin_cpu_supports("avx512f") != 0, "avx512f");
  note(__builtin_cpu_supports("avx512dq") != 0, "avx512dq");
  note(__builtin_cpu_supports("avx512bw") != 0, "avx512bw");
  note(__builtin_cpu_supports("avx512vl") != 0, "avx512vl");
  note(__builtin_cpu_supports("avx512bf16") != 0, "avx512bf16");
  return features;
}

}  // namespace tessera::cpu
