#include <tessera/funnel.hpp>

#include <array>
#include <cstring>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <tessera/buffer.hpp>
#include <tessera/device_state.hpp>
#include <tessera/error.hpp>
#include <tessera/operation.hpp>
#include <tessera/profiling.hpp>
#include <tessera/program.hpp>
#include <tessera/trace/tracer.hpp>

namespace tessera {
namespace {

constexpr std::array<std::string_view, 19> kKernelNames = {
    "copy",         "fill",    "iota",        "unary",   "binary",       "where",      "reduce",
    "arg_reduce",   "scan",    "sort",        "matmul",  "take",         "take_along", "scatter",
    "searchsorted", "nonzero", "random_bits", "program", "matmul_argmin"};

void set(View& view, const ArrayNode& node, std::int64_t offset, const Shape& shape, const Strides& strides) {
  view.data =
      static_cast<std::byte*>(node.buffer->data()) + offset * static_cast<std::int64_t>(itemsize(node.dtype));
  view.dtype = node.dtype;
  view.shape = shape;
  view.strides = strides;
}

View view(const Array& x, const Layout& layout) {
  View result;
  set(result, x.node(), layout.offset, layout.shape, layout.strides);
  return result;
}

View view(const Array& x) {
  return view(x, x.layout());
}

void store(const Scalar& value, DType dtype, void* target) {
  visit_dtype(dtype, [&](auto zero) {
    const auto converted = value.to<decltype(zero)>();
    std::memcpy(target, &converted, sizeof(converted));
  });
}

// The operands of an element-wise kernel as views of one shape, with as few dimensions as can be.
// Place 0 .. n-1 are the inputs, place n the output.
class Elementwise {
 public:
  // `input_dtypes[i]` is what a number at place i becomes.
  Elementwise(const Call& call, std::span<const DType> input_dtypes) : count_(call.input_count + 1) {
    const Array& out = *call.output;
    if (flat(call)) {
      const Shape shape{out.size()};
      const Strides strides{1};
      for (int i = 0; i < count_; ++i) {
        const Array* const x = operand(call, i);
        if (x != nullptr) set(views_[i], x->node(), x->layout().offset, shape, strides);
      }
      for (int i = 0; i < call.input_count; ++i) place_scalar(call, i, input_dtypes, shape);
      return;
    }
    std::array<Layout, 4> layouts;
    for (int i = 0; i < count_; ++i) {
      const Array* const x = operand(call, i);
      layouts[i] = x == nullptr ? Layout{out.shape(), Strides::filled(out.ndim(), 0), 0}
                                : *broadcast(x->layout(), out.shape());
    }
    collapse(std::span(layouts.data(), static_cast<std::size_t>(count_)));
    for (int i = 0; i < count_; ++i) {
      const Array* const x = operand(call, i);
      if (x != nullptr) views_[i] = view(*x, layouts[i]);
    }
    for (int i = 0; i < call.input_count; ++i) place_scalar(call, i, input_dtypes, layouts[count_ - 1].shape);
  }

  const View& operator[](int i) const { return views_[i]; }
  const View& out() const { return views_[count_ - 1]; }

 private:
  static const Array* operand(const Call& call, int i) {
    return i == call.input_count ? call.output : call.inputs[i];
  }

  static bool flat(const Call& call) {
    const Shape& shape = call.output->shape();
    if (!call.output->is_contiguous()) return false;
    for (int i = 0; i < call.input_count; ++i) {
      const Array* const x = call.inputs[i];
      if (x != nullptr && !(x->shape() == shape && x->is_contiguous())) return false;
    }
    return true;
  }

  void place_scalar(const Call& call, int i, std::span<const DType> dtypes, const Shape& shape) {
    if (call.inputs[i] != nullptr) return;
    store(call.scalars[i], dtypes[static_cast<std::size_t>(i)], scalars_[i]);
    views_[i].data = scalars_[i];
    views_[i].dtype = dtypes[static_cast<std::size_t>(i)];
    views_[i].shape = shape;
    views_[i].strides = Strides::filled(shape.size(), 0);
    views_[i].host_scalar = true;
  }

  int count_;
  View views_[4];
  alignas(8) std::byte scalars_[3][8];
};

// The dtype of the first input that is an array from `first` on: numbers beside it take it.
DType array_dtype(const Call& call, int first) {
  for (int i = first; i < call.input_count; ++i) {
    if (call.inputs[i] != nullptr) return call.inputs[i]->dtype();
  }
  return call.output->dtype();
}

void run_elementwise(const Call& call, DeviceInterface& device) {
  switch (call.kernel) {
    case Kernel::copy: {
      const Elementwise views(call, {});
      return device.copy(views[0], views.out());
    }
    case Kernel::fill: {
      const Elementwise views(call, {});
      return device.fill(call.scalars[0], views.out());
    }
    case Kernel::unary: {
      const Elementwise views(call, {});
      return device.unary(static_cast<UnaryOp>(call.op), views[0], views.out());
    }
    case Kernel::binary: {
      const DType dtype = array_dtype(call, 0);
      const Elementwise views(call, std::array{dtype, dtype});
      return device.binary(static_cast<BinaryOp>(call.op), views[0], views[1], views.out());
    }
    default: {
      const DType dtype = call.output->dtype();
      const Elementwise views(call, std::array{DType::bool_, dtype, dtype});
      return device.where(views[0], views[1], views[2], views.out());
    }
  }
}

std::vector<View> views(std::span<const Array> arrays) {
  std::vector<View> result;
  result.reserve(arrays.size());
  for (const Array& x : arrays) result.push_back(view(x));
  return result;
}

void run_fused(const Call& call, DeviceInterface& device) {
  const std::vector<View> in = views(call.fused_inputs);
  const std::vector<View> out = views(call.fused_outputs);
  if (call.kernel == Kernel::program) return device.program(*call.program, in, out);
  device.matmul_argmin(call.precision, call.scalars[0], in[0], in[1], in[2], out[0], out[1]);
}

void execute(const Call& call, DeviceInterface& device) {
  const auto in = [&](int i) { return view(*call.inputs[i]); };
  const auto out = [&] { return view(*call.output); };
  switch (call.kernel) {
    case Kernel::copy:
    case Kernel::fill:
    case Kernel::unary:
    case Kernel::binary:
    case Kernel::where: return run_elementwise(call, device);
    case Kernel::iota: return device.iota(call.scalars[0], call.scalars[1], out());
    case Kernel::reduce: return device.reduce(static_cast<ReduceOp>(call.op), in(0), out());
    case Kernel::arg_reduce: return device.arg_reduce(static_cast<ArgReduceOp>(call.op), in(0), out());
    case Kernel::scan: return device.scan(static_cast<ScanOp>(call.op), in(0), out());
    case Kernel::sort: return device.sort(call.flags[0], call.flags[1], in(0), out());
    case Kernel::matmul: return device.matmul(call.precision, in(0), in(1), out());
    case Kernel::take: return device.take(in(0), in(1), out());
    case Kernel::take_along: return device.take_along(in(0), in(1), out());
    case Kernel::scatter: return device.scatter(static_cast<ScatterOp>(call.op), in(0), in(1), out());
    case Kernel::searchsorted: return device.searchsorted(call.flags[0], in(0), in(1), out());
    case Kernel::nonzero: return device.nonzero(in(0), out());
    case Kernel::random_bits: return device.random_bits(call.key, call.counter, out());
    case Kernel::program:
    case Kernel::matmul_argmin: return run_fused(call, device);
  }
}

Call make_call(Kernel kernel, const char* operation, std::initializer_list<const Array*> inputs,
               const Array& output) {
  Call call;
  call.kernel = kernel;
  call.operation = operation;
  for (const Array* const x : inputs) call.inputs[call.input_count++] = x;
  call.output = &output;
  return call;
}

template <class Op>
Call make_call(Kernel kernel, const char* operation, Op op, std::initializer_list<const Array*> inputs,
               const Array& output) {
  Call call = make_call(kernel, operation, inputs, output);
  call.op = static_cast<std::uint8_t>(op);
  return call;
}

void set_input(Call& call, int i, const Input& input) {
  call.inputs[i] = input.array;
  call.scalars[i] = input.scalar;
}

}  // namespace

std::string_view name(Kernel kernel) {
  return kKernelNames[static_cast<std::size_t>(kernel)];
}

void submit(const Call& call) {
  set_current_operation(call.operation);
  if (call.output->size() == 0) return;
  if (trace::Trace* const active = trace::active()) return active->record(call);
  DeviceInterface& device = call.output->node().buffer->device().device;
  if (profiling()) {
    profile(call, device, [&] { execute(call, device); });
  } else {
    execute(call, device);
  }
}

namespace kernels {

void copy(const char* operation, const Array& x, const Array& out) {
  submit(make_call(Kernel::copy, operation, {&x}, out));
}

void fill(const char* operation, Scalar value, const Array& out) {
  Call call = make_call(Kernel::fill, operation, {}, out);
  call.scalars[0] = value;
  submit(call);
}

void iota(const char* operation, Scalar start, Scalar step, const Array& out) {
  Call call = make_call(Kernel::iota, operation, {}, out);
  call.scalars[0] = start;
  call.scalars[1] = step;
  submit(call);
}

void unary(const char* operation, UnaryOp op, const Array& x, const Array& out) {
  submit(make_call(Kernel::unary, operation, op, {&x}, out));
}

void binary(const char* operation, BinaryOp op, const Input& a, const Input& b, const Array& out) {
  Call call = make_call(Kernel::binary, operation, op, {}, out);
  call.input_count = 2;
  set_input(call, 0, a);
  set_input(call, 1, b);
  submit(call);
}

void where(const char* operation, const Array& condition, const Input& a, const Input& b, const Array& out) {
  Call call = make_call(Kernel::where, operation, {&condition}, out);
  call.input_count = 3;
  set_input(call, 1, a);
  set_input(call, 2, b);
  submit(call);
}

void reduce(const char* operation, ReduceOp op, const Array& x, const Array& out) {
  submit(make_call(Kernel::reduce, operation, op, {&x}, out));
}

void arg_reduce(const char* operation, ArgReduceOp op, const Array& x, const Array& out) {
  submit(make_call(Kernel::arg_reduce, operation, op, {&x}, out));
}

void scan(const char* operation, ScanOp op, const Array& x, const Array& out) {
  submit(make_call(Kernel::scan, operation, op, {&x}, out));
}

void sort(const char* operation, bool descending, bool indices, const Array& x, const Array& out) {
  Call call = make_call(Kernel::sort, operation, {&x}, out);
  call.flags[0] = descending;
  call.flags[1] = indices;
  submit(call);
}

void matmul(const char* operation, Precision precision, const Array& x, const Array& y, const Array& out) {
  Call call = make_call(Kernel::matmul, operation, {&x, &y}, out);
  call.precision = precision;
  submit(call);
}

void take(const char* operation, const Array& x, const Array& indices, const Array& out) {
  submit(make_call(Kernel::take, operation, {&x, &indices}, out));
}

void take_along(const char* operation, const Array& x, const Array& indices, const Array& out) {
  submit(make_call(Kernel::take_along, operation, {&x, &indices}, out));
}

void scatter(const char* operation, ScatterOp op, const Array& indices, const Array& updates,
             const Array& target) {
  submit(make_call(Kernel::scatter, operation, op, {&indices, &updates}, target));
}

void searchsorted(const char* operation, bool right, const Array& sorted, const Array& values,
                  const Array& out) {
  Call call = make_call(Kernel::searchsorted, operation, {&sorted, &values}, out);
  call.flags[0] = right;
  submit(call);
}

void nonzero(const char* operation, const Array& x, const Array& out) {
  submit(make_call(Kernel::nonzero, operation, {&x}, out));
}

void random_bits(const char* operation, std::uint64_t key, std::uint64_t counter, const Array& out) {
  Call call = make_call(Kernel::random_bits, operation, {}, out);
  call.key = key;
  call.counter = counter;
  submit(call);
}

}  // namespace kernels

std::string describe(const Array& x) {
  return fmt::format("{} {}", to_string(x.shape()), name(x.dtype()));
}

void require_array(const char* operation, const char* argument, const Array& x) {
  if (!x.valid()) throw ValueError(fmt::format("[{}] {} holds no array", operation, argument));
}

void require_weak(const char* operation, const Scalar& value, DType dtype) {
  const auto fail = [&](std::string_view hint) {
    throw DTypeError(fmt::format("[{}] the number {} does not fit an array of {}; {}", operation,
                                 value.to_string(), name(dtype), hint));
  };
  if (value.is_bool() != is_bool(dtype)) {
    fail(value.is_bool() ? "use a number, or cast the array to bool"
                         : "use true or false, or cast the array");
  }
  if (value.is_floating() && !is_floating(dtype))
    fail("cast the array with astype, as in astype(x, float64)");
  if (is_integer(dtype)) {
    const bool fits = visit_dtype(dtype, [&](auto zero) {
      using T = decltype(zero);
      if (value.default_dtype() == DType::uint64) return dtype == DType::uint64;
      const auto wide = value.to<std::int64_t>();
      if constexpr (std::is_same_v<T, std::uint64_t>) {
        return wide >= 0;
      } else {
        return static_cast<std::int64_t>(static_cast<T>(wide)) == wide;
      }
    });
    if (!fits) fail("it is outside of the dtype's range");
  }
}

void require_same_device(const char* operation, std::initializer_list<const Array*> arrays) {
  const Array* first = nullptr;
  for (const Array* const x : arrays) {
    if (x == nullptr) continue;
    if (first == nullptr) {
      first = x;
    } else if (&x->node().buffer->device() != &first->node().buffer->device()) {
      throw DeviceError(fmt::format(
          "[{}] arrays are on two devices: {} on {}, {} on {}; bring them together with to_device", operation,
          describe(*first), first->device().name(), describe(*x), x->device().name()));
    }
  }
}

Array cast(const char* operation, Array x, DType dtype) {
  if (x.dtype() == dtype) return x;
  const Array out = make_array(operation, x.shape(), dtype, x.device());
  kernels::copy(operation, x, out);
  return out;
}

Array contiguous(const char* operation, Array x) {
  if (x.is_contiguous()) return x;
  const Array out = make_array(operation, x.shape(), x.dtype(), x.device());
  kernels::copy(operation, x, out);
  return out;
}

std::optional<Layout> merge_around(const Layout& layout, int first, int last) {
  const int ends[] = {0, first, last, layout.rank()};
  std::optional<Layout> form(layout);
  for (int part = 2; form && part >= 0; --part) {
    if (ends[part] < ends[part + 1]) form = merge_axes(*form, ends[part], ends[part + 1]);
  }
  // Sides without dimensions come last: before that, all that there may be can be in use.
  for (int part = 0; form && part < 3; ++part) {
    if (ends[part] == ends[part + 1]) form = merge_axes(*form, part, part);
  }
  return form;
}

Array around_axis(const char* operation, const Array& x, int axis) {
  if (const auto layout = merge_around(x.layout(), axis, axis + 1)) return view_of(x, *layout);
  const Array packed = contiguous(operation, x);
  return view_of(packed, *merge_around(packed.layout(), axis, axis + 1));
}

bool writable_in_place(const Array& x, const Shape& shape, DType dtype) {
  const ArrayNode& node = x.node();
  if (trace::active() != nullptr) return false;
  return node.dtype == dtype && x.sole_owner() && node.buffer->writable() && node.contiguous &&
         static_cast<std::size_t>(x.nbytes()) == node.buffer->bytes() && node.layout.shape == shape;
}

}  // namespace tessera
