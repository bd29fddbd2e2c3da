// Compiled functions give what the plain ones give, to the bit.

#include <array>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <tessera/tessera.hpp>

#include "support/arrays.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera {
namespace {

using test::same_bits;

class CompileTest : public test::DeviceTest {
 protected:
  Array values(const Shape& shape, DType dtype = float32, std::uint64_t seed = 1) const {
    return test::upload(test::make_values(dtype, shape, test::Values::plain, seed), device());
  }
};

Array wave(const Array& x) {
  return sqrt(x * x + 1) * 0.5 + x - 0.25 * x * x + 3;
}

TEST_P(CompileTest, ElementWiseChain) {
  const auto compiled = compile(wave);
  for (const Shape& shape : {Shape{7}, Shape{5, 6}, Shape{}, Shape{0}, Shape{2, 3, 4}}) {
    const Array x = values(shape);
    EXPECT_TRUE(same_bits(compiled(x), wave(x))) << to_string(shape);
    EXPECT_TRUE(same_bits(compiled(x), wave(x)));
  }
  EXPECT_EQ(compiled.stats().traces, 5);
  EXPECT_EQ(compiled.stats().hits, 5);
}

TEST_P(CompileTest, EveryFamilyOfOperations) {
  const auto everything = [](const Array& x, const Array& y) {
    const Array order = argsort(x, {.axis = 1});
    const Array sorted = take_along_axis(x, order, {.axis = 1});
    const Array scaled =
        (x - mean(x, {.axis = 1, .keepdims = true})) / (1 + sqrt(var(x, {.axis = 1, .keepdims = true})));
    const Array product = matmul(scaled, y);
    const Array joined = concat({product, 2 * product, flip(product, 0)}, {.axis = 1});
    const Array counts = scatter_add(zeros({4}, {.dtype = int64, .device = x.device()}),
                                     remainder(argmin(product, {.axis = 1}), 4), 1);
    const Array grid = eye(3, {.dtype = float64, .device = x.device()});
    return std::tuple(sorted, joined, counts, grid, cumulative_sum(x, {.axis = 0}),
                      searchsorted(linspace(-1, 1, 5, {.device = x.device()}), product),
                      random::uniform(random::Key(3), {5}, {.device = x.device()}), stack({x, -x}),
                      astype(round(x * 10), int16), any(x > 1, {.axis = 0}), all(isfinite(x)), prod(x),
                      where(x > 0, x, 0), one_hot(argmax(x, {.axis = 1}), 6), permute_dims(product, {1, 0}));
  };
  const Array x = values({9, 6});
  const Array y = values({6, 4}, float32, 2);
  const auto compiled = compile(everything);
  const auto expected = everything(x, y);
  for (int call = 0; call < 2; ++call) {
    const auto actual = compiled(x, y);
    const auto list = [](const auto&... arrays) { return std::vector<Array>{arrays...}; };
    const std::vector<Array> ours = std::apply(list, actual);
    const std::vector<Array> theirs = std::apply(list, expected);
    for (std::size_t i = 0; i < ours.size(); ++i)
      EXPECT_TRUE(same_bits(ours[i], theirs[i])) << "result " << i;
  }
}

TEST_P(CompileTest, LayoutsOfArguments) {
  const auto f = [](const Array& x, const Array& y) { return sum(x * y + 1, {.axis = 1}); };
  const auto compiled = compile(f);
  const Array y = values({4, 6}, float32, 9);
  for (const test::LayoutKind kind : test::kAllLayouts) {
    const Array x = test::place(test::suited(test::make_values(float32, {4, 6}, test::Values::plain), kind),
                                kind, device());
    EXPECT_TRUE(same_bits(compiled(x, y), f(x, y))) << test::name(kind);
  }
  // Contiguous ones share a trace wherever they begin.
  const Array wide = values({8, 6});
  const auto traces = compiled.stats().traces;
  for (int start = 0; start < 4; ++start) {
    const Array x = index(wide, {slice(start, start + 4)});
    EXPECT_TRUE(same_bits(compiled(x, y), f(x, y))) << start;
  }
  EXPECT_EQ(compiled.stats().traces, traces);
}

TEST_P(CompileTest, OptionsAreAPartOfTheKey) {
  struct Options {
    int axis = 0;
    double scale = 1;
    std::optional<int> shift;
  };
  const auto f = [](const Array& x, const Options& options) {
    Array result = sum(x, {.axis = options.axis}) * options.scale;
    if (options.shift) result = std::move(result) + *options.shift;
    return result;
  };
  const auto compiled = compile(f);
  const Array x = values({3, 5});
  for (const Options& options :
       {Options{0, 1, {}}, Options{1, 1, {}}, Options{1, 0.5, {}}, Options{1, 0.5, 2}}) {
    EXPECT_TRUE(same_bits(compiled(x, options), f(x, options)));
    EXPECT_TRUE(same_bits(compiled(x, options), f(x, options)));
  }
  EXPECT_EQ(compiled.stats().traces, 4);
}

TEST_P(CompileTest, ShapesOfArgumentsAndResults) {
  struct Pair {
    Array first;
    Array second;
  };
  const Array x = values({4});
  const Array y = values({4}, float32, 2);
  const auto of_span = compile([](std::span<const Array> all) { return concat(all); });
  const std::vector<Array> both{x, y};
  EXPECT_TRUE(same_bits(of_span(std::span<const Array>(both)), concat({x, y})));
  const auto of_vector = compile([](const std::vector<Array>& all) { return all[0] + all[1]; });
  EXPECT_TRUE(same_bits(of_vector(both), x + y));
  const auto of_struct = compile([](const Pair& p) { return Pair{p.first + p.second, p.first}; });
  const Pair result = of_struct(Pair{x, y});
  EXPECT_TRUE(same_bits(result.first, x + y));
  EXPECT_TRUE(same_bits(result.second, x));
  const auto of_nested = compile([](const std::optional<Array>& maybe, Operand other) {
    return std::pair(std::array{add(maybe ? *maybe : zeros_like(other.array()), other)}, 7);
  });
  EXPECT_TRUE(same_bits(of_nested(std::optional(x), Operand(y)).first[0], x + y));
  EXPECT_TRUE(same_bits(of_nested(std::optional<Array>(), Operand(y)).first[0], y + 0));
  EXPECT_EQ(of_nested(std::optional(x), Operand(y)).second, 7);
}

TEST_P(CompileTest, CapturedArraysAreConstants) {
  const Array weights = values({3});
  const auto f = [&](const Array& x) { return x * weights + asarray(2.0F, {.device = x.device()}); };
  const auto compiled = compile(f);
  const Array x = values({2, 3}, float32, 4);
  EXPECT_TRUE(same_bits(compiled(x), f(x)));
  EXPECT_NE(compiled.explain().find("constant"), std::string::npos) << compiled.explain();
}

TEST_P(CompileTest, NestedOnesAreInlined) {
  const auto inner = compile(wave);
  const auto outer = compile([&](const Array& x) { return inner(x) + inner(2 * x); });
  const Array x = values({11});
  EXPECT_TRUE(same_bits(outer(x), wave(x) + wave(2 * x)));
  EXPECT_EQ(inner.stats().traces, 0);
}

TEST_P(CompileTest, WhatIsTooLargeToBeGroupedIsLeftAndExplainSaysSo) {
  if (device().name() != "cpu") GTEST_SKIP() << "grouping knows no device";
  // Every scan is one more way from the group of the products to what else reads them.
  const auto f = [](const Array& x) {
    const Array y = x + 1;
    std::vector<Array> all;
    for (int i = 1; i <= 3500; ++i) all.push_back(cumulative_sum(y * i) + y);
    return all;
  };
  const auto compiled = compile(f);
  const Array x = values({3});
  const std::vector<Array> actual = compiled(x);
  const std::vector<Array> expected = f(x);
  EXPECT_NE(compiled.explain().find("too large to be grouped as a whole"), std::string::npos);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_TRUE(same_bits(actual[i], expected[i])) << i;
  const auto small = compile(wave);
  small(x);
  EXPECT_EQ(small.explain().find("too large"), std::string::npos);
}

TEST_P(CompileTest, ArgumentsAreNeverWrittenOver) {
  const auto compiled = compile([](Array x) { return (std::move(x) + 1) * 2; });
  Array x = values({100});
  const Array kept = copy(x);
  const Array result = compiled(x);
  EXPECT_TRUE(same_bits(x, kept));
  EXPECT_TRUE(same_bits(result, (kept + 1) * 2));
}

TEST_P(CompileTest, ResultsThatAreArgumentsOrViewsOfThem) {
  const auto compiled = compile([](const Array& x) { return std::pair(x, matrix_transpose(x)); });
  const Array x = index(values({5, 4}), {slice(1, 4)});
  const auto [same, turned] = compiled(x);
  EXPECT_TRUE(same_bits(same, x));
  EXPECT_TRUE(same_bits(turned, matrix_transpose(x)));
}

TEST_P(CompileTest, SeveralVersionsOfOneTarget) {
  const auto f = [](const Array& x, const Array& at) {
    const Array once = scatter_add(x, at, 1);
    const Array twice = scatter_add(once, at, 1);
    return std::tuple(scatter_set(x, at, 0), once, twice);
  };
  const auto compiled = compile(f);
  const Array x = values({6});
  const Array at = asarray({1, 3, 3}, {.device = device()});
  const auto actual = compiled(x, at);
  const auto expected = f(x, at);
  EXPECT_TRUE(same_bits(std::get<0>(actual), std::get<0>(expected)));
  EXPECT_TRUE(same_bits(std::get<1>(actual), std::get<1>(expected)));
  EXPECT_TRUE(same_bits(std::get<2>(actual), std::get<2>(expected)));
}

TESSERA_FOR_EACH_DEVICE(CompileTest);

}  // namespace
}  // namespace tessera
