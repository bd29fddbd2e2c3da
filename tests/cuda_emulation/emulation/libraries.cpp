// Products as cuBLAS's light interface takes them: column-major, leading dimensions, an algorithm that was
// asked for before. Checks what the library checks, and what it leaves to the caller.

#include "libraries.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include <cublasLt.h>

#include "runtime.hpp"
#include "settings.hpp"

namespace cuda_emulation {
namespace {

struct Descriptor {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  std::int32_t transpose_a = CUBLAS_OP_N;
  std::int32_t transpose_b = CUBLAS_OP_N;
};

struct MatrixLayout {
  cudaDataType type;
  std::uint64_t rows;
  std::uint64_t columns;
  std::int64_t leading;
  std::int32_t batch = 1;
  std::int64_t batch_offset = 0;
};

struct Preference {
  std::uint32_t reduction_schemes = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::uint32_t alignment[4] = {256, 256, 256, 256};
};

/// What an algorithm was chosen for, kept inside of it.
struct Choice {
  std::uint64_t magic = 0x7e55e7a;
  std::uint32_t compute = 0;
  std::uint16_t transpose_a = 0;
  std::uint16_t transpose_b = 0;
  std::uint32_t alignment = 0;
  std::uint32_t splits = 0;  ///< of the inner dimension
  std::uint64_t most_rows = 0;
  std::uint32_t most_products = 0;  ///< of a batch
  std::uint64_t n = 0;              ///< rows of D
  std::uint64_t k = 0;
};
static_assert(sizeof(Choice) <= sizeof(cublasLtMatmulAlgo_t));

template <class Inner, class Handle>
Inner* inner(Handle handle) {
  return reinterpret_cast<Inner*>(handle);
}

template <class T>
bool read(T& target, const void* source, std::size_t bytes) {
  if (bytes != sizeof target) return false;
  std::memcpy(&target, source, bytes);
  return true;
}

cublasStatus_t status(bool good) {
  return good ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

// ---- handles

cublasStatus_t create(cublasLtHandle_t* handle) {
  static int library = 0;
  *handle = reinterpret_cast<cublasLtHandle_t>(&library);
  return CUBLAS_STATUS_SUCCESS;
}

const char* status_string(cublasStatus_t code) {
  return code == CUBLAS_STATUS_SUCCESS ? "success" : "an error of the emulation";
}

cublasStatus_t descriptor_create(cublasLtMatmulDesc_t* result, cublasComputeType_t compute,
                                 cudaDataType_t scale) {
  *result = reinterpret_cast<cublasLtMatmulDesc_t>(new Descriptor{compute, scale});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t descriptor_destroy(cublasLtMatmulDesc_t handle) {
  delete inner<Descriptor>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t descriptor_set(cublasLtMatmulDesc_t handle, cublasLtMatmulDescAttributes_t attribute,
                              const void* value, std::size_t bytes) {
  Descriptor& descriptor = *inner<Descriptor>(handle);
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA: return status(read(descriptor.transpose_a, value, bytes));
    case CUBLASLT_MATMUL_DESC_TRANSB: return status(read(descriptor.transpose_b, value, bytes));
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

cublasStatus_t layout_create(cublasLtMatrixLayout_t* result, cudaDataType type, std::uint64_t rows,
                             std::uint64_t columns, std::int64_t leading) {
  if (rows == 0 || columns == 0 || leading < static_cast<std::int64_t>(rows))
    return CUBLAS_STATUS_INVALID_VALUE;
  *result = reinterpret_cast<cublasLtMatrixLayout_t>(new MatrixLayout{type, rows, columns, leading});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t layout_destroy(cublasLtMatrixLayout_t handle) {
  delete inner<MatrixLayout>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t layout_set(cublasLtMatrixLayout_t handle, cublasLtMatrixLayoutAttribute_t attribute,
                          const void* value, std::size_t bytes) {
  MatrixLayout& layout = *inner<MatrixLayout>(handle);
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return status(read(layout.batch, value, bytes));
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return status(read(layout.batch_offset, value, bytes));
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

cublasStatus_t preference_create(cublasLtMatmulPreference_t* result) {
  *result = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t preference_destroy(cublasLtMatmulPreference_t handle) {
  delete inner<Preference>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t preference_set(cublasLtMatmulPreference_t handle,
                              cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                              std::size_t bytes) {
  Preference& preference = *inner<Preference>(handle);
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return status(read(preference.reduction_schemes, value, bytes));
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      return status(read(preference.alignment[0], value, bytes));
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      return status(read(preference.alignment[1], value, bytes));
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      return status(read(preference.alignment[2], value, bytes));
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return status(read(preference.alignment[3], value, bytes));
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

// ---- products

/// The product as it will be computed: D[n, m] = op(A)[n, k] op(B)[k, m].
struct Problem {
  Descriptor descriptor{};
  MatrixLayout a{};
  MatrixLayout b{};
  MatrixLayout d{};
  std::uint64_t inner = 0;
};

bool make_problem(cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                  cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, Problem& problem) {
  problem.descriptor = *inner<Descriptor>(operation);
  problem.a = *inner<MatrixLayout>(a);
  problem.b = *inner<MatrixLayout>(b);
  problem.d = *inner<MatrixLayout>(d);
  const auto& [descriptor, left, right, out, unused] = problem;
  const bool turned_a = descriptor.transpose_a == CUBLAS_OP_T;
  const bool turned_b = descriptor.transpose_b == CUBLAS_OP_T;
  const std::uint64_t n = turned_a ? left.columns : left.rows;
  const std::uint64_t k = turned_a ? left.rows : left.columns;
  const std::uint64_t k_of_b = turned_b ? right.columns : right.rows;
  const std::uint64_t m = turned_b ? right.rows : right.columns;
  const bool float32 =
      left.type == CUDA_R_32F && descriptor.scale == CUDA_R_32F &&
      (descriptor.compute == CUBLAS_COMPUTE_32F || descriptor.compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
       descriptor.compute == CUBLAS_COMPUTE_32F_FAST_TF32);
  const bool float64 =
      left.type == CUDA_R_64F && descriptor.scale == CUDA_R_64F &&
      (descriptor.compute == CUBLAS_COMPUTE_64F || descriptor.compute == CUBLAS_COMPUTE_64F_PEDANTIC);
  problem.inner = k;
  return c == d && (float32 || float64) && right.type == left.type && out.type == left.type && k == k_of_b &&
         out.rows == n && out.columns == m && left.batch == out.batch && right.batch == out.batch;
}

struct Offer {
  std::uint64_t most_rows;
  std::uint32_t splits;
  std::uint32_t most_products;
};

cublasStatus_t heuristic(cublasLtHandle_t /*handle*/, cublasLtMatmulDesc_t operation,
                         cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                         cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference_handle,
                         int requested, cublasLtMatmulHeuristicResult_t* results, int* count) {
  Problem problem;
  if (requested < 1 || !make_problem(operation, a, b, c, d, problem)) return CUBLAS_STATUS_INVALID_VALUE;
  const Preference& preference = *inner<Preference>(preference_handle);
  if (preference.reduction_schemes != CUBLASLT_REDUCTION_SCHEME_NONE) {
    violation("cuBLAS was left free to split a product's inner dimension: rows would depend on their number");
  }
  Choice choice;
  choice.compute = problem.descriptor.compute;
  choice.transpose_a = static_cast<std::uint16_t>(problem.descriptor.transpose_a);
  choice.transpose_b = static_cast<std::uint16_t>(problem.descriptor.transpose_b);
  choice.alignment = *std::min_element(std::begin(preference.alignment), std::end(preference.alignment));
  choice.n = problem.d.rows;
  choice.k = problem.inner;
  // The best is for few rows, the next for a single product, another splits the inner dimension after all;
  // the last will do.
  constexpr std::uint64_t any = ~std::uint64_t{0};
  constexpr std::uint32_t any_batch = ~std::uint32_t{0};
  const Offer offers[] = {{64, 0, any_batch}, {any, 0, 1}, {any, 4, any_batch}, {any, 1, any_batch}};
  *count = 0;
  for (const Offer& offer : offers) {
    if (*count == requested) break;
    choice.most_rows = offer.most_rows;
    choice.splits = offer.splits;
    choice.most_products = offer.most_products;
    cublasLtMatmulHeuristicResult_t& result = results[(*count)++];
    std::memset(&result, 0, sizeof result);
    std::memcpy(&result.algo, &choice, sizeof choice);
    result.state = CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t algorithm_check(cublasLtHandle_t /*handle*/, cublasLtMatmulDesc_t operation,
                               cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                               cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t* algorithm,
                               cublasLtMatmulHeuristicResult_t* result) {
  Problem problem;
  if (!make_problem(operation, a, b, c, d, problem)) return CUBLAS_STATUS_INVALID_VALUE;
  Choice choice;
  std::memcpy(static_cast<void*>(&choice), algorithm, sizeof choice);
  if (choice.magic != Choice{}.magic || choice.most_rows < problem.d.columns ||
      choice.most_products < static_cast<std::uint64_t>(problem.d.batch)) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  result->state = CUBLAS_STATUS_SUCCESS;
  result->workspaceSize = 0;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t algorithm_get(const cublasLtMatmulAlgo_t* algorithm,
                             cublasLtMatmulAlgoConfigAttributes_t attribute, void* value, std::size_t bytes,
                             std::size_t* written) {
  Choice choice;
  std::memcpy(static_cast<void*>(&choice), algorithm, sizeof choice);
  const auto splits = static_cast<std::int32_t>(choice.splits);
  if (attribute != CUBLASLT_ALGO_CONFIG_SPLITK_NUM || bytes != sizeof splits) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  std::memcpy(value, &splits, sizeof splits);
  *written = sizeof splits;
  return CUBLAS_STATUS_SUCCESS;
}

/// 10 bits of mantissa, to nearest even.
float to_tf32(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7f800000U) != 0x7f800000U) bits += 0xfffU + ((bits >> 13U) & 1U);
  bits &= 0xffffe000U;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
std::vector<T> packed(const T* data, std::uint64_t rows, std::uint64_t columns, std::int64_t leading,
                      bool turned, bool tf32) {
  std::vector<T> result(rows * columns);  // column-major, rows x columns
  for (std::uint64_t j = 0; j < columns; ++j) {
    for (std::uint64_t i = 0; i < rows; ++i) {
      const auto ld = static_cast<std::uint64_t>(leading);
      T value = turned ? data[i * ld + j] : data[j * ld + i];
      if constexpr (sizeof(T) == 4) value = tf32 ? to_tf32(value) : value;
      result[j * rows + i] = value;
    }
  }
  return result;
}

/// Each element sums along the inner dimension in order, whatever the other sizes are.
template <class T>
void multiply(const Problem& problem, T alpha, const T* a, const T* b, T* d) {
  const std::uint64_t n = problem.d.rows;
  const std::uint64_t m = problem.d.columns;
  const std::uint64_t k = problem.inner;
  const bool tf32 = problem.descriptor.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const std::vector<T> left =
      packed(a, n, k, problem.a.leading, problem.descriptor.transpose_a == CUBLAS_OP_T, tf32);
  const std::vector<T> right =
      packed(b, k, m, problem.b.leading, problem.descriptor.transpose_b == CUBLAS_OP_T, tf32);
  std::vector<T> column(n);
  for (std::uint64_t j = 0; j < m; ++j) {
    column.assign(n, T{0});
    for (std::uint64_t p = 0; p < k; ++p) {
      const T factor = right[j * k + p];
      const T* const from = left.data() + p * n;
      for (std::uint64_t i = 0; i < n; ++i) column[i] += from[i] * factor;
    }
    T* const to = d + j * static_cast<std::uint64_t>(problem.d.leading);
    for (std::uint64_t i = 0; i < n; ++i) to[i] = alpha * column[i];
  }
}

template <class T>
void multiply_batch(const Problem& problem, T alpha, const void* a, const void* b, void* d) {
  for (std::int64_t i = 0; i < problem.d.batch; ++i) {
    multiply(problem, alpha, static_cast<const T*>(a) + i * problem.a.batch_offset,
             static_cast<const T*>(b) + i * problem.b.batch_offset,
             static_cast<T*>(d) + i * problem.d.batch_offset);
  }
}

double number(const void* data, bool float32) {
  float narrow = 0;
  double wide = 0;
  std::memcpy(float32 ? static_cast<void*>(&narrow) : &wide, data, float32 ? sizeof narrow : sizeof wide);
  return float32 ? static_cast<double>(narrow) : wide;
}

cublasStatus_t matmul(cublasLtHandle_t /*handle*/, cublasLtMatmulDesc_t operation, const void* alpha,
                      const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                      cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                      cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
                      const cublasLtMatmulAlgo_t* algorithm, void* /*workspace*/,
                      std::size_t /*workspace_bytes*/, cudaStream_t stream) {
  Problem problem;
  if (algorithm == nullptr || c != d ||
      !make_problem(operation, a_layout, b_layout, c_layout, d_layout, problem)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  Choice choice;
  std::memcpy(static_cast<void*>(&choice), algorithm, sizeof choice);
  const bool float32 = problem.d.type == CUDA_R_32F;
  const auto aligned = [&](const void* data) {
    return reinterpret_cast<std::uintptr_t>(data) % choice.alignment == 0;
  };
  const bool chosen_for_this =
      choice.magic == Choice{}.magic && choice.splits <= 1 && choice.most_rows >= problem.d.columns &&
      choice.most_products >= static_cast<std::uint64_t>(problem.d.batch) &&
      choice.compute == problem.descriptor.compute && choice.n == problem.d.rows &&
      choice.k == problem.inner && choice.transpose_a == problem.descriptor.transpose_a &&
      choice.transpose_b == problem.descriptor.transpose_b && aligned(a) && aligned(b) && aligned(d);
  if (!chosen_for_this) return CUBLAS_STATUS_NOT_SUPPORTED;
  const double factor = number(alpha, float32);
  if (number(beta, float32) != 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  const cudaError_t error = enqueue(stream, [=] {
    if (float32) {
      multiply_batch<float>(problem, static_cast<float>(factor), a, b, d);
    } else {
      multiply_batch<double>(problem, factor, a, b, d);
    }
  });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

bool hidden = false;
int cublas_lt = 0;

}  // namespace

void* open_library(const char* name, std::string& reason) {
  if (!hidden && std::string_view(name).starts_with("libcublasLt.so")) return &cublas_lt;
  reason = std::string(name) + ": cannot open shared object file: No such file or directory";
  return nullptr;
}

void* find_symbol(void* library, const char* name) {
  if (library != &cublas_lt) return nullptr;
#define SYMBOL(text, function) \
  { #text, reinterpret_cast < void*>(static_cast <decltype(&text)>(function)) }
  static const std::map<std::string_view, void*> symbols = {
      SYMBOL(cublasLtCreate, create),
      SYMBOL(cublasLtGetStatusString, status_string),
      SYMBOL(cublasLtMatmulDescDestroy, descriptor_destroy),
      SYMBOL(cublasLtMatmulDescSetAttribute, descriptor_set),
      SYMBOL(cublasLtMatmulDescCreate, descriptor_create),
      SYMBOL(cublasLtMatrixLayoutCreate, layout_create),
      SYMBOL(cublasLtMatrixLayoutDestroy, layout_destroy),
      SYMBOL(cublasLtMatrixLayoutSetAttribute, layout_set),
      SYMBOL(cublasLtMatmulPreferenceCreate, preference_create),
      SYMBOL(cublasLtMatmulPreferenceDestroy, preference_destroy),
      SYMBOL(cublasLtMatmulPreferenceSetAttribute, preference_set),
      SYMBOL(cublasLtMatmulAlgoGetHeuristic, heuristic),
      SYMBOL(cublasLtMatmulAlgoCheck, algorithm_check),
      SYMBOL(cublasLtMatmulAlgoConfigGetAttribute, algorithm_get),
      SYMBOL(cublasLtMatmul, matmul),
  };
#undef SYMBOL
  const auto symbol = symbols.find(name);
  return symbol == symbols.end() ? nullptr : symbol->second;
}

void hide_libraries(bool next) {
  hidden = next;
}

bool libraries_are_hidden() {
  return hidden;
}

}  // namespace cuda_emulation
