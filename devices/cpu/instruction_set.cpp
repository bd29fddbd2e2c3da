#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/instruction_set.cpp"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle): compiled once a target

#include <hwy/highway.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <tessera/error.hpp>

#include "devices/cpu/instruction_set.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu {
namespace HWY_NAMESPACE {
namespace {

std::int64_t target() {
  return HWY_TARGET;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tessera::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

HWY_EXPORT(target);

namespace {

/// This x86 target and all better ones, those that a later Highway knows too: a better one has a lower bit.
constexpr std::int64_t at_least(std::int64_t wanted) {
  return wanted | (wanted - 1);
}

}  // namespace

void choose_instruction_set() {
  constexpr const char* variable = "TESSERA_CPU_FEATURES";
  const char* text = std::getenv(variable);
  const std::string_view most = text == nullptr ? "" : text;
  if (most.empty() || most == "avx512") return;
  std::int64_t without = at_least(HWY_AVX3);
  if (most == "baseline") {
    without = at_least(HWY_AVX2);
  } else if (most != "avx2") {
    throw ValueError(std::string("[device] ") + variable + " is \"" + std::string(most) +
                     "\"; it takes avx512, avx2 or baseline");
  }
  // Not DisableTargets: in Highway 1.0.3, SupportedTargets undoes that for the calls that are dispatched
  // next.
  hwy::SetSupportedTargetsForTest(hwy::SupportedTargets() & ~without);
}

std::string instruction_set() {
  // What dispatch has chosen, not what it should have.
  const std::int64_t chosen = HWY_DYNAMIC_DISPATCH(target)();
  if ((chosen & at_least(HWY_AVX3)) != 0) return "AVX-512";
  return (chosen & at_least(HWY_AVX2)) != 0 ? "AVX2" : "baseline";
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
#endif
