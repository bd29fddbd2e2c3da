// Every kernel gives the same bits for any number of threads.

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <tessera/device.hpp>
#include <tessera/device_state.hpp>
#include <tessera/tessera.hpp>

#include "support/arrays.hpp"

namespace tessera::test {
namespace {

Device cpu() {
  return device("cpu");
}

/// Numbers of many magnitudes: a sum in another order has other bits.
Array numbers(const Shape& shape, DType dtype, std::uint64_t seed = 1) {
  const random::Key key(seed);
  const Array exponents =
      random::uniform(key, shape, {.low = -8, .high = 8, .dtype = dtype, .device = cpu()});
  const Array signs =
      random::uniform(key.fold_in(1), shape, {.low = -1, .high = 1, .dtype = dtype, .device = cpu()});
  return exp(exponents) * signs;
}

/// Small numbers with many ties.
Array ties(const Shape& shape, DType dtype) {
  return astype(random::randint(random::Key(3), -3, 4, shape, {.device = cpu()}), dtype);
}

Array positions(std::int64_t count, std::int64_t length) {
  return random::randint(random::Key(4), 0, length, {count}, {.device = cpu()});
}

struct Case {
  std::string name;
  std::function<Array()> run;
};

/// A contiguous array as a kernel sees it.
template <class T>
View view_of(const Array& x) {
  View view;
  view.data = const_cast<T*>(x.host_view<T>().data());
  view.dtype = x.dtype();
  view.shape = x.shape();
  view.strides = row_major_strides(x.shape());
  return view;
}

/// The fused kernel's scores: only compiled code calls it.
template <class T>
Array nearest(const Array& x, const Array& centers) {
  const Array bias = sum(square(centers), {.axis = 1});
  const std::int64_t n = x.shape()[0];
  const Array index = zeros({n}, {.dtype = int64, .device = cpu()});
  const Array score = zeros({n}, {.dtype = x.dtype(), .device = cpu()});
  cpu().state().device.matmul_argmin(Precision::ieee, -2, view_of<T>(x), view_of<T>(centers),
                                     view_of<T>(bias), view_of<std::int64_t>(index), view_of<T>(score));
  return concat({astype(index, x.dtype()), score});
}

std::vector<Case> cases() {
  std::vector<Case> list;
  const auto add = [&](const std::string& name, std::function<Array()> run) {
    list.push_back({name, std::move(run)});
  };

  for (const DType dtype : {float32, float64}) {
    const std::string type(name(dtype));
    const Array wide = numbers({500, 700}, dtype);
    const Array tall = numbers({100000, 3}, dtype);
    const Array pairs = numbers({200000, 2}, dtype);
    const Array line = numbers({300001}, dtype);
    const Array few = ties({500, 700}, dtype);

    add("exp " + type, [=] { return exp(wide / 1e4); });
    add("log " + type, [=] { return log(abs(line)); });
    add("add a row " + type, [=] { return wide + index(wide, {0}); });
    add("add a column " + type, [=] { return wide + index(wide, {Slice{}, Slice{0, 1}}); });
    add("add a transposed " + type, [=] { return tall + matrix_transpose(numbers({3, 100000}, dtype)); });
    add("where " + type, [=] { return where(wide > 0, wide, -1); });
    add("transposed copy " + type, [=] { return ascontiguousarray(matrix_transpose(wide)); });
    add("cast " + type, [=] { return astype(wide, int32); });
    for (const int axis : {0, 1}) {
      const std::string along = " axis " + std::to_string(axis) + " " + type;
      add("sum wide" + along, [=] { return sum(wide, {.axis = axis}); });
      add("sum tall" + along, [=] { return sum(tall, {.axis = axis}); });
      add("sum transposed" + along, [=] { return sum(matrix_transpose(tall), {.axis = axis}); });
      add("prod tall" + along, [=] { return prod(tall, {.axis = axis}); });
      add("min wide" + along, [=] { return min(wide, {.axis = axis}); });
      add("mean pairs" + along, [=] { return mean(pairs, {.axis = axis}); });
      add("argmin ties" + along, [=] { return argmin(few, {.axis = axis}); });
      add("argmax tall" + along, [=] { return argmax(tall, {.axis = axis}); });
      add("cumulative sum" + along, [=] { return cumulative_sum(wide, {.axis = axis}); });
      add("sort" + along, [=] { return sort(few, {.axis = axis}); });
    }
    add("sum of all " + type, [=] { return sum(line); });
    add("sum of every second " + type, [=] { return sum(index(line, {Slice{0, {}, 2}})); });
    add("argmin of all " + type, [=] { return argmin(astype(line, int8)); });
    add("cumulative sum of all " + type, [=] { return cumulative_sum(line); });
    add("sort of all " + type, [=] { return sort(line); });
    add("argsort of all " + type, [=] { return argsort(ties({300001}, dtype)); });
    add("searchsorted " + type, [=] { return searchsorted(sort(index(line, {Slice{0, 1000}})), line); });
    add("nonzero " + type, [=] { return nonzero(ties({300001}, dtype))[0]; });
    add("matmul " + type, [=] { return matmul(wide, numbers({700, 300}, dtype)); });
    add("matmul of few columns " + type, [=] { return matmul(tall, numbers({3, 5}, dtype)); });
    add("matmul of a long inner dimension " + type, [=] { return matmul(matrix_transpose(tall), tall); });
    add("batched matmul " + type, [=] {
      return matmul(numbers({50, 30, 40}, dtype), numbers({50, 40, 20}, dtype));
    });
    add("matmul_argmin " + type, [=] {
      const Array x = numbers({20000, 20}, dtype);
      const Array centers = numbers({50, 20}, dtype);
      return dtype == float32 ? nearest<float>(x, centers) : nearest<double>(x, centers);
    });
    add("take " + type, [=] { return take(tall, positions(200000, 100000), {.axis = 0}); });
    add("take along " + type, [=] {
      return take_along_axis(wide, random::randint(random::Key(5), 0, 700, {500, 700}, {.device = cpu()}));
    });
    add("scatter add to few " + type, [=] {
      return scatter_add(zeros({10, 3}, {.dtype = dtype, .device = cpu()}), positions(100000, 10), tall);
    });
    add("scatter add to many " + type, [=] {
      return scatter_add(zeros({400, 700}, {.dtype = float64, .device = cpu()}), positions(500, 400), wide);
    });
    add("scatter set " + type, [=] {
      return scatter_set(zeros({1000, 3}, {.dtype = dtype, .device = cpu()}), positions(100000, 1000), tall);
    });
    add("scatter min " + type, [=] {
      return scatter_min(zeros({1000, 3}, {.dtype = dtype, .device = cpu()}), positions(100000, 1000), tall);
    });
    add("uniform " + type,
        [=] { return random::uniform(random::Key(6), {300001}, {.dtype = dtype, .device = cpu()}); });
    add("normal " + type,
        [=] { return random::normal(random::Key(7), {300001}, {.dtype = dtype, .device = cpu()}); });
  }
  return list;
}

TEST(SameBitsTest, ForAnyNumberOfThreads) {
  for (const Case& test : cases()) {
    HostArray expected;
    for (const int threads : {1, 2, 3, 7}) {
      const ThreadScope scope(threads);
      const HostArray result = to_host_array(test.run());
      if (threads == 1) {
        expected = result;
      } else {
        EXPECT_EQ(result.bytes, expected.bytes) << test.name << " with " << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace tessera::test
