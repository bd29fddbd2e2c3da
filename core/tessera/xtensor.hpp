#pragma once

/// From xtensor's expressions to arrays and back. Header-only and apart from <tessera/tessera.hpp>: a program
/// that includes it brings xtensor (0.24 or later) along.

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array.hpp>
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xexpression.hpp>
#include <xtensor/xstrided_view.hpp>

namespace tessera {

namespace detail {

template <class Dimensions>
std::vector<std::size_t> extents(const Dimensions& shape) {
  return {shape.begin(), shape.end()};
}

}  // namespace detail

/// The values of any xtensor expression, copied.
template <class E>
Array from_xtensor(const xt::xexpression<E>& expression, const ArrayOptions& options = {}) {
  const E& derived = expression.derived_cast();
  using Value = std::remove_cv_t<typename E::value_type>;
  Shape shape;
  for (const auto extent : derived.shape()) shape.push_back(static_cast<std::int64_t>(extent));
  // Other layouts and unevaluated expressions become a row-major container first. A view's data() is that of
  // the whole container.
  constexpr bool is_row_major = E::static_layout == xt::layout_type::row_major;
  if constexpr (is_row_major && requires {
                  derived.storage();
                  derived.data() + derived.data_offset();
                }) {
    return from_host(derived.data() + derived.data_offset(), dtype_of<Value>(), shape, options.device);
  } else {
    const xt::xarray<Value, xt::layout_type::row_major> values = derived;
    return from_host(values.data(), dtype_of<Value>(), shape, options.device);
  }
}

/// A copy. T must be the array's dtype.
template <class T>
xt::xarray<T> as_xtensor(const Array& x) {
  xt::xarray<T> result = xt::xarray<T>::from_shape(detail::extents(x.shape()));
  x.to_host(result.data(), dtype_of<T>(), x.size());
  return result;
}

/// The same elements as a view of xtensor's, without a copy, whatever the strides. Read-only; it must not
/// outlive `view`.
template <class T>
auto as_xtensor(const HostView<T>& view) {
  const Extent touched = extent({view.shape(), view.strides(), 0});
  auto memory =
      xt::adapt(view.data() + touched.begin, static_cast<std::size_t>(touched.end - touched.begin),
                xt::no_ownership(), std::array{static_cast<std::size_t>(touched.end - touched.begin)});
  std::vector<std::ptrdiff_t> strides(view.strides().begin(), view.strides().end());
  return xt::strided_view(std::move(memory), detail::extents(view.shape()), std::move(strides),
                          static_cast<std::size_t>(-touched.begin), xt::layout_type::dynamic);
}

}  // namespace tessera
