#pragma once

#include <memory>

#include <tessera/device.hpp>
#include <tessera/memory.hpp>

#include "faults.hpp"
#include "memory.hpp"
#include "queue.hpp"

namespace tessera::fake {

/// An accelerator without hardware: memory of its own, a queue that defers, and the reference device for its
/// arithmetic. What it asks of core is what a real one asks.
class FakeDevice final : public DeviceInterface {
 public:
  FakeDevice(int index, std::unique_ptr<DeviceInterface> kernels, Faults& faults);

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
  // program and matmul_argmin: the defaults.

  /// Calls in the queue that have not run.
  std::size_t pending() const { return queue_.pending(); }

 private:
  void require_present() const;
  /// Puts a call of the reference device's kernel into the queue, with views that it can read.
  template <class... Parameters, class... Arguments>
  void enqueue(void (DeviceInterface::*kernel)(Parameters...), const Arguments&... arguments);

  int index_;
  std::unique_ptr<DeviceInterface> kernels_;
  MemoryPool kernels_pool_;
  Faults& faults_;
  DeviceMemory memory_;
  Queue queue_;
};

}  // namespace tessera::fake
