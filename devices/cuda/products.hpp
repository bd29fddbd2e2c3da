#pragma once

// Products of float matrices by cuBLAS (its light interface), opened at the first need.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <tessera/dtype.hpp>
#include <tessera/kernel_ops.hpp>

namespace tessera::cuda {

/// A matrix in device memory whose rows or columns lie without gaps, as cuBLAS takes it, row-major in our
/// words: element (i, j) is at i * leading + j, or, if `turned`, at j * leading + i.
struct Matrix {
  void* data = nullptr;
  std::int64_t leading = 0;
  std::int64_t batch_stride = 0;
  bool turned = false;
};

/// out[b] = x[b] @ y[b].
struct Product {
  DType dtype{};
  Precision precision{};
  std::int64_t batch = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
  Matrix x;
  Matrix y;
  Matrix out;  ///< never turned
};

class Products {
 public:
  Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;
  ~Products();

  /// All extents are positive. Throws DeviceError with cuBLAS's words, and where there is no cuBLAS.
  void run(cudaStream_t stream, const Product& product);

  /// For `tessera devices`; the same before and after the first product.
  static std::string description();
  std::int64_t library_bytes() const { return library_bytes_; }

 private:
  struct Library;

  Library& library();
  void run_columns(cudaStream_t stream, const Product& product);
  cublasLtMatmulAlgo_t algorithm(const Product& product);

  std::mutex mutex_;
  std::unique_ptr<Library> library_;
  std::map<std::string, cublasLtMatmulAlgo_t> algorithms_;
  std::atomic<std::int64_t> library_bytes_{0};
};

}  // namespace tessera::cuda
