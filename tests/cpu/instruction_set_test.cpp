// The vector kernels that run are the best that the processor has and TESSERA_CPU_FEATURES allows.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include <tessera/device.hpp>
#include <tessera/tessera.hpp>

namespace tessera::test {
namespace {

std::string best_of_processor() {
  const bool avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0;
  if (avx512) return "AVX-512";
  return __builtin_cpu_supports("avx2") != 0 ? "AVX2" : "baseline";
}

std::string expected() {
  const char* allowed = std::getenv("TESSERA_CPU_FEATURES");
  const std::string best = best_of_processor();
  if (allowed == nullptr || best == "baseline") return best;
  if (std::string(allowed) == "avx2") return "AVX2";
  return std::string(allowed) == "baseline" ? "baseline" : best;
}

TEST(InstructionSetTest, IsTheBestThatIsAllowed) {
  std::string chosen;
  for (const auto& [name, value] : device("cpu").properties().details) {
    if (name == "vector kernels") chosen = value;
  }
  EXPECT_EQ(chosen, expected());
}

}  // namespace
}  // namespace tessera::test
