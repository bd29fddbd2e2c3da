#pragma once

// The interface that a device module implements: the whole of it, on one page.
// docs/writing-a-device.md walks through it with a worked example.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/dtype.hpp>
#include <tessera/export.hpp>
#include <tessera/kernel_ops.hpp>
#include <tessera/scalar.hpp>
#include <tessera/shape.hpp>

namespace tessera {

class MemoryPool;
struct Program;

/// What a kernel reads or writes: elements at data + sum(index[i] * strides[i]).
/// Strides count elements and may be 0 (broadcast) or negative. `data` is aligned to the element, no
/// more. Outputs never have stride 0 along a dimension longer than 1, and never overlap an input, except
/// that the output of an element-wise kernel may be exactly one of its inputs (same data, same strides).
struct View {
  void* data = nullptr;
  DType dtype = DType::float32;
  Shape shape;
  Strides strides;
  /// True where `data` is one element in host memory that lives for the call only (all strides are 0).
  /// A device whose memory is the host's needs no care; any other takes the value before it returns.
  bool host_scalar = false;

  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
  std::int64_t size() const { return element_count(shape); }
};

/// A point in a device's queue.
struct Event {
  virtual ~Event() = default;
};

struct DeviceProperties {
  std::string description;         ///< one line: processor, instruction set, libraries
  bool host_memory = false;        ///< the host may read and write allocations directly
  bool asynchronous = false;       ///< kernels return before they have run
  std::int64_t memory_bytes = 0;   ///< in all; 0 if unknown
  std::int64_t cache_bytes = 0;    ///< what a tile may take to stay in cache between two kernels
  std::int64_t library_bytes = 0;  ///< held by libraries themselves, outside the pool
  std::vector<std::pair<std::string, std::string>> details;  ///< for `tessera devices`
};

/// Bytes from the device's pool for the time of a kernel. On an asynchronous device they may be let go
/// as soon as the last kernel that uses them is in the queue: memory is reused in queue order.
class TESSERA_API Workspace {
 public:
  Workspace(MemoryPool& pool, std::size_t bytes);
  Workspace(Workspace&& other) noexcept;
  Workspace& operator=(Workspace&&) = delete;
  ~Workspace();
  void* data() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  MemoryPool* pool_;
  void* data_;
  std::size_t bytes_;
};

/// One device. Calls may come from any thread, several at once; they take effect in some one order.
/// All work enters one queue, in order. Core has checked shapes, dtypes and devices, promoted,
/// broadcast, dropped dimensions of size 1 and merged what can be merged, so element-wise kernels nearly
/// always see one or two dimensions (but must take up to kMaxRank), and the others exactly the ranks
/// given below. Any extent may be 0. Values of indices are the one thing that core cannot check: a
/// kernel that meets one outside the axis must not touch memory outside the views. A synchronous device
/// throws IndexError at once; an asynchronous one raises a flag, and the next wait throws it once, naming
/// the operation (`current_operation()` at the time of the call).
class TESSERA_API DeviceInterface {
 public:
  virtual ~DeviceInterface();

  virtual DeviceProperties properties() const = 0;

  // ---- memory: called by core's caching pool, not by users
  /// At least `bytes` > 0 bytes, aligned to 64 or more; nullptr when there are none left.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* data, std::size_t bytes) noexcept = 0;
  /// Host to device, in queue order. `source` may be reused as soon as this returns.
  virtual void upload(void* target, const void* source, std::size_t bytes) = 0;
  /// Device to host: waits for everything before it in the queue.
  virtual void download(void* target, const void* source, std::size_t bytes) = 0;
  /// Waits until the queue is empty, and throws what went wrong in it.
  virtual void synchronize() = 0;

  // ---- time
  virtual std::shared_ptr<Event> record() = 0;
  /// Seconds between two recorded events; waits for both.
  virtual double elapsed(const Event& start, const Event& stop) = 0;

  // ---- element-wise: all views have the same shape
  /// out = x, cast to out's dtype by `convert` (scalar.hpp).
  virtual void copy(const View& x, const View& out) = 0;
  virtual void fill(Scalar value, const View& out) = 0;
  /// out is 1-d: out[i] = start + i * step; in float64, then cast, for floats; wrapping for integers.
  virtual void iota(Scalar start, Scalar step, const View& out) = 0;
  /// out has x's dtype, or bool for the predicates.
  virtual void unary(UnaryOp op, const View& x, const View& out) = 0;
  /// a and b share a dtype; out has it too, or bool for comparisons.
  virtual void binary(BinaryOp op, const View& a, const View& b, const View& out) = 0;
  /// condition is bool; a, b and out share a dtype.
  virtual void where(const View& condition, const View& a, const View& b, const View& out) = 0;

  // ---- along an axis: x is [outer, axis, inner]
  /// out is [outer, inner]. Dtypes (x -> out): see ReduceOp in kernel_ops.hpp.
  /// The axis is longer than 0 for min and max. Float sums accumulate in blocks or in float64.
  virtual void reduce(ReduceOp op, const View& x, const View& out) = 0;
  /// out is int64 [outer, inner]; the axis is longer than 0. Lowest index on ties (-0.0 equals +0.0); the
  /// first NaN wins.
  virtual void arg_reduce(ArgReduceOp op, const View& x, const View& out) = 0;
  /// Inclusive scan; out is [outer, axis, inner], dtypes as for reduce.
  virtual void scan(ScanOp op, const View& x, const View& out) = 0;
  /// Stable; NaN last in both directions. out has x's shape and dtype, or, with `indices`, holds int64
  /// positions instead.
  virtual void sort(bool descending, bool indices, const View& x, const View& out) = 0;

  // ---- products
  /// out[b] = x[b] @ y[b]; x is [batch, m, k], y [batch, k, n], out [batch, m, n], one numeric dtype.
  /// out is never read. k = 0 gives zeros. float32 is IEEE float32 unless `precision` says less.
  /// A row of the result doesn't depend on m.
  virtual void matmul(Precision precision, const View& x, const View& y, const View& out) = 0;

  // ---- by index: `indices` is int64; negative ones count from the end
  /// x is [outer, axis, inner], indices [count], out [outer, count, inner].
  virtual void take(const View& x, const View& indices, const View& out) = 0;
  /// x is [outer, axis, inner], indices and out are [outer, count, inner].
  virtual void take_along(const View& x, const View& indices, const View& out) = 0;
  /// In place: target[o, indices[c], i] = op(itself, updates[o, c, i]). target is [outer, axis, inner],
  /// indices [count], updates [outer, count, inner]. Deterministic. set: the highest position wins.
  /// add: target has updates' dtype, or is float64 for float32 updates; a float32 target accumulates in
  /// float64 and rounds once.
  virtual void scatter(ScatterOp op, const View& indices, const View& updates, const View& target) = 0;
  /// sorted is 1-d ascending, values and out (int64) are 1-d. left: the first i with sorted[i] >= v; right:
  /// with sorted[i] > v.
  virtual void searchsorted(bool right, const View& sorted, const View& values, const View& out) = 0;
  /// x is 1-d; out is int64 1-d and exactly as long as x has nonzero elements: their positions, ascending.
  virtual void nonzero(const View& x, const View& out) = 0;

  // ---- random
  /// out is contiguous 1-d uint32 or uint64. The stream of 32-bit words of Philox4x32-10 under `key`:
  /// block i is the counter value `counter` + i (a 128-bit number, low word first), four words a block;
  /// a uint64 is two neighbouring words, the low one first.
  virtual void random_bits(std::uint64_t key, std::uint64_t counter, const View& out) = 0;

  // ---- fused: optional; the defaults are the same in terms of the kernels above, and the oracle of their
  // tests
  /// Element-wise code, reductions over its columns, and the element-wise work that follows them, in one
  /// pass. See program.hpp.
  virtual void program(const Program& program, std::span<const View> inputs, std::span<const View> outputs);
  /// index[i] = argmin over j of bias[j] + alpha * (x[i] . y[j]), score[i] = that minimum, without the m x n
  /// matrix. x is [m, k], y [n, k], bias [n], index int64 [m], score [m]; n > 0.
  virtual void matmul_argmin(Precision precision, Scalar alpha, const View& x, const View& y,
                             const View& bias, const View& index, const View& score);
  /// Which of its ways a device takes for a matmul_argmin of so many features and centers, in a word for
  /// explain() and the profiler: "in registers". Empty where there is one way only.
  virtual std::string_view matmul_argmin_way(Precision precision, DType dtype, std::int64_t features,
                                             std::int64_t centers) const;

  /// Bytes for a kernel's own use, counted in the device's peak.
  Workspace workspace(std::size_t bytes);

  // ---- set by core when it makes the device
  void attach(MemoryPool& pool) { pool_ = &pool; }

 private:
  MemoryPool* pool_ = nullptr;
};

/// The public operation that the calling thread is running ("matmul"), for messages.
TESSERA_API const char* current_operation();

}  // namespace tessera
