#include "conformance/kernel_case.hpp"
#include "conformance/tolerances.hpp"

#include <limits>

namespace tessera::test {

namespace {

struct Extents {
  std::int64_t batch, m, k, n;
};

KernelCase matmul_case(std::string label, KernelOperand x, KernelOperand y,
                       LayoutKind layout = LayoutKind::contiguous) {
  KernelOperand result = out(x.dtype, {x.shape[0], x.shape[1], y.shape[2]}, layout);
  const Tolerance allowed = matmul_tolerance(x.dtype);
  return {.kernel = "matmul",
          .name = std::move(label),
          .operands = {std::move(x), std::move(y), std::move(result)},
          .call = [](DeviceInterface& device,
                     std::span<const View> v) { device.matmul(Precision::ieee, v[0], v[1], v[2]); },
          .tolerance = allowed,
          .by_magnitude = true};
}

KernelCase matmul_case(std::string label, DType dtype, const Extents& e,
                       LayoutKind x = LayoutKind::contiguous, LayoutKind y = LayoutKind::contiguous,
                       LayoutKind result = LayoutKind::contiguous) {
  return matmul_case(std::move(label), in(dtype, {e.batch, e.m, e.k}, Values::plain, x),
                     in(dtype, {e.batch, e.k, e.n}, Values::plain, y), result);
}

void add_matmuls(std::vector<KernelCase>& cases, DType dtype) {
  for (const Extents& e : {Extents{1, 1, 1, 1},
                           {1, 3, 4, 5},
                           {2, 7, 33, 17},
                           {1, 1, 257, 7},
                           {3, 1, 257, 7},
                           {1, 40, 70, 1},
                           {1, 33, 70, 16},
                           {1, 33, 70, 17},
                           {5, 9, 3, 2},
                           {1, 64, 64, 64},
                           {1, 65, 129, 33}}) {
    cases.push_back(matmul_case("shape", dtype, e));
  }
  for (const Extents& e : {Extents{1, 3, 0, 4}, {1, 3, 0, 40}, {2, 0, 3, 4}, {2, 3, 4, 0}, {0, 3, 4, 5}}) {
    cases.push_back(matmul_case("an extent of 0", dtype, e));
  }
  cases.push_back(matmul_case("wrapping or large values",
                              in(dtype, {1, 5, 9}, is_floating(dtype) ? Values::plain : Values::special),
                              in(dtype, {1, 9, 6}, Values::positive)));
  for (const LayoutKind layout : kAllLayouts) {
    cases.push_back(matmul_case("x's layout", dtype, {2, 9, 21, 20}, layout));
    cases.push_back(matmul_case("y's layout", dtype, {2, 9, 21, 20}, LayoutKind::contiguous, layout));
    cases.push_back(matmul_case("both layouts", dtype, {2, 9, 21, 5}, layout, layout));
  }
  for (const LayoutKind layout : kOutputLayouts) {
    cases.push_back(matmul_case("layout of the output", dtype, {2, 9, 21, 20}, LayoutKind::contiguous,
                                LayoutKind::contiguous, layout));
    cases.push_back(matmul_case("layout of the output", dtype, {2, 9, 21, 4}, LayoutKind::contiguous,
                                LayoutKind::contiguous, layout));
  }
}

HostArray with_specials(DType dtype, const Shape& shape) {
  HostArray x = make_values(dtype, shape, Values::plain, 3);
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      x.set<T>(7, std::numeric_limits<T>::quiet_NaN());
      x.set<T>(x.size() - 2, std::numeric_limits<T>::infinity());
      x.set<T>(x.size() / 2, -std::numeric_limits<T>::infinity());
    }
  });
  return x;
}

void add_float_matmuls(std::vector<KernelCase>& cases, DType dtype) {
  for (const Extents& e : {Extents{1, 131, 300, 70},
                           {1, 1000, 64, 3},
                           {1, 3, 64, 1000},
                           {1, 130, 70, 16},
                           {1, 1000, 17, 65},
                           {1, 17, 1500, 9},
                           {40, 30, 20, 10},
                           {1, 300, 2, 300},
                           {1, 1, 70001, 1},
                           {1, 7, 1, 70001}}) {
    cases.push_back(matmul_case("large", dtype, e));
    cases.push_back(matmul_case("large, transposed", dtype, e, LayoutKind::swapped, LayoutKind::swapped));
  }
  for (const std::int64_t n : {1, 2, 3, 7, 15, 16, 17, 31}) {
    cases.push_back(matmul_case("few columns", dtype, {1, 210, 65, n}));
    cases.push_back(matmul_case("few columns of a transposed y", dtype, {1, 210, 65, n},
                                LayoutKind::contiguous, LayoutKind::swapped));
  }
  for (const std::int64_t k : {1, 3, 16, 31, 32, 33, 64, 65}) {
    cases.push_back(matmul_case("features", dtype, {1, 70, k, 37}));
    cases.push_back(
        matmul_case("features, transposed", dtype, {1, 37, k, 70}, LayoutKind::swapped, LayoutKind::swapped));
  }
  for (const auto& [m, k, n] : {std::tuple{9, 21, 5}, {40, 64, 40}, {130, 70, 17}}) {
    const std::int64_t rows = m;
    const std::int64_t inner = k;
    const std::int64_t columns = n;
    cases.push_back(matmul_case("NaN and infinities in x", in(with_specials(dtype, {1, rows, inner})),
                                in(dtype, {1, inner, columns})));
    cases.push_back(matmul_case("NaN and infinities in y", in(dtype, {1, rows, inner}),
                                in(with_specials(dtype, {1, inner, columns}))));
  }
}

/// argmin over j of bias[j] + alpha x_i . y_j. Exact where values are small integers: then ties are ties.
KernelCase argmin_case(std::string label, double alpha, KernelOperand x, KernelOperand y, KernelOperand bias,
                       LayoutKind layout = LayoutKind::contiguous) {
  const bool exact = x.values == Values::few;
  const DType dtype = x.dtype;
  const std::int64_t m = x.shape[0];
  return {.kernel = "matmul_argmin",
          .name = std::move(label),
          .operands = {std::move(x), std::move(y), std::move(bias), out(int64, {m}, layout),
                       out(dtype, {m}, layout)},
          .call =
              [alpha](DeviceInterface& device, std::span<const View> v) {
                device.matmul_argmin(Precision::ieee, alpha, v[0], v[1], v[2], v[3], v[4]);
              },
          .tolerance = exact ? kExact : Tolerance{0, 4096 * unit(dtype)}};
}

void add_matmul_argmins(std::vector<KernelCase>& cases, DType dtype) {
  struct Sizes {
    std::int64_t m, k, n;
  };
  for (const Values values : {Values::few, Values::plain}) {
    for (const Sizes& s : {Sizes{1, 1, 1},
                           {7, 3, 5},
                           {70, 16, 33},
                           {257, 20, 100},
                           {1000, 8, 17},
                           {3, 5, 1000},
                           {0, 4, 3},
                           {9, 0, 4}}) {
      cases.push_back(argmin_case(name(values), -2, in(dtype, {s.m, s.k}, values),
                                  in(dtype, {s.n, s.k}, values), in(dtype, {s.n}, values)));
    }
    // On both sides of the numbers of features at which devices choose another kernel.
    for (const std::int64_t k : {1, 3, 16, 31, 32, 33, 64, 65}) {
      cases.push_back(argmin_case("features", -2, in(dtype, {70, k}, values), in(dtype, {37, k}, values),
                                  in(dtype, {37}, values)));
    }
    for (const LayoutKind layout : kAllLayouts) {
      cases.push_back(argmin_case("layout", 0.5, in(dtype, {30, 9}, values, layout),
                                  in(dtype, {20, 9}, values, layout), in(dtype, {20}, values)));
    }
    cases.push_back(argmin_case("strided outputs", -2, in(dtype, {30, 9}, values), in(dtype, {20, 9}, values),
                                in(dtype, {20}, values, LayoutKind::stepped), LayoutKind::stepped));
  }
  HostArray bias(dtype, {4});
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      for (std::int64_t i = 0; i < 4; ++i) bias.set<T>(i, std::numeric_limits<T>::infinity());
    }
  });
  cases.push_back(argmin_case("all infinite", 1, in(dtype, {5, 3}, Values::few),
                              in(dtype, {4, 3}, Values::few), in(bias)));
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) bias.set<T>(2, std::numeric_limits<T>::quiet_NaN());
  });
  cases.push_back(
      argmin_case("NaN", 1, in(dtype, {5, 3}, Values::few), in(dtype, {4, 3}, Values::few), in(bias)));
}

}  // namespace

std::vector<KernelCase> product_cases() {
  std::vector<KernelCase> cases;
  for (const DType dtype : kAllDTypes) {
    if (is_numeric(dtype)) add_matmuls(cases, dtype);
  }
  for (const DType dtype : {float32, float64}) {
    add_float_matmuls(cases, dtype);
    add_matmul_argmins(cases, dtype);
  }
  return cases;
}

}  // namespace tessera::test
