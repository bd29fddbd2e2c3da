#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <xtensor/xadapt.hpp>
#include <xtensor/xstrided_view.hpp>

#include <tessera/device.hpp>

namespace tessera::reference {

/// The elements of a view as an xtensor expression: x(i, j, ...), or x.element(first, last) for an index of
/// any length. xtensor counts from the lowest address that the strides reach, so that positions stay
/// positive where strides are negative.
template <class T>
auto elements(const View& view) {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t last = 0;
  for (int axis = 0; axis < view.shape.size(); ++axis) {
    const std::ptrdiff_t reach = view.strides[axis] * (view.shape[axis] - 1);
    (reach < 0 ? first : last) += reach;
  }
  const bool empty = view.size() == 0;
  if (empty) first = 0;
  const std::array<std::size_t, 1> flat = {empty ? 0 : static_cast<std::size_t>(last - first + 1)};
  std::vector<std::size_t> shape(view.shape.begin(), view.shape.end());
  std::vector<std::ptrdiff_t> strides(view.strides.begin(), view.strides.end());
  return xt::strided_view(xt::adapt(view.as<T>() + first, flat[0], xt::no_ownership(), flat),
                          std::move(shape), std::move(strides), static_cast<std::size_t>(-first),
                          xt::layout_type::dynamic);
}

/// Calls f(index) for every index of the shape, in row-major order.
template <class F>
void for_each_index(const Shape& shape, F&& f) {
  std::vector<std::size_t> index(static_cast<std::size_t>(shape.size()), 0);
  for (std::int64_t left = element_count(shape); left > 0; --left) {
    f(std::as_const(index));
    for (int axis = shape.size() - 1; axis >= 0; --axis) {
      if (++index[axis] < static_cast<std::size_t>(shape[axis])) break;
      index[axis] = 0;
    }
  }
}

/// The element of an expression at an index of any length.
template <class Expression>
auto& at(Expression& expression, const std::vector<std::size_t>& index) {
  return expression.element(index.begin(), index.end());
}

}  // namespace tessera::reference
