// Sums of scattered rows: the same bits on any number of threads, by either way that the device goes
// (devices/cpu/scatter.cpp), and right where many updates meet in one place.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <tessera/tessera.hpp>
#include "support/arrays.hpp"

namespace tessera {
namespace {

const Device& cpu() {
  static const Device the_device = device("cpu");
  return the_device;
}

struct Extents {
  std::int64_t axis, inner, count;
};
std::string describe(const Extents& e) {
  return std::to_string(e.count) + " x " + std::to_string(e.inner) + " into " + std::to_string(e.axis);
}

// Long rows; short rows into little and into much; few updates for a long axis; sums of single elements, many
// and few.
constexpr Extents kExtents[] = {{64, 2000, 1500}, {30, 16, 40000},     {5000, 40, 30000}, {100000, 3, 50},
                                {7, 1, 1000000},  {200000, 1, 300000}, {10, 1, 2000}};

Array updates_of(DType dtype, const Extents& e) {
  return test::upload(test::make_values(dtype, {e.count, e.inner}, test::Values::plain, 5), cpu());
}
Array indices_of(const Extents& e) {
  return test::upload(test::make_indices({e.count}, e.axis, 7), cpu());
}

TEST(Scatter, TheBitsOfSumsDoNotDependOnThreads) {
  struct Dtypes {
    DType update, target;
  };
  for (const Extents& e : kExtents) {
    for (const auto& [update, target] : {Dtypes{DType::float32, DType::float64},
                                         {DType::float32, DType::float32},
                                         {DType::float64, DType::float64}}) {
      SCOPED_TRACE(describe(e));
      const auto sums = [&](int threads) {
        const ThreadScope scope(threads);
        return scatter_add(full({e.axis, e.inner}, 0.25, {.dtype = target, .device = cpu()}), indices_of(e),
                           updates_of(update, e));
      };
      const test::HostArray serial = test::to_host_array(sums(1));
      for (const int threads : {2, 3, 7}) {
        EXPECT_EQ(test::to_host_array(sums(threads)).bytes, serial.bytes) << threads << " threads";
      }
    }
  }
}

TEST(Scatter, SumsOfWholeNumbersAreExactByEitherWay) {
  for (const Extents& e : kExtents) {
    SCOPED_TRACE(describe(e));
    const std::vector<std::int64_t> index = indices_of(e).to_host<std::int64_t>();
    std::vector<double> expected(static_cast<std::size_t>(e.axis * e.inner));
    std::vector<float> updates(static_cast<std::size_t>(e.count * e.inner));
    for (std::int64_t c = 0; c < e.count; ++c) {
      const std::int64_t at = index[static_cast<std::size_t>(c)];
      for (std::int64_t i = 0; i < e.inner; ++i) {
        const auto value = static_cast<float>((c * 7 + i) % 16);
        updates[static_cast<std::size_t>(c * e.inner + i)] = value;
        expected[static_cast<std::size_t>((at < 0 ? at + e.axis : at) * e.inner + i)] +=
            static_cast<double>(value);
      }
    }
    const Array sums = scatter_add(zeros({e.axis, e.inner}, {.dtype = DType::float64, .device = cpu()}),
                                   indices_of(e), from_host(updates, {e.count, e.inner}, {.device = cpu()}));
    EXPECT_EQ(sums.to_host<double>(), expected);
    const Array counts =
        scatter_add(zeros({e.axis}, {.dtype = DType::int64, .device = cpu()}), indices_of(e), 1);
    EXPECT_EQ(sum(counts).item<std::int64_t>(), e.count);
  }
}

TEST(Scatter, AFloat32TargetRoundsOnce) {
  // A sum in float32 stops growing at 2^24 and is 1% off long before.
  const std::int64_t count = 1'000'000;
  const Array sum =
      scatter_add(zeros({3}, {.device = cpu()}), zeros({count}, {.dtype = DType::int64, .device = cpu()}),
                  full({count}, 0.1F, {.device = cpu()}));
  EXPECT_EQ(index(sum, {0}).item<float>(), static_cast<float>(static_cast<double>(0.1F) * 1e6));
}

TEST(Scatter, AWrongIndexIsNamedAndNothingIsWritten) {
  const Array target = zeros({5, 2}, {.device = cpu()});
  for (const std::int64_t wrong : {5, -6, 1000}) {
    const Array indices =
        from_host(std::vector<std::int64_t>{0, 4, -5, wrong, wrong}, {5}, {.device = cpu()});
    try {
      scatter_add(target, indices, 1.0F);
      FAIL() << "no error for index " << wrong;
    } catch (const IndexError& error) {
      EXPECT_NE(
          std::string(error.what()).find("[scatter_add] index " + std::to_string(wrong) + " at position 3"),
          std::string::npos)
          << error.what();
    }
    EXPECT_THROW(take(target, indices, {.axis = 0}), IndexError);
  }
  EXPECT_FALSE(any(not_equal(target, 0)).item<bool>());
}

}  // namespace
}  // namespace tessera
