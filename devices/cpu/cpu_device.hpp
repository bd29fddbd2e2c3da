#pragma once

#include <tessera/device.hpp>

namespace tessera::cpu {

/// The host's processor: oneTBB for threads, BLIS for products, vector kernels chosen by instruction set.
/// Synchronous: a kernel has run when it returns. Each kernel's file is named after it.
class CpuDevice final : public DeviceInterface {
 public:
  CpuDevice();

  DeviceProperties properties() const override;

  void* allocate(std::size_t bytes) override;
  void deallocate(void* data, std::size_t bytes) noexcept override;
  void upload(void* target, const void* source, std::size_t bytes) override;
  void download(void* target, const void* source, std::size_t bytes) override;
  void synchronize() override {}

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
};

}  // namespace tessera::cpu
