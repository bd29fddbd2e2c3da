#include "conformance/kernel_case.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tessera::test {

namespace {

KernelCase sort_case(bool descending, bool indices, KernelOperand x,
                     LayoutKind layout = LayoutKind::contiguous) {
  KernelOperand result = out(indices ? int64 : x.dtype, x.shape, layout);
  return {.kernel = "sort",
          .name = fmt::format("{}{}, {} values", descending ? "descending" : "ascending",
                              indices ? ", indices" : "", name(x.values)),
          .operands = {std::move(x), std::move(result)},
          .call = [=](DeviceInterface& device, std::span<const View> v) {
            device.sort(descending, indices, v[0], v[1]);
          }};
}

void add_sorts(std::vector<KernelCase>& cases, bool descending, bool indices, DType dtype) {
  for (const Values values : {Values::few, Values::special, Values::plain}) {
    for (const Shape& shape : {Shape{1, 1, 1}, Shape{1, 2, 1}, Shape{7, 5, 1}, Shape{1, 1000, 1},
                               Shape{3, 17, 5}, Shape{1, 33, 40}}) {
      cases.push_back(sort_case(descending, indices, in(dtype, shape, values)));
    }
  }
  for (const Shape& shape : {Shape{3, 0, 2}, Shape{0, 3, 2}, Shape{3, 4, 0}}) {
    cases.push_back(sort_case(descending, indices, in(dtype, shape)));
  }
  for (const LayoutKind layout : kAllLayouts) {
    cases.push_back(sort_case(descending, indices, in(dtype, {4, 37, 3}, Values::few, layout)));
  }
  for (const LayoutKind layout : kOutputLayouts) {
    cases.push_back(sort_case(descending, indices, in(dtype, {4, 37, 3}, Values::special), layout));
  }
  if (dtype == float32 || dtype == int64 || dtype == uint64) {
    cases.push_back(sort_case(descending, indices, in(dtype, {1, 70001, 1}, Values::special)));
    cases.push_back(sort_case(descending, indices, in(dtype, {1, 70001, 1}, Values::plain)));
    cases.push_back(sort_case(descending, indices, in(dtype, {257, 100, 1}, Values::few)));
  }
}

/// Ascending, NaN last.
HostArray sorted_values(DType dtype, std::int64_t length, Values values) {
  HostArray x = make_values(dtype, {length}, values, 9);
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> row;
    for (std::int64_t i = 0; i < length; ++i) row.push_back(x.at<T>(i));
    std::sort(row.begin(), row.end(), [](T a, T b) { return a == a && (b != b || a < b); });
    for (std::int64_t i = 0; i < length; ++i) x.set<T>(i, row[static_cast<std::size_t>(i)]);
  });
  return x;
}

KernelCase search_case(bool right, KernelOperand sorted, KernelOperand values,
                       LayoutKind layout = LayoutKind::contiguous) {
  KernelOperand result = out(int64, values.shape, layout);
  return {.kernel = "searchsorted",
          .name = right ? "right" : "left",
          .operands = {std::move(sorted), std::move(values), std::move(result)},
          .call = [=](DeviceInterface& device, std::span<const View> v) {
            device.searchsorted(right, v[0], v[1], v[2]);
          }};
}

void add_searches(std::vector<KernelCase>& cases, bool right, DType dtype) {
  for (const Values kind : {Values::few, Values::special, Values::plain}) {
    for (const std::int64_t length : {0, 1, 2, 31, 1000}) {
      cases.push_back(search_case(right, in(sorted_values(dtype, length, kind)), in(dtype, {111}, kind)));
    }
  }
  cases.push_back(search_case(right, in(sorted_values(dtype, 100, Values::plain)), in(dtype, {0})));
  for (const LayoutKind layout : {LayoutKind::offset, LayoutKind::stepped, LayoutKind::negative}) {
    cases.push_back(search_case(right, in(sorted_values(dtype, 100, Values::plain), layout),
                                in(dtype, {57}, Values::plain, layout), layout));
  }
  if (dtype == float32 || dtype == float64) {
    cases.push_back(search_case(right, in(sorted_values(dtype, 70001, Values::plain)), in(dtype, {20011})));
  }
}

KernelCase nonzero_case(KernelOperand x, LayoutKind layout = LayoutKind::contiguous) {
  std::int64_t count = 0;
  const HostArray values = x.data ? *x.data : make_values(x.dtype, x.shape, x.values, 1);
  const std::int64_t size = values.size();
  visit_dtype(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < size; ++i) count += values.at<T>(i) != T{0} ? 1 : 0;
  });
  return {.kernel = "nonzero",
          .name = name(x.values),
          .operands = {std::move(x), out(int64, {count}, layout)},
          .call = [](DeviceInterface& device, std::span<const View> v) { device.nonzero(v[0], v[1]); }};
}

void add_nonzeros(std::vector<KernelCase>& cases, DType dtype) {
  for (const std::int64_t length : {0, 1, 7, 64, 65, 1000, 70001}) {
    cases.push_back(nonzero_case(in(dtype, {length}, Values::few)));
  }
  cases.push_back(nonzero_case(in(dtype, {211}, Values::special)));
  cases.push_back(nonzero_case(in(dtype, {211}, Values::positive)));
  cases.push_back(nonzero_case(in(HostArray(dtype, {211}))));
  for (const LayoutKind layout : {LayoutKind::offset, LayoutKind::stepped, LayoutKind::negative}) {
    cases.push_back(nonzero_case(in(dtype, {301}, Values::few, layout), layout));
  }
}

}  // namespace

std::vector<KernelCase> sorting_cases() {
  std::vector<KernelCase> cases;
  for (const DType dtype : kAllDTypes) {
    for (const bool descending : {false, true}) {
      for (const bool indices : {false, true}) add_sorts(cases, descending, indices, dtype);
    }
    for (const bool right : {false, true}) add_searches(cases, right, dtype);
    add_nonzeros(cases, dtype);
  }
  return cases;
}

}  // namespace tessera::test
