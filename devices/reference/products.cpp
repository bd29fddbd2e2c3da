#include <type_traits>

#include "devices/common/element_ops.hpp"
#include "devices/reference/checks.hpp"
#include "devices/reference/reference_device.hpp"
#include "devices/reference/views.hpp"

namespace tessera::reference {

namespace {

template <class T>
void multiply_matrices(const View& x, const View& y, const View& out) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  auto left = elements<T>(x);
  auto right = elements<T>(y);
  auto to = elements<T>(out);
  for (std::int64_t b = 0; b < out.shape[0]; ++b) {
    for (std::int64_t i = 0; i < out.shape[1]; ++i) {
      for (std::int64_t j = 0; j < out.shape[2]; ++j) {
        Sum sum = 0;
        for (std::int64_t k = 0; k < x.shape[2]; ++k) {
          const auto product =
              element::multiply(static_cast<Sum>(left(b, i, k)), static_cast<Sum>(right(b, k, j)));
          sum = element::add(sum, product);
        }
        to(b, i, j) = static_cast<T>(sum);
      }
    }
  }
}

}  // namespace

void ReferenceDevice::matmul(Precision /*precision*/, const View& x, const View& y, const View& out) {
  const Check check("matmul");
  check.rank("x", x, 3);
  check.rank("y", y, 3);
  check.shape("y", y, {x.shape[0], x.shape[2], y.shape[2]});
  check.shape("out", out, {x.shape[0], x.shape[1], y.shape[2]});
  check.that(is_numeric(x.dtype), "x to be numeric");
  check.dtype("y", y, x.dtype);
  check.dtype("out", out, x.dtype);
  check.input("x", x);
  check.input("y", y);
  check.output("out", out, {&x, &y}, false);
  visit_dtype(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, bool>) multiply_matrices<T>(x, y, out);
  });
}

}  // namespace tessera::reference
