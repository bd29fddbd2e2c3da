#include <type_traits>

#include "devices/common/element_ops.hpp"
#include "devices/reference/checks.hpp"
#include "devices/reference/reference_device.hpp"
#include "devices/reference/views.hpp"

namespace tessera::reference {

namespace {

/// Calls f(o, i) for each row of an [outer, axis, inner] view.
template <class F>
void for_each_row(const View& x, F&& f) {
  for (std::int64_t o = 0; o < x.shape[0]; ++o) {
    for (std::int64_t i = 0; i < x.shape[2]; ++i) f(o, i);
  }
}

/// What sums and products of T accumulate in.
template <class T>
using Accumulator = std::conditional_t<
    std::is_floating_point_v<T>, double,
    std::conditional_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>, std::uint64_t, std::int64_t>>;

template <class T>
Accumulator<T> accumulate(bool product, Accumulator<T> total, T value) {
  const auto wide = static_cast<Accumulator<T>>(value);
  return product ? element::multiply(total, wide) : element::add(total, wide);
}

/// Sums and products of T into Result; with `running`, every partial one.
template <class T, class Result>
void accumulate_rows(bool product, bool running, const View& x, const View& out) {
  auto from = elements<T>(x);
  auto to = elements<Result>(out);
  for_each_row(x, [&](std::int64_t o, std::int64_t i) {
    Accumulator<T> total = product ? 1 : 0;
    for (std::int64_t a = 0; a < x.shape[1]; ++a) {
      total = accumulate<T>(product, total, from(o, a, i));
      if (running) to(o, a, i) = static_cast<Result>(total);
    }
    if (!running) to(o, i) = static_cast<Result>(total);
  });
}

void accumulate_any(bool product, bool running, const View& x, const View& out) {
  visit_dtype(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, float>) {
      if (out.dtype == float32) return accumulate_rows<float, float>(product, running, x, out);
    }
    accumulate_rows<T, Accumulator<T>>(product, running, x, out);
  });
}

void extreme_rows(bool smallest, const View& x, const View& out) {
  visit_dtype(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto from = elements<T>(x);
    auto to = elements<T>(out);
    for_each_row(x, [&](std::int64_t o, std::int64_t i) {
      T best = from(o, 0, i);
      for (std::int64_t a = 1; a < x.shape[1]; ++a) {
        best = smallest ? element::minimum<T>(best, from(o, a, i)) : element::maximum<T>(best, from(o, a, i));
      }
      to(o, i) = best;
    });
  });
}

void logical_rows(bool all, const View& x, const View& out) {
  auto from = elements<bool>(x);
  auto to = elements<bool>(out);
  for_each_row(x, [&](std::int64_t o, std::int64_t i) {
    bool result = all;
    for (std::int64_t a = 0; a < x.shape[1]; ++a) {
      result = all ? result && from(o, a, i) : result || from(o, a, i);
    }
    to(o, i) = result;
  });
}

void check_rows(const Check& check, const View& x, const View& out) {
  check.rank("x", x, 3);
  check.shape("out", out, {x.shape[0], x.shape[2]});
  check.input("x", x);
  check.output("out", out, {&x}, false);
}

}  // namespace

void ReferenceDevice::reduce(ReduceOp op, const View& x, const View& out) {
  const Check check(kernel_name("reduce", op));
  check_rows(check, x, out);
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::prod:
      check.that(accumulates_into(x.dtype, out.dtype), "the dtypes that ReduceOp lists for sum and prod");
      return accumulate_any(op == ReduceOp::prod, false, x, out);
    case ReduceOp::min:
    case ReduceOp::max:
      check.dtype("out", out, x.dtype);
      check.that(is_numeric(x.dtype), "x to be numeric");
      check.that(x.shape[1] > 0 || out.size() == 0, "an axis longer than 0");
      return extreme_rows(op == ReduceOp::min, x, out);
    case ReduceOp::any:
    case ReduceOp::all:
      check.dtype("x", x, bool_);
      check.dtype("out", out, bool_);
      return logical_rows(op == ReduceOp::all, x, out);
  }
}

void ReferenceDevice::arg_reduce(ArgReduceOp op, const View& x, const View& out) {
  const Check check(kernel_name("arg_reduce", op));
  check_rows(check, x, out);
  check.dtype("out", out, int64);
  check.that(x.shape[1] > 0 || out.size() == 0, "an axis longer than 0");
  visit_dtype(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto from = elements<T>(x);
    auto to = elements<std::int64_t>(out);
    for_each_row(x, [&](std::int64_t o, std::int64_t i) {
      std::int64_t best = 0;
      for (std::int64_t a = 1; a < x.shape[1]; ++a) {
        if (element::takes_over<T>(op, from(o, a, i), from(o, best, i))) best = a;
      }
      to(o, i) = best;
    });
  });
}

void ReferenceDevice::scan(ScanOp op, const View& x, const View& out) {
  const Check check(kernel_name("scan", op));
  check.rank("x", x, 3);
  check.shape("out", out, x.shape);
  check.that(accumulates_into(x.dtype, out.dtype), "the dtypes that ReduceOp lists for sum and prod");
  check.input("x", x);
  check.output("out", out, {&x}, false);
  accumulate_any(op == ScanOp::prod, true, x, out);
}

}  // namespace tessera::reference
