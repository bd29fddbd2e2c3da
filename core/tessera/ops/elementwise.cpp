#include <tessera/ops/elementwise.hpp>

#include <fmt/format.h>

#include <tessera/error.hpp>
#include <tessera/funnel.hpp>

namespace tessera {
namespace {

void require_accepted(const char* operation, Accepts wanted, DType dtype) {
  if (!accepted(wanted, dtype)) {
    const std::string_view hint =
        wanted == Accepts::floating && is_numeric(dtype) ? "; cast with astype(x, float64) first" : "";
    throw DTypeError(fmt::format("[{}] takes {}, not {}{}", operation, describe(wanted), name(dtype), hint));
  }
}

// What messages call two operands.
struct Names {
  const char* a = "a";
  const char* b = "b";
};

// The dtype that two operands meet in.
DType common_dtype(const char* operation, const Operand& a, const Operand& b, const Names& names = {}) {
  if (a.is_scalar() && b.is_scalar()) {
    throw ValueError(fmt::format("[{}] takes at least one array; both operands are numbers", operation));
  }
  if (a.is_scalar() || b.is_scalar()) {
    const DType dtype = a.is_scalar() ? b.array().dtype() : a.array().dtype();
    require_weak(operation, a.is_scalar() ? a.scalar() : b.scalar(), dtype);
    return dtype;
  }
  const DType dtype_a = a.array().dtype();
  const DType dtype_b = b.array().dtype();
  if (dtype_a == dtype_b) return dtype_a;
  try {
    return result_type(dtype_a, dtype_b);
  } catch (const DTypeError& error) {
    const std::string text = error.what();
    throw DTypeError(fmt::format("[{}] {} is {}, {} is {}: {}", operation, names.a, describe(a.array()),
                                 names.b, describe(b.array()), text.substr(text.find("] ") + 2)));
  }
}

const Array* array_or_null(const Operand& x) {
  return x.is_scalar() ? nullptr : &x.array();
}

Shape common_shape(const char* operation, const Operand& a, const Operand& b) {
  if (a.is_scalar()) return b.array().shape();
  if (b.is_scalar()) return a.array().shape();
  return broadcast_shapes(operation, a.array().shape(), b.array().shape());
}

// Where the result goes: over the operand that may be written over, or into a fresh array.
Array output_for(const char* operation, Operand& a, Operand& b, const Shape& shape, DType dtype) {
  for (Operand* const x : {&a, &b}) {
    if (!x->is_scalar() && writable_in_place(x->array(), shape, dtype)) return x->array();
  }
  return make_array(operation, shape, dtype, (a.is_scalar() ? b : a).array().device());
}

Array run_unary(UnaryOp op, const char* operation, Array x) {
  require_array(operation, "x", x);
  require_accepted(operation, accepts(op), x.dtype());
  const DType dtype = gives(op) == Gives::boolean ? DType::bool_ : x.dtype();
  const Array out =
      writable_in_place(x, x.shape(), dtype) ? x : make_array(operation, x.shape(), dtype, x.device());
  kernels::unary(operation, op, x, out);
  return out;
}

void cast_operand(const char* operation, Operand& x, DType dtype) {
  if (!x.is_scalar() && x.array().dtype() != dtype) x.array() = cast(operation, std::move(x.array()), dtype);
}

void require_operand(const char* operation, const char* argument, const Operand& x) {
  if (!x.is_scalar()) require_array(operation, argument, x.array());
}

Array run_binary(BinaryOp op, const char* operation, Operand a, Operand b, const Names& names = {}) {
  require_operand(operation, names.a, a);
  require_operand(operation, names.b, b);
  const DType dtype = common_dtype(operation, a, b, names);
  require_accepted(operation, accepts(op), dtype);
  require_same_device(operation, {array_or_null(a), array_or_null(b)});
  const Shape shape = common_shape(operation, a, b);
  cast_operand(operation, a, dtype);
  cast_operand(operation, b, dtype);
  const Array out = output_for(operation, a, b, shape, gives(op) == Gives::boolean ? DType::bool_ : dtype);
  kernels::binary(operation, op, a, b, out);
  return out;
}

}  // namespace

#define TESSERA_DEFINE(name, accepts, gives)              \
  Array name(Array x) {                                   \
    return run_unary(UnaryOp::name, #name, std::move(x)); \
  }
TESSERA_UNARY_OPS(TESSERA_DEFINE)
#undef TESSERA_DEFINE

#define TESSERA_DEFINE(name, accepts, gives)                              \
  Array name(Operand a, Operand b) {                                      \
    return run_binary(BinaryOp::name, #name, std::move(a), std::move(b)); \
  }
TESSERA_BINARY_OPS(TESSERA_DEFINE)
#undef TESSERA_DEFINE

Array where(Array condition, Operand a, Operand b) {
  require_array("where", "condition", condition);
  if (!is_bool(condition.dtype())) {
    throw DTypeError(
        fmt::format("[where] condition is {}; expected bool, as a comparison gives", describe(condition)));
  }
  require_operand("where", "a", a);
  require_operand("where", "b", b);
  const DType dtype = common_dtype("where", a, b);
  require_same_device("where", {&condition, array_or_null(a), array_or_null(b)});
  const Shape shape = broadcast_shapes("where", condition.shape(), common_shape("where", a, b));
  cast_operand("where", a, dtype);
  cast_operand("where", b, dtype);
  const Array out = output_for("where", a, b, shape, dtype);
  kernels::where("where", condition, a, b, out);
  return out;
}

Array clip(Array x, const ClipOptions& options) {
  require_array("clip", "x", x);
  Array result = std::move(x);
  if (options.min) {
    result = run_binary(BinaryOp::maximum, "clip", std::move(result), *options.min, {"x", "min"});
  }
  if (options.max) {
    result = run_binary(BinaryOp::minimum, "clip", std::move(result), *options.max, {"x", "max"});
  }
  return result;
}

Array astype(Array x, DType dtype) {
  require_array("astype", "x", x);
  return cast("astype", std::move(x), dtype);
}

Array copy(const Array& x) {
  require_array("copy", "x", x);
  const Array out = make_array("copy", x.shape(), x.dtype(), x.device());
  kernels::copy("copy", x, out);
  return out;
}

Array ascontiguousarray(Array x) {
  require_array("ascontiguousarray", "x", x);
  return contiguous("ascontiguousarray", std::move(x));
}

}  // namespace tessera
