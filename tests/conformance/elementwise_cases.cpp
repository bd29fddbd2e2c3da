#include "conformance/kernel_case.hpp"

#include <fmt/format.h>

namespace tessera::test {

namespace {

KernelCase copy_case(std::string name, KernelOperand x, KernelOperand result) {
  return {.kernel = "copy",
          .name = std::move(name),
          .operands = {std::move(x), std::move(result)},
          .call = [](DeviceInterface& device, std::span<const View> v) { device.copy(v[0], v[1]); }};
}

void add_copies(std::vector<KernelCase>& cases) {
  for (const DType from : kAllDTypes) {
    for (const DType to : kAllDTypes) {
      cases.push_back(copy_case("cast", in(from, {211}, Values::special), out(to, {211})));
      cases.push_back(copy_case("cast of a transposed view",
                                in(from, {9, 13}, Values::special, LayoutKind::swapped), out(to, {9, 13})));
    }
    cases.push_back(copy_case("a scalar spread", scalar_in(from, {3, 70}), out(from, {3, 70})));
    cases.push_back(copy_case("0-d", in(from, {}), out(from, {})));
  }
  // Element sizes 1, 2, 4 and 8, and two casts, in every pair of layouts.
  for (const auto& [from, to] : {std::pair{uint8, uint8},
                                 {int16, int16},
                                 {float32, float32},
                                 {float64, float64},
                                 {float64, float32},
                                 {int32, float32}}) {
    for (const LayoutKind x : kAllLayouts) {
      for (const LayoutKind result : kOutputLayouts) {
        cases.push_back(copy_case("layouts", in(from, {7, 5}, Values::plain, x), out(to, {7, 5}, result)));
        cases.push_back(
            copy_case("layouts", in(from, {35, 67}, Values::plain, x), out(to, {35, 67}, result)));
      }
      cases.push_back(
          copy_case("three dimensions", in(from, {3, 5, 7}, Values::plain, x), out(to, {3, 5, 7})));
      cases.push_back(copy_case("empty", in(from, {3, 0}, Values::plain, x), out(to, {3, 0})));
    }
    cases.push_back(copy_case("large, transposed",
                              in(from, {1000, 257}, Values::plain, LayoutKind::transposed),
                              out(to, {1000, 257})));
    cases.push_back(copy_case("large, transposed out", in(from, {5, 70001}),
                              out(to, {5, 70001}, LayoutKind::transposed)));
    cases.push_back(copy_case("large, stepped", in(from, {5, 70001}, Values::plain, LayoutKind::stepped),
                              out(to, {5, 70001})));
  }
  const Shape deep = Shape::filled(kMaxRank, 2);
  cases.push_back(copy_case("the most dimensions", in(float32, deep, Values::plain, LayoutKind::transposed),
                            out(float32, deep)));
  cases.push_back(copy_case("cast in place", in(int32, {1003}), out_same_as(0, float32, {1003})));
  cases.push_back(copy_case("cast in place, stepped",
                            in(float64, {9, 11}, Values::special, LayoutKind::stepped),
                            out_same_as(0, int64, {9, 11}, LayoutKind::stepped)));
}

KernelCase fill_case(Scalar value, KernelOperand result) {
  return {.kernel = "fill",
          .name = "value " + value.to_string(),
          .operands = {std::move(result)},
          .call = [value](DeviceInterface& device, std::span<const View> v) { device.fill(value, v[0]); }};
}

void add_fills(std::vector<KernelCase>& cases) {
  for (const DType dtype : kAllDTypes) {
    for (const Scalar value : {Scalar(0), Scalar(-3), Scalar(2.5), Scalar(true), Scalar(~std::uint64_t{0})}) {
      cases.push_back(fill_case(value, out(dtype, {131})));
    }
    for (const LayoutKind layout : kOutputLayouts) cases.push_back(fill_case(7, out(dtype, {9, 21}, layout)));
    cases.push_back(fill_case(7, out(dtype, {})));
    cases.push_back(fill_case(7, out(dtype, {0, 4})));
    cases.push_back(fill_case(7, out(dtype, {5, 70001})));
  }
}

KernelCase iota_case(Scalar start, Scalar step, KernelOperand result) {
  return {.kernel = "iota",
          .name = fmt::format("{} by {}", start.to_string(), step.to_string()),
          .operands = {std::move(result)},
          .call = [=](DeviceInterface& device, std::span<const View> v) { device.iota(start, step, v[0]); }};
}

void add_iotas(std::vector<KernelCase>& cases) {
  for (const DType dtype : kAllDTypes) {
    if (!is_numeric(dtype)) continue;
    for (const LayoutKind layout :
         {LayoutKind::contiguous, LayoutKind::offset, LayoutKind::stepped, LayoutKind::negative}) {
      cases.push_back(iota_case(3, 1, out(dtype, {77}, layout)));
      cases.push_back(iota_case(100, -7, out(dtype, {77}, layout)));
    }
    cases.push_back(iota_case(0, 1, out(dtype, {0})));
    cases.push_back(iota_case(0, 3, out(dtype, {70001})));
    if (is_floating(dtype)) cases.push_back(iota_case(-1.5, 0.1, out(dtype, {1003})));
  }
}

KernelCase where_case(std::string name, KernelOperand condition, KernelOperand a, KernelOperand b,
                      KernelOperand result) {
  return {
      .kernel = "where",
      .name = std::move(name),
      .operands = {std::move(condition), std::move(a), std::move(b), std::move(result)},
      .call = [](DeviceInterface& device, std::span<const View> v) { device.where(v[0], v[1], v[2], v[3]); }};
}

void add_wheres(std::vector<KernelCase>& cases) {
  for (const DType dtype : kAllDTypes) {
    const auto special = Values::special;
    cases.push_back(where_case("1-d", in(bool_, {211}), in(dtype, {211}, special), in(dtype, {211}, special),
                               out(dtype, {211})));
    cases.push_back(where_case("0-d", in(bool_, {}), in(dtype, {}), in(dtype, {}), out(dtype, {})));
    cases.push_back(where_case("scalars", in(bool_, {9, 70}), scalar_in(dtype, {9, 70}),
                               scalar_in(dtype, {9, 70}, special), out(dtype, {9, 70})));
    cases.push_back(where_case("in place of a", in(bool_, {301}), in(dtype, {301}), in(dtype, {301}),
                               out_same_as(1, dtype, {301})));
    cases.push_back(where_case("in place of b", in(bool_, {301}), scalar_in(dtype, {301}), in(dtype, {301}),
                               out_same_as(2, dtype, {301})));
    cases.push_back(where_case("empty", in(bool_, {0}), in(dtype, {0}), in(dtype, {0}), out(dtype, {0})));
  }
  for (const DType dtype : {uint8, float32, int64}) {
    for (const LayoutKind layout : kAllLayouts) {
      const LayoutKind result = layout == LayoutKind::broadcast ? LayoutKind::contiguous : layout;
      const auto plain = Values::plain;
      const Shape shape = {13, 37};
      cases.push_back(where_case("condition's layout", in(bool_, shape, plain, layout), in(dtype, shape),
                                 in(dtype, shape), out(dtype, shape)));
      cases.push_back(where_case("a's layout", in(bool_, shape), in(dtype, shape, plain, layout),
                                 in(dtype, shape), out(dtype, shape)));
      cases.push_back(where_case("all layouts", in(bool_, shape, plain, layout),
                                 in(dtype, shape, plain, layout), in(dtype, shape, plain, layout),
                                 out(dtype, shape, result)));
    }
    cases.push_back(where_case("large", in(bool_, {1000, 257}), in(dtype, {1000, 257}),
                               in(dtype, {1000, 257}), out(dtype, {1000, 257})));
  }
}

}  // namespace

std::vector<KernelCase> elementwise_cases() {
  std::vector<KernelCase> cases;
  add_copies(cases);
  add_fills(cases);
  add_iotas(cases);
  add_wheres(cases);
  return cases;
}

}  // namespace tessera::test
