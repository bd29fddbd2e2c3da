// What becomes of a traced function: which kernels run, how often, and with how much memory.

#include <map>
#include <string>
#include <utility>

#include <kmeans/assign.hpp>
#include <tessera/tessera.hpp>

#include "support/arrays.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera {
namespace {

using kmeans::Assignment;
using test::same_bits;

using Counts = std::map<std::string, std::int64_t>;

class FusionTest : public test::DeviceTest {
 protected:
  Array values(const Shape& shape, DType dtype = float32, std::uint64_t seed = 1) const {
    return test::upload(test::make_values(dtype, shape, test::Values::plain, seed), device());
  }
  template <class F>
  static Counts kernels_of(F&& f) {
    const Profiler profiler;
    f();
    Counts counts;
    // Without the way that a device's kernel takes: "matmul_argmin in registers".
    for (const ProfileRow& row : profiler.rows())
      counts[row.kernel.substr(0, row.kernel.find(' '))] += row.calls;
    return counts;
  }
  void expect_same(const Assignment& actual, const Assignment& expected) const {
    EXPECT_TRUE(same_bits(actual.labels, expected.labels));
    EXPECT_TRUE(same_bits(actual.score, expected.score));
  }
  /// Compiled gives the bits of plain, by these kernels.
  template <class F, class... Args>
  void expect_kernels(const Counts& expected, F&& f, const Args&... args) const {
    const auto compiled = compile(f);
    const Array plain = f(args...);
    EXPECT_TRUE(same_bits(compiled(args...), plain)) << compiled.explain();
    EXPECT_EQ(kernels_of([&] { compiled(args...); }), expected) << compiled.explain();
  }
};

TEST_P(FusionTest, AnElementWiseChainIsOneProgram) {
  expect_kernels(
      {{"program", 1}}, [](const Array& x) { return sqrt(x * x + 1) * 0.5 + x - 0.25 * x * x + 3; },
      values({30, 7}));
}

TEST_P(FusionTest, AVeryLongChainIsAFewPrograms) {
  // 14000 calls, of which at most 4096 are one program.
  const auto f = [](const Array& x) {
    Array y = x;
    for (int i = 0; i < 7000; ++i) y = y * 0.75 + x;
    return y;
  };
  expect_kernels({{"program", 4}}, f, values({5}));
}

TEST_P(FusionTest, ReductionsJoinWhatTheyReduceAndWhatFollowsThem) {
  const Array x = values({30, 7});
  expect_kernels(
      {{"program", 1}}, [](const Array& a) { return sqrt(sum(square(a), {.axis = 1})) + 1; }, x);
  expect_kernels(
      {{"program", 1}}, [](const Array& a) { return mean(a * 2, {.axis = -1}); }, x);
  expect_kernels(
      {{"program", 1}}, [](const Array& a) { return max(abs(a)) - min(a); }, x);
  // What the rows gave meets the elements again: a second pass.
  expect_kernels(
      {{"program", 2}},
      [](const Array& a) {
        const Array e = exp(a - 1);
        return e / sum(e, {.axis = 1, .keepdims = true}) + 1;
      },
      x);
  // One value a row, made before, is a part of the pass.
  expect_kernels(
      {{"program", 1}},
      [](const Array& a, const Array& s) { return sum(a * expand_dims(2 / s, 1), {.axis = 1}); }, x,
      values({30}, float32, 3) + 10);
  // Columns: the kernel that adds them keeps its order.
  expect_kernels(
      {{"program", 1}, {"reduce", 1}}, [](const Array& a) { return sum(a * a + 1, {.axis = 0}); }, x);
}

TEST_P(FusionTest, NothingRunsTwice) {
  expect_kernels(
      {{"program", 1}}, [](const Array& a) { return (a + 1) * (a + 1) - (a + 1); }, values({50}));
  expect_kernels(
      {{"sort", 1}},
      [](const Array& a) {
        sort(a, {.descending = true});
        return sort(a);
      },
      values({50}));
  const Array captured = values({7});
  expect_kernels(
      {{"binary", 1}}, [=](const Array& a) { return a * (exp(captured) + 1); }, values({50, 7}));
}

TEST_P(FusionTest, ARunningTileIsOneProgramMergeIncluded) {
  for (const DType dtype : {float32, float64}) {
    const Array x = values({203, 5}, dtype);
    const Array centers = values({32, 5}, dtype, 2);
    const Array more = values({32, 5}, dtype, 3);
    const Array first = asarray(std::int64_t{32}, {.device = device()});
    const auto tile = compile(kmeans::running_tile);
    const Assignment best = tile(x, centers);
    expect_same(best, kmeans::running_tile(x, centers));
    EXPECT_EQ(kernels_of([&] { tile(x, centers); }), (Counts{{"program", 1}})) << tile.explain();
    const auto next = compile(kmeans::running_tile_from);
    expect_same(next(x, more, first, best), kmeans::running_tile_from(x, more, first, best));
    EXPECT_EQ(kernels_of([&] { next(x, more, first, best); }), (Counts{{"program", 1}})) << next.explain();
  }
}

TEST_P(FusionTest, GramIsOneProductWithItsArgmin) {
  for (const DType dtype : {float32, float64}) {
    const Array x = values({203, 9}, dtype);
    const Array centers = values({37, 9}, dtype, 2);
    const auto gram = compile(kmeans::assign_gram);
    expect_same(gram(x, centers), kmeans::assign_gram(x, centers));
    // The norms are a product of rows.
    EXPECT_EQ(kernels_of([&] { gram(x, centers); }), (Counts{{"matmul", 1}, {"matmul_argmin", 1}}))
        << gram.explain();
    const Array norms = kmeans::half_norms(centers);
    const auto tile = compile(kmeans::gram_tile);
    expect_same(tile(x, centers, norms), kmeans::gram_tile(x, centers, norms));
    EXPECT_EQ(kernels_of([&] { tile(x, centers, norms); }), (Counts{{"matmul_argmin", 1}})) << tile.explain();
  }
}

TEST_P(FusionTest, SumsOfWhatRowsMakeKeepTheirOrder) {
  // Rows too short for lanes, whole lanes, and rests of them; rows that no block divides.
  const bool slow = device().name() != "cpu";
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t d : {1, 3, 31, 32, 33, 64, 100, 300, 4095}) {
      if (slow && (dtype == float64 || (d != 3 && d != 100))) continue;
      const std::int64_t n = slow ? 37 : d > 1000 ? 61 : 1031;
      const Array x = values({n, d}, dtype);
      const Array c = values({d}, dtype, 2);
      const Array row = values({n}, dtype, 3) + 20;
      expect_kernels(
          {{"program", 1}}, [](const Array& a, const Array& b) { return sum(square(a - b), {.axis = 1}); }, x,
          c);
      expect_kernels(
          {{"program", 1}},
          [](const Array& a, const Array& b, const Array& s) {
            const Array t = expand_dims(s, 1);
            const Array one = sum(abs(2 - a / t) * b, {.axis = 1});
            return where(one < s, one, sqrt(sum(a * a + a, {.axis = 1}) * sum(a, {.axis = 1})));
          },
          x, c, row);
      expect_kernels(
          {{"program", 1}},
          [](const Array& a, const Array& b) { return sum(-(a - b), {.axis = 1}) - max(a, {.axis = 1}); },
          matrix_transpose(values({d, n}, dtype, 4)), c);
      // Every value is -0, and their sum is not.
      expect_kernels(
          {{"program", 1}}, [](const Array& a) { return sum(-square(a * 0), {.axis = 1}); }, x);
    }
  }
}

TEST_P(FusionTest, ChoicesByAComparisonOfRows) {
  for (const DType dtype : {float32, float64}) {
    if (dtype == float64 && device().name() != "cpu") continue;
    const Array a = values({1031, 3}, dtype);
    const Array b = values({1031, 3}, dtype, 2);
    const auto check = [&](auto&& f) { expect_kernels({{"program", 1}}, f, a, b); };
    using A = const Array&;
    const auto row = [](A x) { return sum(x, {.axis = 1}); };
    check([&](A x, A y) { return where(row(x) < row(y), row(x), row(y)); });
    check([&](A x, A y) { return where(row(x) >= 0, row(y), 1.5); });
    check([&](A x, A y) {
      // Both of one comparison, the second chosen from what the first chose.
      const Array less = row(x) <= row(y);
      const Array one = where(less, row(x), 2.0);
      return where(less, one * 2, one - row(y));
    });
    check([&](A x, A y) {
      const Array more = row(x) > row(y);
      return where(more, row(x), 2) * astype(where(more, astype(row(x) * 0 + 3, int8), 4), x.dtype());
    });
    check([&](A x, A y) {
      const Array less = row(x) < row(y);
      return where(less, row(x), row(y)) + astype(less, x.dtype());
    });
  }
}

TEST_P(FusionTest, SpellingsOfTheNearestCenter) {
  const Array x = values({101, 6});
  const Array c = values({17, 6}, float32, 2);
  const Array norms = sum(c * c, {.axis = 1});
  const auto product = [](const Array& a, const Array& b) { return matmul(a, matrix_transpose(b)); };
  const Counts one{{"matmul_argmin", 1}};
  const auto check = [&](const Counts& expected, auto&& f) { expect_kernels(expected, f, x, c, norms); };
  using A = const Array&;
  check(one, [&](A a, A b, A n) { return argmin(n - 2 * product(a, b), {.axis = 1}); });
  check(one, [&](A a, A b, A n) { return argmin(product(a, b) * -2 + n, {.axis = 1}); });
  check(one, [&](A a, A b, A n) { return argmin(n + -product(a, b), {.axis = 1}); });
  check({{"binary", 1}, {"matmul_argmin", 1}},
        [&](A a, A b, A n) { return argmin(0.5 * n - product(a, b), {.axis = -1}); });
  check({{"unary", 1}, {"matmul_argmin", 1}},
        [&](A a, A b, A n) { return argmin(product(a, b) - n, {.axis = 1}); });
  check({{"unary", 1}, {"matmul_argmin", 1}},
        [&](A a, A b, A n) { return argmax(2 * product(a, b) + n, {.axis = 1}); });
  check(one, [&](A a, A b, A n) { return argmax(2 * product(a, b) - n, {.axis = 1, .keepdims = true}); });
  check({{"fill", 1}, {"matmul_argmin", 1}}, [&](A a, A b, A) { return argmax(product(a, b), {.axis = 1}); });
  check({{"fill", 1}, {"matmul_argmin", 1}},
        [&](A a, A b, A) { return argmin(3 * product(a, b), {.axis = 1}); });
  const auto both = compile([&](A a, A b, A n) {
    const Array scores = n - 2 * product(a, b);
    return std::pair(min(scores, {.axis = 1}), argmin(scores, {.axis = 1}));
  });
  const auto [lowest, at] = both(x, c, norms);
  const Array scores = norms - 2 * product(x, c);
  EXPECT_TRUE(same_bits(lowest, min(scores, {.axis = 1})));
  EXPECT_TRUE(same_bits(at, argmin(scores, {.axis = 1})));
  EXPECT_EQ(kernels_of([&] { both(x, c, norms); }), one) << both.explain();
  // Where the matrix is needed anyway, it is made.
  const auto all = compile([&](A a, A b, A n) {
    const Array matrix = n - 2 * product(a, b);
    return std::pair(matrix, argmin(matrix, {.axis = 1}));
  });
  EXPECT_TRUE(same_bits(all(x, c, norms).first, scores));
  EXPECT_TRUE(same_bits(all(x, c, norms).second, at));
  // Rounded in another order: no argmin of a bias and a product.
  const auto whole = [&](A a, A b, A n) {
    return argmin(sum(a * a, {.axis = 1, .keepdims = true}) - 2 * product(a, b) + n, {.axis = 1});
  };
  EXPECT_TRUE(same_bits(compile(whole)(x, c, norms), whole(x, c, norms)));
}

TESSERA_FOR_EACH_DEVICE(FusionTest);

}  // namespace
}  // namespace tessera
