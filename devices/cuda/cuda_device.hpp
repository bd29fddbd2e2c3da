#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include <tessera/device.hpp>

#include <platform/kernel.hpp>
#include "devices/cuda/errors.hpp"
#include "devices/cuda/handles.hpp"
#include "devices/cuda/products.hpp"
#include "devices/cuda/programs.hpp"
#include "devices/cuda/staging.hpp"

namespace tessera::cuda {

/// One GPU: one in-order queue, kernels of our own, products by cuBLAS, sorts by CUB. Each kernel's file
/// is named after it. Kernels return before they have run.
class CudaDevice final : public DeviceInterface {
 public:
  explicit CudaDevice(int index);

  DeviceProperties properties() const override;

  void* allocate(std::size_t bytes) override;
  void deallocate(void* data, std::size_t bytes) noexcept override;
  void upload(void* target, const void* source, std::size_t bytes) override;
  void download(void* target, const void* source, std::size_t bytes) override;
  void synchronize() override;

  std::shared_ptr<Event> record() override;
  double elapsed(const Event& start, const Event& stop) override;

  void copy(const View& x, const View& out) override;
  void fill(Scalar value, const View& out) override;
  void iota(Scalar start, Scalar step, const View& out) override;
  void unary(UnaryOp op, const View& x, const View& out) override;
  void binary(BinaryOp op, const View& a, const View& b, const View& out) override;
  void where(const View& condition, const View& a, const View& b, const View& out) override;

  void reduce(ReduceOp op, const View& x, const View& out) override;
  void arg_reduce(ArgReduceOp op, const View& x, const View& out) override;
  void scan(ScanOp op, const View& x, const View& out) override;
  void sort(bool descending, bool indices, const View& x, const View& out) override;

  void matmul(Precision precision, const View& x, const View& y, const View& out) override;

  void take(const View& x, const View& indices, const View& out) override;
  void take_along(const View& x, const View& indices, const View& out) override;
  void scatter(ScatterOp op, const View& indices, const View& updates, const View& target) override;
  void searchsorted(bool right, const View& sorted, const View& values, const View& out) override;
  void nonzero(const View& x, const View& out) override;

  void random_bits(std::uint64_t key, std::uint64_t counter, const View& out) override;

  void program(const Program& program, std::span<const View> inputs, std::span<const View> outputs) override;
  void matmul_argmin(Precision precision, Scalar alpha, const View& x, const View& y, const View& bias,
                     const View& index, const View& score) override;
  std::string_view matmul_argmin_way(Precision precision, DType dtype, std::int64_t features,
                                     std::int64_t centers) const override;

  // ---- for kernels

  /// Makes this the calling thread's device. Throws where it was lost.
  void enter() const;
  /// Throws where a call failed; remembers a lost device.
  void check(cudaError_t error) const;
  /// Throws where the device is lost, though no call of ours has told of it: libraries have words of their
  /// own for that.
  void check_alive() const;

  template <class... Parameters, class... Arguments>
  void enqueue(void (*kernel)(Parameters...), dim3 grid, dim3 block, Arguments&&... arguments) const {
    check(launch(kernel, grid, block, 0, stream(), std::forward<Arguments>(arguments)...));
  }

  /// Enough blocks for `count` threads of work, and no more than keep the device busy.
  dim3 grid_for(std::int64_t count, int block) const;

  /// Bytes for a kernel's own use; what they hold is of no meaning.
  Workspace scratch(std::size_t bytes);
  IndexCheck index_check() const;
  cudaStream_t stream() const { return stream_.get(); }
  int capability() const { return capability_; }
  std::int64_t cache_bytes() const { return properties_.cache_bytes; }

 private:
  void throw_wrong_index();
  /// Of a kernel that all devices need: an error where the module was not built for this one.
  static cudaError_t probe_kernels();

  int index_;
  std::string name_;
  OwnedStream stream_;
  cudaMemPool_t memory_pool_ = nullptr;  ///< CUDA's own, below core's
  DeviceProperties properties_;
  int multiprocessors_ = 1;
  int capability_ = 0;  ///< 90: 9.0
  mutable std::atomic<bool> lost_{false};
  PinnedMemory report_memory_;
  IndexReport* report_ = nullptr;  ///< as the host sees it
  IndexReport* report_on_device_ = nullptr;
  QueuedMemory report_taken_;  ///< an int
  std::mutex report_mutex_;
  Staging staging_;
  Products products_;
  Programs programs_;
};

}  // namespace tessera::cuda
