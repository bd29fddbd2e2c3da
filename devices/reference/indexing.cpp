#include "devices/common/element_ops.hpp"
#include "devices/reference/checks.hpp"
#include "devices/reference/reference_device.hpp"
#include "devices/reference/views.hpp"

namespace tessera::reference {

namespace {

/// Float sums: a row's totals in float64, rounded once at its end.
template <class Target, class Update>
void add_floats(const std::vector<std::int64_t>& positions, const View& updates, const View& target,
                double* totals) {
  auto from = elements<Update>(updates);
  auto to = elements<Target>(target);
  const auto count = static_cast<std::int64_t>(positions.size());
  for (std::int64_t o = 0; o < target.shape[0]; ++o) {
    for (std::int64_t i = 0; i < target.shape[2]; ++i) {
      for (std::int64_t a = 0; a < target.shape[1]; ++a) totals[a] = static_cast<double>(to(o, a, i));
      for (std::int64_t c = 0; c < count; ++c) totals[positions[c]] += static_cast<double>(from(o, c, i));
      for (std::int64_t a = 0; a < target.shape[1]; ++a) to(o, a, i) = static_cast<Target>(totals[a]);
    }
  }
}

template <class T>
T combined(ScatterOp op, T old_value, T update) {
  if constexpr (!std::is_same_v<T, bool>) {
    if (op == ScatterOp::add) return element::add(old_value, update);
    if (op == ScatterOp::min) return element::minimum(old_value, update);
    if (op == ScatterOp::max) return element::maximum(old_value, update);
  }
  return update;
}

template <class T>
void combine(ScatterOp op, const std::vector<std::int64_t>& positions, const View& updates,
             const View& target) {
  auto from = elements<T>(updates);
  auto to = elements<T>(target);
  const auto count = static_cast<std::int64_t>(positions.size());
  for (std::int64_t o = 0; o < target.shape[0]; ++o) {
    for (std::int64_t c = 0; c < count; ++c) {
      for (std::int64_t i = 0; i < target.shape[2]; ++i) {
        to(o, positions[c], i) = combined<T>(op, to(o, positions[c], i), from(o, c, i));
      }
    }
  }
}

}  // namespace

void ReferenceDevice::take(const View& x, const View& indices, const View& out) {
  const Check check("take");
  check.rank("x", x, 3);
  check.rank("indices", indices, 1);
  check.shape("out", out, {x.shape[0], indices.shape[0], x.shape[2]});
  check.dtype("out", out, x.dtype);
  check.input("x", x);
  check.output("out", out, {&x, &indices}, false);
  const auto positions = check.positions(indices, x.shape[1]);
  visit_dtype(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto from = elements<T>(x);
    auto to = elements<T>(out);
    for (std::int64_t o = 0; o < out.shape[0]; ++o) {
      for (std::int64_t c = 0; c < out.shape[1]; ++c) {
        for (std::int64_t i = 0; i < out.shape[2]; ++i) to(o, c, i) = from(o, positions[c], i);
      }
    }
  });
}

void ReferenceDevice::take_along(const View& x, const View& indices, const View& out) {
  const Check check("take_along");
  check.rank("x", x, 3);
  check.rank("indices", indices, 3);
  check.shape("indices", indices, {x.shape[0], indices.shape[1], x.shape[2]});
  check.shape("out", out, indices.shape);
  check.dtype("out", out, x.dtype);
  check.input("x", x);
  check.output("out", out, {&x, &indices}, false);
  const auto positions = check.positions(indices, x.shape[1]);
  visit_dtype(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto from = elements<T>(x);
    auto to = elements<T>(out);
    std::size_t next = 0;
    for (std::int64_t o = 0; o < out.shape[0]; ++o) {
      for (std::int64_t c = 0; c < out.shape[1]; ++c) {
        for (std::int64_t i = 0; i < out.shape[2]; ++i) to(o, c, i) = from(o, positions[next++], i);
      }
    }
  });
}

void ReferenceDevice::scatter(ScatterOp op, const View& indices, const View& updates, const View& target) {
  const Check check(kernel_name("scatter", op));
  check.rank("target", target, 3);
  check.rank("indices", indices, 1);
  check.shape("updates", updates, {target.shape[0], indices.shape[0], target.shape[2]});
  check.that(op == ScatterOp::set || is_numeric(target.dtype), "target to be numeric");
  const bool widens = op == ScatterOp::add && updates.dtype == float32 && target.dtype == float64;
  if (!widens) check.dtype("updates", updates, target.dtype);
  check.input("updates", updates);
  check.output("target", target, {&indices, &updates}, false);
  const auto positions = check.positions(indices, target.shape[1]);
  if (op == ScatterOp::add && is_floating(target.dtype)) {
    const Workspace totals = workspace(static_cast<std::size_t>(target.shape[1]) * sizeof(double));
    if (widens) return add_floats<double, float>(positions, updates, target, totals.as<double>());
    if (target.dtype == float32)
      return add_floats<float, float>(positions, updates, target, totals.as<double>());
    return add_floats<double, double>(positions, updates, target, totals.as<double>());
  }
  visit_dtype(target.dtype, [&](auto zero) { combine<decltype(zero)>(op, positions, updates, target); });
}

}  // namespace tessera::reference
