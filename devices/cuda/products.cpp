#include "devices/cuda/products.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/device.hpp>
#include <tessera/error.hpp>

#include <platform/limits.hpp>
#include "devices/cuda/opened_library.hpp"

namespace tessera::cuda {
namespace {

constexpr const char* kLibraryFile = "libcublasLt.so";

// The algorithm is chosen for this many rows, whatever the number of rows is: a row of a product must not
// depend on how many rows are beside it.
constexpr std::int64_t kRowsChosenFor = 4096;

const std::byte* address(const Matrix& matrix, DType dtype, std::int64_t element) {
  return static_cast<const std::byte*>(matrix.data) + element * static_cast<std::int64_t>(itemsize(dtype));
}

}  // namespace

/// The functions that are used, found by name.
struct Products::Library : OpenedLibrary {
  cublasLtHandle_t handle = nullptr;

#define TESSERA_CUBLAS_FUNCTIONS(X)       \
  X(cublasLtCreate)                       \
  X(cublasLtGetStatusString)              \
  X(cublasLtMatmulDescDestroy)            \
  X(cublasLtMatmulDescSetAttribute)       \
  X(cublasLtMatmulDescCreate)             \
  X(cublasLtMatrixLayoutCreate)           \
  X(cublasLtMatrixLayoutDestroy)          \
  X(cublasLtMatrixLayoutSetAttribute)     \
  X(cublasLtMatmulPreferenceCreate)       \
  X(cublasLtMatmulPreferenceDestroy)      \
  X(cublasLtMatmulPreferenceSetAttribute) \
  X(cublasLtMatmulAlgoGetHeuristic)       \
  X(cublasLtMatmulAlgoCheck)              \
  X(cublasLtMatmulAlgoConfigGetAttribute) \
  X(cublasLtMatmul)

  TESSERA_CUBLAS_FUNCTIONS(TESSERA_LIBRARY_MEMBER)

  Library() : OpenedLibrary("cuBLAS", kLibraryFile, CUBLAS_VER_MAJOR) {
    TESSERA_CUBLAS_FUNCTIONS(TESSERA_LIBRARY_FIND)
    check(cublasLtCreate(&handle), "cublasLtCreate");
  }

  void check(cublasStatus_t status, const char* call) const {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw DeviceError(std::string("[") + current_operation() + "] cuBLAS: " + call +
                      " failed: " + cublasLtGetStatusString(status) + " (status " +
                      std::to_string(static_cast<int>(status)) + ")");
  }
};

namespace {

/// What a call describes to cuBLAS, taken down again whatever happens. cuBLAS is column-major: its A is y,
/// its B is x, its D is out, each read as its transpose.
template <class Library>
class Description {
 public:
  /// Leading dimensions of 0 stand for matrices without gaps.
  Description(const Library& library, const Product& product, std::int64_t rows, std::int64_t batch,
              bool as_stored)
      : library_(library),
        operation_(nullptr, library.cublasLtMatmulDescDestroy),
        a_(nullptr, library.cublasLtMatrixLayoutDestroy),
        b_(nullptr, library.cublasLtMatrixLayoutDestroy),
        d_(nullptr, library.cublasLtMatrixLayoutDestroy) {
    const bool wide = product.dtype == DType::float64;
    const cudaDataType_t type = wide ? CUDA_R_64F : CUDA_R_32F;
    const cublasComputeType_t compute = wide                                   ? CUBLAS_COMPUTE_64F
                                        : product.precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                               : CUBLAS_COMPUTE_32F_PEDANTIC;
    cublasLtMatmulDesc_t created = nullptr;
    library.check(library.cublasLtMatmulDescCreate(&created, compute, type), "cublasLtMatmulDescCreate");
    operation_.reset(created);
    set_transpose(CUBLASLT_MATMUL_DESC_TRANSA, product.y.turned);
    set_transpose(CUBLASLT_MATMUL_DESC_TRANSB, product.x.turned);
    make_layout(a_, type, product.inner, product.columns, product.y, batch, as_stored);
    make_layout(b_, type, rows, product.inner, product.x, batch, as_stored);
    make_layout(d_, type, rows, product.columns, product.out, batch, as_stored);
  }

  cublasLtMatmulDesc_t operation() const { return operation_.get(); }
  cublasLtMatrixLayout_t a() const { return a_.get(); }
  cublasLtMatrixLayout_t b() const { return b_.get(); }
  cublasLtMatrixLayout_t d() const { return d_.get(); }

 private:
  template <class Handle>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, cublasStatus_t (*)(Handle)>;

  void set_transpose(cublasLtMatmulDescAttributes_t attribute, bool turned) {
    const std::int32_t value = turned ? CUBLAS_OP_T : CUBLAS_OP_N;
    library_.check(library_.cublasLtMatmulDescSetAttribute(operation(), attribute, &value, sizeof value),
                   "cublasLtMatmulDescSetAttribute");
  }

  /// A matrix of ours, [rows, columns].
  void make_layout(Owned<cublasLtMatrixLayout_t>& layout, cudaDataType_t type, std::int64_t rows,
                   std::int64_t columns, const Matrix& matrix, std::int64_t batch, bool as_stored) {
    if (matrix.turned) std::swap(rows, columns);
    const std::int64_t leading = as_stored ? matrix.leading : columns;
    cublasLtMatrixLayout_t created = nullptr;
    library_.check(library_.cublasLtMatrixLayoutCreate(&created, type, static_cast<std::uint64_t>(columns),
                                                       static_cast<std::uint64_t>(rows), leading),
                   "cublasLtMatrixLayoutCreate");
    layout.reset(created);
    const auto count = static_cast<std::int32_t>(batch);
    const std::int64_t offset = as_stored ? matrix.batch_stride : rows * columns;
    const auto set = [&](cublasLtMatrixLayoutAttribute_t attribute, const void* value, std::size_t bytes) {
      library_.check(library_.cublasLtMatrixLayoutSetAttribute(created, attribute, value, bytes),
                     "cublasLtMatrixLayoutSetAttribute");
    };
    if (batch > 1) {
      set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
      set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &offset, sizeof offset);
    }
  }

  const Library& library_;
  Owned<cublasLtMatmulDesc_t> operation_;
  Owned<cublasLtMatrixLayout_t> a_;
  Owned<cublasLtMatrixLayout_t> b_;
  Owned<cublasLtMatrixLayout_t> d_;
};

/// Whether an algorithm adds up the inner dimension in one piece.
template <class Library>
bool leaves_inner_whole(const Library& library, const cublasLtMatmulAlgo_t& algorithm) {
  std::int32_t splits = 0;
  std::size_t written = 0;
  const cublasStatus_t status = library.cublasLtMatmulAlgoConfigGetAttribute(
      &algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &splits, sizeof splits, &written);
  return status == CUBLAS_STATUS_SUCCESS && splits <= 1;
}

/// Whether an algorithm takes so many rows, of so many products, without memory of its own.
template <class Library>
bool takes(const Library& library, const Product& product, std::int64_t rows, std::int64_t batch,
           const cublasLtMatmulAlgo_t& algorithm) {
  const Description description(library, product, rows, batch, false);
  cublasLtMatmulHeuristicResult_t result{};
  const cublasStatus_t status =
      library.cublasLtMatmulAlgoCheck(library.handle, description.operation(), description.a(),
                                      description.b(), description.d(), description.d(), &algorithm, &result);
  return status == CUBLAS_STATUS_SUCCESS && result.state == CUBLAS_STATUS_SUCCESS &&
         result.workspaceSize == 0;
}

/// Algorithms that split the inner dimension are out, and so are those that want more than the element's
/// alignment: both would make a row depend on where it lies. The first that takes one row, the most of a
/// call, and several products at once is taken; where none does, the first.
template <class Library>
cublasLtMatmulAlgo_t choose(const Library& library, const Product& product) {
  const Description description(library, product, kRowsChosenFor, 1, false);
  cublasLtMatmulPreference_t preference = nullptr;
  library.check(library.cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  const std::unique_ptr<std::remove_pointer_t<cublasLtMatmulPreference_t>,
                        decltype(library.cublasLtMatmulPreferenceDestroy)>
      destroyed(preference, library.cublasLtMatmulPreferenceDestroy);
  const std::uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_NONE;
  const auto alignment = static_cast<std::uint32_t>(itemsize(product.dtype));
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, const std::uint32_t& value) {
    library.check(library.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value),
                  "cublasLtMatmulPreferenceSetAttribute");
  };
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, schemes);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment);
  std::array<cublasLtMatmulHeuristicResult_t, 16> results{};
  int found = 0;
  library.check(
      library.cublasLtMatmulAlgoGetHeuristic(library.handle, description.operation(), description.a(),
                                             description.b(), description.d(), description.d(), preference,
                                             static_cast<int>(results.size()), results.data(), &found),
      "cublasLtMatmulAlgoGetHeuristic");
  const cublasLtMatmulAlgo_t* first = nullptr;
  for (int i = 0; i < found; ++i) {
    const cublasLtMatmulHeuristicResult_t& result = results[static_cast<std::size_t>(i)];
    if (result.state != CUBLAS_STATUS_SUCCESS || !leaves_inner_whole(library, result.algo)) continue;
    if (takes(library, product, 1, 1, result.algo) && takes(library, product, kRowsPerCall, 1, result.algo) &&
        takes(library, product, kRowsChosenFor, 2, result.algo)) {
      return result.algo;
    }
    if (first == nullptr) first = &result.algo;
  }
  if (first != nullptr) return *first;
  throw DeviceError(std::string("[") + current_operation() + "] cuBLAS has no algorithm for a product with " +
                    std::to_string(product.columns) + " columns and an inner dimension of " +
                    std::to_string(product.inner) + " that leaves the inner dimension whole");
}

}  // namespace

Products::Products() = default;
Products::~Products() = default;

Products::Library& Products::library() {
  if (library_ == nullptr) {
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t total = 0;
    cudaMemGetInfo(&before, &total);
    library_ = std::make_unique<Library>();
    cudaMemGetInfo(&after, &total);
    library_bytes_ = before > after ? static_cast<std::int64_t>(before - after) : 0;
  }
  return *library_;
}

cublasLtMatmulAlgo_t Products::algorithm(const Product& product) {
  // Neither the rows nor the memory of the matrices take part.
  const std::string key = std::to_string(static_cast<int>(product.dtype)) + "," +
                          std::to_string(static_cast<int>(product.precision)) + "," +
                          std::to_string(product.columns) + "," + std::to_string(product.inner) +
                          (product.x.turned ? ",x" : "") + (product.y.turned ? ",y" : "");
  const auto known = algorithms_.find(key);
  if (known != algorithms_.end()) return known->second;
  constexpr std::size_t kMostKept = 1000;
  if (algorithms_.size() >= kMostKept) algorithms_.clear();
  return algorithms_.emplace(key, choose(library(), product)).first->second;
}

/// As many columns as one call takes.
void Products::run_columns(cudaStream_t stream, const Product& product) {
  const Library& calls = library();
  const cublasLtMatmulAlgo_t chosen = algorithm(product);
  const double one = 1;
  const double zero = 0;
  const float narrow_one = 1;
  const float narrow_zero = 0;
  const bool wide = product.dtype == DType::float64;
  const void* const alpha = wide ? static_cast<const void*>(&one) : &narrow_one;
  const void* const beta = wide ? static_cast<const void*>(&zero) : &narrow_zero;
  for (std::int64_t batch = 0; batch < product.batch; batch += kBatchPerCall) {
    for (std::int64_t row = 0; row < product.rows; row += kRowsPerCall) {
      const std::int64_t rows = std::min(kRowsPerCall, product.rows - row);
      const Description description(calls, product, rows, std::min(kBatchPerCall, product.batch - batch),
                                    true);
      const auto* const x =
          address(product.x, product.dtype,
                  batch * product.x.batch_stride + row * (product.x.turned ? 1 : product.x.leading));
      const auto* const y = address(product.y, product.dtype, batch * product.y.batch_stride);
      auto* const out = const_cast<std::byte*>(
          address(product.out, product.dtype, batch * product.out.batch_stride + row * product.out.leading));
      calls.check(calls.cublasLtMatmul(calls.handle, description.operation(), alpha, y, description.a(), x,
                                       description.b(), beta, out, description.d(), out, description.d(),
                                       &chosen, nullptr, 0, stream),
                  "cublasLtMatmul");
    }
  }
}

void Products::run(cudaStream_t stream, const Product& product) {
  const std::lock_guard lock(mutex_);
  // Pieces are of nearly the same size: none is so small that its sums run in another order.
  const std::int64_t pieces = (product.columns + kColumnsPerCall - 1) / kColumnsPerCall;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::int64_t first = product.columns * piece / pieces;
    Product part = product;
    part.columns = product.columns * (piece + 1) / pieces - first;
    part.y.data = const_cast<std::byte*>(
        address(product.y, product.dtype, first * (product.y.turned ? product.y.leading : 1)));
    part.out.data = const_cast<std::byte*>(address(product.out, product.dtype, first));
    run_columns(stream, part);
  }
}

std::string Products::description() {
  const std::string version = std::to_string(CUBLAS_VER_MAJOR);
  return "cuBLAS " + version + " (" + kLibraryFile + "." + version + "), opened at the first product";
}

}  // namespace tessera::cuda
