// Programs by plain kernels give what the same operations give one by one, in bits; a device's own `program`
// is held to the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <thread>
#include <vector>

#include <tessera/tessera.hpp>

#include "program/builder.hpp"
#include "support/arrays.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

class ProgramTest : public DeviceTest {
 protected:
  Array floats(const Shape& shape, std::uint64_t seed) const {
    return upload(make_values(float32, shape, Values::plain, seed), device());
  }
  Array blank(const Shape& shape, DType dtype) const {
    return empty(shape, {.dtype = dtype, .device = device()});
  }

  /// Runs it by plain kernels and by the device's own way. A value of the row is an array of [rows, 1].
  void run(const Program& program, const std::vector<Array>& inputs,
           const std::vector<Array>& expected) const {
    for (const bool plain : {true, false}) {
      SCOPED_TRACE(plain ? "by plain kernels" : "the device's own");
      std::vector<Array> outputs;
      outputs.reserve(expected.size());
      for (const Array& each : expected) outputs.push_back(blank(each.shape(), each.dtype()));
      run_into(program, inputs, outputs, plain);
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_TRUE(equal(outputs[i], expected[i]));
      }
    }
  }

  void run_into(const Program& program, const std::vector<Array>& inputs, const std::vector<Array>& outputs,
                bool plain) const {
    std::vector<View> in;
    std::vector<View> out;
    std::ranges::transform(inputs, std::back_inserter(in), view_of_array);
    std::ranges::transform(outputs, std::back_inserter(out), view_of_array);
    check(program, in, out);
    if (plain) {
      run_by_kernels(kernels_of(device()), program, in, out);
    } else {
      kernels_of(device()).program(program, in, out);
    }
  }
};

TEST_P(ProgramTest, ElementWiseCode) {
  const Array x = floats({37, 23}, 1);
  const Array y = floats({37, 23}, 2);
  Builder b(37, 23);
  const auto rx = b.load(0, float32);
  const auto ry = b.load(1, float32);
  const auto positive = b.binary(BinaryOp::greater, rx, b.constant(0, float32));
  const auto picked = b.where(positive, rx, ry);
  const auto scaled =
      b.binary(BinaryOp::multiply, b.unary(UnaryOp::square, picked), b.constant(0.5, float32));
  const auto wide = b.cast(scaled, float64);
  run(b.giving({scaled, positive, wide}), {x, y},
      {square(where(x > 0, x, y)) * 0.5, x > 0, astype(square(where(x > 0, x, y)) * 0.5, float64)});
}

TEST_P(ProgramTest, SeveralReductionsAndTheWorkThatFollows) {
  const Array x = floats({41, 130}, 3);
  const Array weights = floats({41, 1}, 4);
  Builder b(41, 130);
  const auto rx = b.load(0, float32);
  const auto rw = b.load(1, float32, true);
  const auto total = b.reduce(ReduceOp::sum, b.unary(UnaryOp::square, rx), float64);
  const auto least = b.reduce(ReduceOp::min, rx, float32);
  const auto where_least = b.arg_reduce(ArgReduceOp::argmin, rx);
  const auto some = b.reduce(ReduceOp::any, b.binary(BinaryOp::greater, rx, b.constant(3.9, float32)), bool_);
  const auto norm = b.unary(UnaryOp::sqrt, total);
  const auto weighted = b.binary(BinaryOp::multiply, least, rw);
  run(b.giving({norm, weighted, where_least, some}), {x, weights},
      {sqrt(sum(square(x), {.axis = 1, .keepdims = true, .dtype = float64})),
       min(x, {.axis = 1, .keepdims = true}) * weights, argmin(x, {.axis = 1, .keepdims = true}),
       any(x > 3.9, {.axis = 1, .keepdims = true})});
}

TEST_P(ProgramTest, AValueOfTheRowMeetsTheDomain) {
  const Array x = floats({17, 19}, 5);
  const Array row = floats({17, 1}, 6);
  const Array column = floats({1, 19}, 7);
  Builder b(17, 19);
  const auto difference =
      b.binary(BinaryOp::subtract, b.load(0, float32), b.unary(UnaryOp::negative, b.load(1, float32, true)));
  const auto result = b.binary(BinaryOp::multiply, difference, b.load(2, float32));
  run(b.giving({result}), {x, row, broadcast_to(column, {17, 19})}, {(x - negative(row)) * column});
}

TEST_P(ProgramTest, InputsOfAnyLayout) {
  for (const LayoutKind kind : kAllLayouts) {
    SCOPED_TRACE(name(kind));
    const HostArray values = suited(make_values(float32, {21, 34}, Values::plain, 8), kind);
    const Array x = place(values, kind, device());
    const Array plain = upload(values, device());
    Builder b(21, 34);
    const auto rx = b.load(0, float32);
    const auto moved = b.binary(BinaryOp::add, rx, b.constant(1, float32));
    run(b.giving({moved, b.arg_reduce(ArgReduceOp::argmax, rx), b.reduce(ReduceOp::max, rx, float32)}), {x},
        {plain + 1, argmax(plain, {.axis = 1, .keepdims = true}), max(plain, {.axis = 1, .keepdims = true})});
  }
}

TEST_P(ProgramTest, OutputsWithStrides) {
  const Array x = floats({5, 7}, 9);
  const Array frame = full({5, 16}, -1, {.dtype = float32, .device = device()});
  const Array rows = full({11}, -1, {.dtype = float32, .device = device()});
  Builder b(5, 7);
  const auto rx = b.load(0, float32);
  const Program program = b.giving({b.unary(UnaryOp::negative, rx), b.reduce(ReduceOp::max, rx, float32)});
  const Array out = index(frame, {ellipsis, slice(1, 15, 2)});
  const Array maxima = expand_dims(index(rows, {slice(10, {}, -2)}), 1);  // 10, 8, 6, 4, 2, 0
  run_into(program, {x}, {out, index(maxima, {slice(0, 5)})}, true);
  EXPECT_TRUE(equal(out, negative(x)));
  EXPECT_TRUE(equal(index(frame, {ellipsis, slice(0, 16, 2)}),
                    full({5, 8}, -1, {.dtype = float32, .device = device()})));
  EXPECT_TRUE(equal(index(maxima, {slice(0, 5)}), max(x, {.axis = 1, .keepdims = true})));
  EXPECT_EQ(index(rows, {0}).item<float>(), -1);
  EXPECT_EQ(index(rows, {9}).item<float>(), -1);
}

TEST_P(ProgramTest, RegistersThatNoKernelWritesAsOutputs) {
  const Array x = floats({4, 6}, 10);
  const Array row = floats({4, 1}, 11);
  Builder b(4, 6);
  const auto rx = b.load(0, float32);
  const auto doubled = b.binary(BinaryOp::add, rx, rx);
  const CreationOptions here{.dtype = float32, .device = device()};
  run(b.giving({rx, b.load(1, float32, true), b.constant(7, float32), doubled, b.constant(5, float32, true),
                doubled}),
      {x, row}, {x, row, full({4, 6}, 7, here), x + x, full({4, 1}, 5, here), x + x});
}

TEST_P(ProgramTest, ReductionsOfConstants) {
  Builder b(3, 10);
  const auto two = b.constant(2, float32);
  const auto sum_of = b.reduce(ReduceOp::sum, two, float32);
  const auto least = b.arg_reduce(ArgReduceOp::argmin, two);
  const auto doubled = b.binary(BinaryOp::multiply, two, two);
  const CreationOptions here{.dtype = float32, .device = device()};
  run(b.giving({sum_of, least, doubled}), {},
      {full({3, 1}, 20, here), zeros({3, 1}, {.dtype = int64, .device = device()}), full({3, 10}, 4, here)});
}

TEST_P(ProgramTest, EmptyDomains) {
  const CreationOptions here{.dtype = float32, .device = device()};
  {
    Builder b(0, 5);
    const auto rx = b.load(0, float32);
    run(b.giving({b.unary(UnaryOp::exp, rx), b.arg_reduce(ArgReduceOp::argmin, rx)}), {zeros({0, 5}, here)},
        {zeros({0, 5}, here), zeros({0, 1}, {.dtype = int64, .device = device()})});
  }
  Builder b(5, 0);
  const auto rx = b.load(0, float32);
  run(b.giving({b.reduce(ReduceOp::sum, rx, float32), b.reduce(ReduceOp::prod, rx, float64)}),
      {zeros({5, 0}, here)}, {zeros({5, 1}, here), ones({5, 1}, {.dtype = float64, .device = device()})});
}

TEST_P(ProgramTest, TemporariesGoAfterTheirLastUse) {
  const Array x = floats({100, 100}, 12);
  const Array out = blank({100, 1}, float32);
  Builder b(100, 100);
  auto reg = b.load(0, float32);
  for (int i = 0; i < 12; ++i) reg = b.unary(UnaryOp::abs, reg);
  const Program program = b.giving({b.reduce(ReduceOp::sum, reg, float32)});
  const PeakScope scope(device());
  run_into(program, {x}, {out}, true);
  EXPECT_LE(scope.peak(), 2 * 100 * 100 * 4 + 4096);
  EXPECT_GE(scope.peak(), 100 * 100 * 4);
}

TEST_P(ProgramTest, WhatADeviceKeepsOfAProgramIsOfThatProgramAndTheseViews) {
  const Array x = floats({37, 23}, 1);
  const Array turned = matrix_transpose(floats({23, 37}, 2));
  Builder b(37, 23);
  const auto rx = b.load(0, float32);
  const auto factor = b.constant(2, float32);
  const auto scaled = b.binary(BinaryOp::multiply, rx, factor);
  Program program = b.giving({scaled});  // at one address, whatever becomes of it
  for (int round = 0; round < 2; ++round) {
    run(program, {x}, {x * 2});
    run(program, {turned}, {turned * 2});
    program.steps[static_cast<std::size_t>(factor)].value = -3;
    run(program, {x}, {x * -3});
    program.steps[static_cast<std::size_t>(scaled)].op = static_cast<std::uint8_t>(BinaryOp::add);
    run(program, {x}, {x - 3});
    program = b.giving({scaled});
  }
  // More than anyone keeps, and then the first again, from several threads at once.
  std::vector<Program> many;
  for (int i = 0; i < 100; ++i) {
    b.step(factor).value = i;
    many.push_back(b.giving({scaled}));
  }
  const int calls = device().name() == "cpu" ? 200 : 5;
  const auto all = [&](int first) {
    for (int i = first; i < first + calls; ++i) {
      const Array out = blank({37, 23}, float32);
      run_into(many[static_cast<std::size_t>(i % 100)], {x}, {out}, false);
      EXPECT_TRUE(equal(out, x * (i % 100))) << i;
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) threads.emplace_back(all, 7 * t);
  for (std::thread& thread : threads) thread.join();
}

TESSERA_FOR_EACH_DEVICE(ProgramTest);

}  // namespace
}  // namespace tessera::test
