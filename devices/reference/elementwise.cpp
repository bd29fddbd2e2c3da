#include "devices/common/element_ops.hpp"
#include "devices/reference/checks.hpp"
#include "devices/reference/reference_device.hpp"
#include "devices/reference/views.hpp"

namespace tessera::reference {

namespace {

template <class From, class To>
void copy_elements(const View& x, const View& out) {
  auto from = elements<From>(x);
  auto to = elements<To>(out);
  for_each_index(out.shape, [&](const auto& index) { at(to, index) = convert<To>(at(from, index)); });
}

template <class T>
void where_elements(const View& condition, const View& a, const View& b, const View& out) {
  auto chosen = elements<bool>(condition);
  auto from_a = elements<T>(a);
  auto from_b = elements<T>(b);
  auto to = elements<T>(out);
  for_each_index(out.shape, [&](const auto& index) {
    at(to, index) = at(chosen, index) ? at(from_a, index) : at(from_b, index);
  });
}

}  // namespace

void ReferenceDevice::copy(const View& x, const View& out) {
  const Check check("copy");
  check.shape("x", x, out.shape);
  check.input("x", x);
  check.output("out", out, {&x}, true);
  visit_dtype(x.dtype, [&](auto from) {
    visit_dtype(out.dtype, [&](auto to) { copy_elements<decltype(from), decltype(to)>(x, out); });
  });
}

void ReferenceDevice::fill(Scalar value, const View& out) {
  Check("fill").output("out", out, {}, false);
  visit_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto to = elements<T>(out);
    for_each_index(out.shape, [&](const auto& index) { at(to, index) = value.to<T>(); });
  });
}

void ReferenceDevice::iota(Scalar start, Scalar step, const View& out) {
  const Check check("iota");
  check.rank("out", out, 1);
  check.that(is_numeric(out.dtype), "out to be numeric");
  check.output("out", out, {}, false);
  visit_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto to = elements<T>(out);
    for (std::int64_t i = 0; i < out.shape[0]; ++i) {
      if constexpr (std::is_floating_point_v<T>) {
        to(i) = static_cast<T>(start.to<double>() + static_cast<double>(i) * step.to<double>());
      } else {
        const std::int64_t value =
            element::add(start.to<std::int64_t>(), element::multiply(i, step.to<std::int64_t>()));
        to(i) = static_cast<T>(value);
      }
    }
  });
}

void ReferenceDevice::where(const View& condition, const View& a, const View& b, const View& out) {
  const Check check("where");
  check.dtype("condition", condition, bool_);
  check.dtype("a", a, out.dtype);
  check.dtype("b", b, out.dtype);
  for (const auto& [name, view] : {std::pair{"condition", &condition}, {"a", &a}, {"b", &b}}) {
    check.shape(name, *view, out.shape);
    check.input(name, *view);
  }
  check.output("out", out, {&condition, &a, &b}, true);
  visit_dtype(out.dtype, [&](auto zero) { where_elements<decltype(zero)>(condition, a, b, out); });
}

}  // namespace tessera::reference
