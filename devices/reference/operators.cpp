#include "devices/common/element_ops.hpp"
#include "devices/reference/checks.hpp"
#include "devices/reference/reference_device.hpp"
#include "devices/reference/views.hpp"

namespace tessera::reference {

namespace {

// One loop for each dtype, the operation passed to it as a function: short to compile, and no one waits for
// this device.

template <class T, class Result>
void apply(Result (*function)(T), const View& x, const View& out) {
  auto from = elements<T>(x);
  auto to = elements<Result>(out);
  for_each_index(out.shape, [&](const auto& index) { at(to, index) = function(at(from, index)); });
}

template <class T, class Result>
void apply(Result (*function)(T, T), const View& a, const View& b, const View& out) {
  auto from_a = elements<T>(a);
  auto from_b = elements<T>(b);
  auto to = elements<Result>(out);
  for_each_index(out.shape,
                 [&](const auto& index) { at(to, index) = function(at(from_a, index), at(from_b, index)); });
}

/// float32's exp, log and pow are the float64 ones, rounded.
template <UnaryOp op, class T>
element::UnaryResult<op, T> evaluate(T x) {
  if constexpr (std::is_same_v<T, float> && (op == UnaryOp::exp || op == UnaryOp::log)) {
    return static_cast<float>(element::unary<op>(static_cast<double>(x)));
  } else {
    return element::unary<op>(x);
  }
}

template <BinaryOp op, class T>
element::BinaryResult<op, T> evaluate(T a, T b) {
  if constexpr (std::is_same_v<T, float> && op == BinaryOp::pow) {
    return static_cast<float>(element::binary<op>(static_cast<double>(a), static_cast<double>(b)));
  } else {
    return element::binary<op>(a, b);
  }
}

}  // namespace

void ReferenceDevice::unary(UnaryOp op, const View& x, const View& out) {
  const Check check(kernel_name("unary", op));
  check.that(element::takes(op, x.dtype), "a dtype of x that the operation's row in kernel_ops.hpp accepts");
  check.dtype("out", out, element::gives_bool(op) ? bool_ : x.dtype);
  check.shape("x", x, out.shape);
  check.input("x", x);
  check.output("out", out, {&x}, true);
  element::visit(op, [&](auto operation) {
    visit_dtype(x.dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (element::takes(operation.value, dtype_of<T>())) {
        apply(&evaluate<operation.value, T>, x, out);
      }
    });
  });
}

void ReferenceDevice::binary(BinaryOp op, const View& a, const View& b, const View& out) {
  const Check check(kernel_name("binary", op));
  check.that(element::takes(op, a.dtype), "a dtype of a that the operation's row in kernel_ops.hpp accepts");
  check.dtype("b", b, a.dtype);
  check.dtype("out", out, element::gives_bool(op) ? bool_ : a.dtype);
  check.shape("a", a, out.shape);
  check.shape("b", b, out.shape);
  check.input("a", a);
  check.input("b", b);
  check.output("out", out, {&a, &b}, true);
  element::visit(op, [&](auto operation) {
    visit_dtype(a.dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (element::takes(operation.value, dtype_of<T>())) {
        apply(&evaluate<operation.value, T>, a, b, out);
      }
    });
  });
}

}  // namespace tessera::reference
