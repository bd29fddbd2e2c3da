// The traces that a compiled function keeps.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <tessera/tessera.hpp>

#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera {
namespace {

using ::testing::HasSubstr;

class CacheTest : public test::DeviceTest {
 protected:
  Array ramp(std::int64_t n) const { return arange(n, {.dtype = float32, .device = device()}); }
};

TEST_P(CacheTest, IsBoundedAndForgetsWhatWasNotUsedForLongest) {
  const auto compiled = compile([](const Array& x) { return x + 1; }, {.cache_size = 2});
  compiled(ramp(1));
  compiled(ramp(2));
  compiled(ramp(1));
  compiled(ramp(3));  // 2 goes
  EXPECT_EQ(compiled.stats().cached, 2);
  EXPECT_EQ(compiled.stats().traces, 3);
  compiled(ramp(1));
  EXPECT_EQ(compiled.stats().traces, 3);
  compiled(ramp(2));
  EXPECT_EQ(compiled.stats().traces, 4);
  EXPECT_EQ(compiled.stats().hits, 2);
}

TEST_P(CacheTest, CopiesShareOne) {
  const auto compiled = compile([](const Array& x) { return x + 1; });
  const auto other = compiled;  // NOLINT(performance-unnecessary-copy-initialization)
  compiled(ramp(1));
  other(ramp(1));
  EXPECT_EQ(other.stats().hits, 1);
}

TEST_P(CacheTest, ADtypeAndALayoutAreOtherTraces) {
  const auto compiled = compile([](const Array& x) { return x * 2; });
  compiled(ramp(4));
  compiled(astype(ramp(4), float64));
  compiled(flip(ramp(4)));
  compiled(index(ramp(8), {slice({}, {}, 2)}));
  compiled(index(ramp(8), {slice(4, {})}));  // contiguous
  EXPECT_EQ(compiled.stats().traces, 4);
}

TEST_P(CacheTest, WarnsOnceAndNamesWhatKeepsChanging) {
  ::testing::internal::CaptureStderr();
  const auto compiled = compile([](const Array& x, double scale) { return x * scale; }, {.name = "scaled"});
  for (std::int64_t n = 1; n < 30; ++n) compiled(ramp(n), 2.0);
  const std::string shapes = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(shapes, HasSubstr("scaled"));
  EXPECT_THAT(shapes, HasSubstr("the shape of array 0"));
  EXPECT_EQ(shapes.find("warning"), shapes.rfind("warning"));
  EXPECT_THAT(compiled.stats().warning, HasSubstr("(8,), then (9,)"));

  ::testing::internal::CaptureStderr();
  const auto other = compile([](const Array& x, double scale) { return x * scale; });
  for (int i = 0; i < 30; ++i) other(ramp(4), i * 0.5);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("a plain option"));

  // Shapes that come again are no reason.
  ::testing::internal::CaptureStderr();
  const auto busy = compile([](const Array& x) { return x + 1; });
  for (std::int64_t n = 1; n < 30; ++n) {
    for (int again = 0; again < 3; ++again) busy(ramp(n));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");

  ::testing::internal::CaptureStderr();
  const auto calm = compile([](const Array& x) { return x + 1; });
  for (int i = 0; i < 30; ++i) calm(ramp(i % 5 + 1));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_P(CacheTest, CallsFromManyThreadsTraceEachKindOnce) {
  std::atomic<int> runs{0};
  const auto compiled = compile([&](const Array& x) {
    ++runs;
    return sum(x * x + 1);
  });
  std::vector<Array> inputs;
  std::vector<float> expected;
  for (std::int64_t n = 1; n <= 4; ++n) {
    inputs.push_back(ramp(100 * n));
    expected.push_back(sum(inputs.back() * inputs.back() + 1).item<float>());
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 50; ++i) {
        const std::size_t which = (i + t) % inputs.size();
        if (compiled(inputs[which]).item<float>() != expected[which]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(compiled.stats().traces, 4);
  EXPECT_EQ(compiled.stats().hits, 196);
}

TEST_P(CacheTest, ExplainsWhatItRuns) {
  const Array captured = ramp(3);
  const auto compiled =
      compile([=](const Array& x) { return sum(x * captured + 1, {.axis = 1}); }, {.name = "weighted"});
  EXPECT_THAT(compiled.explain(), HasSubstr("not called yet"));
  compiled(ones({5, 3}, {.device = device()}));
  const std::string text = compiled.explain();
  for (const char* const part : {"weighted", "constant", "(3,) float32", "program", "5 rows x 3 columns",
                                 "multiply", "sum", "planned peak", "20 bytes"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TESSERA_FOR_EACH_DEVICE(CacheTest);

}  // namespace
}  // namespace tessera
