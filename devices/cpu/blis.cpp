#include "devices/cpu/blis.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

// Debian builds BLIS three times. This one is used from tasks of oneTBB, one thread a call, so all that it
// must do is to be called from several threads at once, and all three are safe there: the pools of packing
// buffers are behind a mutex in each. They are equally fast so. The serial one is the choice because it has
// no threads that BLIS_NUM_THREADS or OMP_NUM_THREADS could wake, and brings no second runtime of threads
// along.
#include <blis.h>
#undef min
#undef max

#include <tessera/error.hpp>

#include "devices/cpu/instruction_set.hpp"

namespace tessera::cpu {
namespace {

constexpr const char* kVariable = "BLIS_ARCH_TYPE";

/// Set once, before BLIS's first call.
bool chosen_by_user = false;

bool has_avx512() {
  return instruction_set() == "AVX-512" && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0;
}

bool has_avx2() {
  return instruction_set() != "baseline" && __builtin_cpu_supports("avx2") != 0 &&
         __builtin_cpu_supports("fma") != 0;
}

/// BLIS goes by processor names and falls back on slow kernels where it doesn't know one; by what the
/// processor can do there is no such case. Its kernels for AVX2 are the same in `haswell` and `zen3`.
arch_t best_kernels() {
  if (has_avx512()) return BLIS_ARCH_SKX;
  if (has_avx2()) return BLIS_ARCH_HASWELL;
  return BLIS_ARCH_GENERIC;
}

/// The user's choice as a number. BLIS reads a name as 0 (AVX-512, whatever the processor), so names are
/// looked up here.
int user_choice(std::string_view text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    if (number >= 0 && number < BLIS_NUM_ARCHS) return number;
  } else {
    for (int id = 0; id < BLIS_NUM_ARCHS; ++id) {
      if (text == bli_arch_string(static_cast<arch_t>(id))) return id;
    }
  }
  throw ValueError(std::string("[device] ") + kVariable + " is \"" + std::string(text) +
                   "\"; it takes the name or the number of one of BLIS's configurations, or unset it");
}

constexpr num_t blis_type(float /*tag*/) {
  return BLIS_FLOAT;
}
constexpr num_t blis_type(double /*tag*/) {
  return BLIS_DOUBLE;
}

/// One thread, and the small-matrix path off: it sums in another order, by size and layout.
rntm_t one_thread() {
  rntm_t runtime = BLIS_RNTM_INITIALIZER;
  bli_rntm_set_num_threads(1, &runtime);
  bli_rntm_disable_l3_sup(&runtime);
  return runtime;
}

template <class T, class Gemm>
void run_gemm(Gemm gemm, std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b,
              Matrix<T> c) {
  T one{1};
  T zero{0};
  rntm_t runtime = one_thread();
  gemm(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, m, n, k, &one, const_cast<T*>(a.data), a.row_stride,
       a.column_stride, const_cast<T*>(b.data), b.row_stride, b.column_stride, &zero, c.data, c.row_stride,
       c.column_stride, nullptr, &runtime);
}

}  // namespace

void choose_blis_kernels() {
  const char* text = std::getenv(kVariable);
  chosen_by_user = text != nullptr && *text != '\0';
  const std::string users = chosen_by_user ? text : "";
  const int kernels = chosen_by_user ? user_choice(users) : static_cast<int>(best_kernels());
  // The variable is the only way to tell BLIS, which reads it in its first call and never again. Programs
  // that this one starts are to find it as it was.
  setenv(kVariable, std::to_string(kernels).c_str(), 1);
  bli_init();
  if (chosen_by_user) {
    setenv(kVariable, users.c_str(), 1);
  } else {
    unsetenv(kVariable);
  }
}

std::string blis_description() {
  return std::string("BLIS ") + bli_info_get_version_str() + ' ' + bli_arch_string(bli_arch_query_id());
}

std::string blis_chooser() {
  return chosen_by_user ? std::string("by ") + kVariable : "by CPUID";
}

std::int64_t blis_buffer_bytes() {
  pba_t* const buffers = bli_pba_query();
  std::int64_t bytes = 0;
  bli_pba_lock(buffers);
  for (dim_t kind = 0; kind < 3; ++kind) {  // blocks of a, panels of b, panels of c
    pool_t* const pool = bli_pba_pool(kind, buffers);
    bytes += static_cast<std::int64_t>(bli_pool_num_blocks(pool) * bli_pool_block_size(pool));
  }
  bli_pba_unlock(buffers);
  return bytes;
}

void blis_gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const float> b,
               Matrix<float> c) {
  run_gemm<float>(bli_sgemm_ex, m, n, k, a, b, c);
}

void blis_gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const double> a, Matrix<const double> b,
               Matrix<double> c) {
  run_gemm<double>(bli_dgemm_ex, m, n, k, a, b, c);
}

InnerBlocks blis_inner_blocks(DType dtype) {
  const num_t type = dtype == DType::float32 ? blis_type(float{}) : blis_type(double{});
  cntx_t* const context = bli_gks_query_cntx();
  return {bli_cntx_get_blksz_def_dt(type, BLIS_KC, context),
          bli_cntx_get_blksz_max_dt(type, BLIS_KC, context)};
}

}  // namespace tessera::cpu
