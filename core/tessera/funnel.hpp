#pragma once

// Internal to core. Everything that runs on a device passes `submit`: one function a kernel, arrays in the
// kernel's own form ([outer, axis, inner], ...) in and out. Profiling sits here, and tracing: while a trace
// is active on the thread, a call is recorded, not run.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <tessera/array.hpp>
#include <tessera/kernel_ops.hpp>

namespace tessera {

struct Program;

enum class Kernel : std::uint8_t {
  copy,
  fill,
  iota,
  unary,
  binary,
  where,
  reduce,
  arg_reduce,
  scan,
  sort,
  matmul,
  take,
  take_along,
  scatter,
  searchsorted,
  nonzero,
  random_bits,
  // Fused: only compile() makes these.
  program,
  matmul_argmin,
};

std::string_view name(Kernel kernel);

/// One kernel call. Inputs that are null are numbers: `scalars` holds them.
struct Call {
  Kernel kernel{};
  const char* operation = "";  ///< the public operation, for messages and profiles
  std::uint8_t op = 0;         ///< the kernel's own enumerator, where it has one
  bool flags[2] = {false, false};
  Precision precision = Precision::ieee;
  std::uint64_t key = 0;
  std::uint64_t counter = 0;
  Scalar scalars[3];
  const Array* inputs[3] = {nullptr, nullptr, nullptr};
  int input_count = 0;
  const Array* output = nullptr;
  // Of the fused kernels, whose `output` is the first of theirs.
  const Program* program = nullptr;
  std::span<const Array> fused_inputs;
  std::span<const Array> fused_outputs;
};

void submit(const Call& call);

/// An input of an element-wise kernel: an array that broadcasts to the output's shape, or a number.
struct Input {
  Input(const Array& x) : array(&x) {}           // NOLINT(google-explicit-constructor)
  Input(const Scalar& value) : scalar(value) {}  // NOLINT(google-explicit-constructor)
  Input(const Operand& x) {                      // NOLINT(google-explicit-constructor)
    if (x.is_scalar()) {
      scalar = x.scalar();
    } else {
      array = &x.array();
    }
  }
  const Array* array = nullptr;
  Scalar scalar;
};

/// A fresh row-major array, values unspecified. `operation` is named where there is no memory. Has no bytes
/// while the thread traces.
Array make_array(const char* operation, const Shape& shape, DType dtype, const Device& device);
/// The same with bytes even then: for values that come from the host.
Array make_array_now(const char* operation, const Shape& shape, DType dtype, const Device& device);
/// Another layout on x's memory. `layout` must stay inside x's buffer.
Array view_of(const Array& x, const Layout& layout);

namespace kernels {

// See DeviceInterface for what each does. `operation` names the public operation.
// Element-wise: inputs broadcast to out's shape here.
void copy(const char* operation, const Array& x, const Array& out);
void fill(const char* operation, Scalar value, const Array& out);
void iota(const char* operation, Scalar start, Scalar step, const Array& out);
void unary(const char* operation, UnaryOp op, const Array& x, const Array& out);
void binary(const char* operation, BinaryOp op, const Input& a, const Input& b, const Array& out);
void where(const char* operation, const Array& condition, const Input& a, const Input& b, const Array& out);
// x is [outer, axis, inner], out [outer, inner].
void reduce(const char* operation, ReduceOp op, const Array& x, const Array& out);
void arg_reduce(const char* operation, ArgReduceOp op, const Array& x, const Array& out);
// x and out are [outer, axis, inner].
void scan(const char* operation, ScanOp op, const Array& x, const Array& out);
void sort(const char* operation, bool descending, bool indices, const Array& x, const Array& out);
void matmul(const char* operation, Precision precision, const Array& x, const Array& y, const Array& out);
void take(const char* operation, const Array& x, const Array& indices, const Array& out);
void take_along(const char* operation, const Array& x, const Array& indices, const Array& out);
void scatter(const char* operation, ScatterOp op, const Array& indices, const Array& updates,
             const Array& target);
void searchsorted(const char* operation, bool right, const Array& sorted, const Array& values,
                  const Array& out);
void nonzero(const char* operation, const Array& x, const Array& out);
void random_bits(const char* operation, std::uint64_t key, std::uint64_t counter, const Array& out);

}  // namespace kernels

// ---- checks and lowering that the families share

/// "(1000, 64) float32".
std::string describe(const Array& x);

/// The one device of all arrays; throws DeviceError with the hint to use to_device.
void require_same_device(const char* operation, std::initializer_list<const Array*> arrays);

/// Throws ValueError where x is no array.
void require_array(const char* operation, const char* argument, const Array& x);

/// Throws DTypeError where a number does not fit an array's dtype, in kind or in range.
void require_weak(const char* operation, const Scalar& value, DType dtype);

/// x cast to dtype, itself where it has it.
Array cast(const char* operation, Array x, DType dtype);

/// x as a contiguous array, itself where it is one.
Array contiguous(const char* operation, Array x);

/// [outer, middle, inner]: the dimensions before `first`, from there to before `last`, and from `last` on,
/// each merged into one; empty where they are not mergeable. No dimensions make one of size 1.
std::optional<Layout> merge_around(const Layout& layout, int first, int last);

/// x as [outer, axis, inner] around one axis, without a copy where the layout allows.
Array around_axis(const char* operation, const Array& x, int axis);

/// Whether a result of that shape and dtype may be written over x: x is the sole owner of memory of our
/// own that it fills exactly.
bool writable_in_place(const Array& x, const Shape& shape, DType dtype);

}  // namespace tessera
