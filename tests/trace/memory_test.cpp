// The peak that a plan says is the peak that its run takes.

#include <utility>

#include <kmeans/assign.hpp>
#include <tessera/tessera.hpp>

#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera {
namespace {

class PlanTest : public test::DeviceTest {
 protected:
  Array normal(const Shape& shape, DType dtype = float32, std::uint64_t seed = 1) const {
    return random::normal(random::Key(seed), shape, {.dtype = dtype, .device = device()});
  }
  template <class F, class... Args>
  std::int64_t peak_of(const F& f, const Args&... args) const {
    const PeakScope peak(device());
    f(args...);
    return peak.peak();
  }
};

TEST_P(PlanTest, OfPlainKernelsItIsThePeak) {
  // Kernels that take no memory of their own, none of which joins another.
  const auto f = [](const Array& x) {
    const Array a = cumulative_sum(x, {.axis = 1});
    const Array b = cumulative_sum(a, {.axis = 0});
    const Array c = concat({a, b});
    return std::pair(index(c, {slice({}, {}, 3)}),
                     scatter_add(b, asarray({0, 1, 1}, {.device = x.device()}), 1));
  };
  const auto compiled = compile(f);
  const Array x = normal({60, 50});
  compiled(x);
  EXPECT_EQ(peak_of(compiled, x), compiled.stats().planned_peak) << compiled.explain();
  EXPECT_LE(compiled.stats().planned_peak, peak_of(f, x));
}

TEST_P(PlanTest, ElementWiseResultsTakeOverWhatEndsWithThem) {
  // Each of the chain's links is a kernel of its own, since a scan lies between; none needs a second buffer.
  const auto compiled = compile([](const Array& x) { return cumulative_sum(x, {.axis = 0}) * 2; });
  const Array x = normal({40, 30});
  compiled(x);
  EXPECT_EQ(compiled.stats().planned_peak, x.nbytes()) << compiled.explain();
  EXPECT_EQ(peak_of(compiled, x), x.nbytes());
}

TEST_P(PlanTest, ArraysLastNoLongerThanTheyAreNeeded) {
  const auto compiled = compile([](const Array& x) {
    Array y = x;
    for (int i = 0; i < 20; ++i) y = cumulative_sum(y, {.axis = i % 2});
    return y;
  });
  const Array x = normal({40, 30});
  compiled(x);
  EXPECT_EQ(compiled.stats().planned_peak, 2 * x.nbytes());
  EXPECT_EQ(peak_of(compiled, x), 2 * x.nbytes());
}

TEST_P(PlanTest, ProgramsWriteOverWhatEndsWithThem) {
  const Array x = normal({300, 64});
  const Array scale = normal({64}, float32, 2);
  const Array shift = normal({64}, float32, 3);
  const std::int64_t rows = 300 * 8;  // what a reduction gives, at most
  const auto expect_one_matrix = [&](const char* what, const auto& f, const auto&... args) {
    const auto compiled = compile(f);
    EXPECT_TRUE(test::same_bits(compiled(args...), f(args...))) << what;
    EXPECT_LE(compiled.stats().planned_peak, x.nbytes() + 3 * rows) << what << "\n" << compiled.explain();
    EXPECT_LE(compiled.stats().planned_peak, peak_of(f, args...)) << what;
    if (device().name() != "cpu") return;  // others run programs a kernel a step
    EXPECT_LE(peak_of(compiled, args...), compiled.stats().planned_peak + (256 << 10)) << what;
  };
  const auto row_mean = [](const Array& a) { return mean(a, {.axis = 1, .keepdims = true}); };
  expect_one_matrix(
      "layer norm",
      [=](const Array& a, const Array& g, const Array& b) {
        const Array centred = a - row_mean(a);
        return centred / sqrt(row_mean(square(centred)) + 1e-5) * g + b;
      },
      x, scale, shift);
  expect_one_matrix(
      "softmax",
      [](const Array& a) {
        const Array e = exp(a - max(a, {.axis = 1, .keepdims = true}));
        return e / sum(e, {.axis = 1, .keepdims = true});
      },
      x);
  expect_one_matrix(
      "a chain of programs",
      [=](const Array& a) {
        Array y = a;
        for (int i = 0; i < 5; ++i) y = (y - row_mean(y)) * 2;
        return y;
      },
      x);
}

TEST_P(PlanTest, WhatIsReadAgainIsNotWrittenOver) {
  const Array x = normal({300, 64});
  const auto check = [&](std::int64_t matrices, const auto& f) {
    const auto compiled = compile(f);
    const auto [one, two] = compiled(x);
    EXPECT_TRUE(test::same_bits(one, f(x).first)) << compiled.explain();
    EXPECT_TRUE(test::same_bits(two, f(x).second)) << compiled.explain();
    EXPECT_GE(compiled.stats().planned_peak, matrices * x.nbytes());
    EXPECT_LT(compiled.stats().planned_peak, (matrices + 1) * x.nbytes()) << compiled.explain();
  };
  // Both results read e element by element; the one that comes last takes its place.
  check(2, [](const Array& a) {
    const Array e = cumulative_sum(a, {.axis = 0});
    const Array first = e * 3;
    return std::pair(first, (e + 1) * (e + 1) - 2);
  });
  // The sum reads e after the first result is there.
  check(2, [](const Array& a) {
    const Array e = cumulative_sum(a, {.axis = 0});
    const Array first = e * 3;
    return std::pair(first, sum(square(e + 1), {.axis = 1}));
  });
}

TEST_P(PlanTest, AScatterAddsIntoWhatEndsWithIt) {
  const auto count = [](const Array& at, const Array& x) {
    const Array sums = scatter_add(zeros({50, 64}, {.device = x.device()}), at, x);
    return std::pair(sums, scatter_add(sums, at, 1));
  };
  const Array x = normal({300, 64});
  const Array at = random::randint(random::Key(4), 0, 50, {300}, {.device = device()});
  const auto compiled = compile(count);
  EXPECT_TRUE(test::same_bits(compiled(at, x).first, count(at, x).first)) << compiled.explain();
  EXPECT_TRUE(test::same_bits(compiled(at, x).second, count(at, x).second));
  // The zeros are written on; the sums are a result, and are copied before.
  EXPECT_EQ(compiled.stats().planned_peak, 2 * 50 * 64 * 4 + 4) << compiled.explain();
}

TEST_P(PlanTest, ARunningTileTakesLabelsAndScoresAlone) {
  const std::int64_t n = 30000;
  const Array x = normal({n, 4});
  const auto next = compile(kmeans::running_tile_from);
  const Array first = asarray(std::int64_t{7}, {.device = device()});
  for (const std::int64_t tile : {16, 32, 64, 128}) {
    const Array centers = normal({tile, 4}, float32, 2);
    const kmeans::Assignment best = kmeans::running_tile(x, centers);
    next(x, centers, first, best);
    EXPECT_EQ(next.stats().planned_peak, 12 * n) << tile;
    if (device().name() != "cpu") continue;  // others run programs a kernel a step
    EXPECT_LE(peak_of(next, x, centers, first, best), 24 * n + (1 << 20)) << tile;
  }
}

TEST_P(PlanTest, AGramTakesNoMatrixOfDistances) {
  const std::int64_t n = 6000;
  const std::int64_t k = 1000;
  const Array x = normal({n, 4});
  const Array centers = normal({k, 4}, float32, 2);
  const auto gram = compile(kmeans::assign_gram);
  gram(x, centers);
  EXPECT_EQ(gram.stats().planned_peak, 12 * n + 4 * k) << gram.explain();
  EXPECT_LE(peak_of(gram, x, centers), 24 * n + (16 << 20));
}

TESSERA_FOR_EACH_DEVICE(PlanTest);

}  // namespace
}  // namespace tessera
