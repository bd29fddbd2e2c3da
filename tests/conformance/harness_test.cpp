// The harness itself: each kind of misconduct must be reported.

#include <gtest/gtest-spi.h>

#include "conformance/kernel_case.hpp"
#include "support/devices.hpp"

namespace tessera::test {

namespace {

/// What expect_conformance says about a copy that is followed by `misconduct`.
std::string reports_of(const std::function<void(int call, std::span<const View>)>& misconduct) {
  int calls = 0;
  const KernelCase kernel_case{.kernel = "copy",
                               .name = "with misconduct",
                               .operands = {in(float32, {5, 3}, Values::plain, LayoutKind::sliced),
                                            out(float32, {5, 3}, LayoutKind::stepped)},
                               .call = [&](DeviceInterface& device, std::span<const View> views) {
                                 device.copy(views[0], views[1]);
                                 misconduct(calls++, views);
                               }};
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    expect_conformance(kernel_case, device("reference"));
  }
  std::string text;
  for (int i = 0; i < results.size(); ++i) text += results.GetTestPartResult(i).message();
  return text;
}

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// The calls of a case: twice on the device, then once for what is expected.
constexpr int kSecondRun = 1;
constexpr int kExpected = 2;

TEST(Harness, IsSilentAboutGoodConduct) {
  EXPECT_EQ(reports_of([](int, std::span<const View>) {}), "");
}

TEST(Harness, ReportsAWrongValue) {
  const auto text = reports_of([](int call, std::span<const View> views) {
    if (call == kExpected) views[1].as<float>()[4] += 1;
  });
  EXPECT_TRUE(says(text, "1 of 15 elements differ")) << text;
  EXPECT_TRUE(says(text, "(1, 1)")) << text;
}

TEST(Harness, ReportsAWriteBesideTheOutput) {
  for (const int at : {-20, -1, 1, 50}) {
    const auto text = reports_of([at](int call, std::span<const View> views) {
      // In the guard before it, and in the gaps between its elements.
      if (call != kExpected) views[1].as<float>()[at] = 0;
    });
    EXPECT_TRUE(says(text, "from the start of its memory changed")) << at << ": " << text;
  }
}

TEST(Harness, ReportsAChangedInput) {
  const auto text = reports_of([](int call, std::span<const View> views) {
    if (call == 0) views[0].as<float>()[1] = 9;
  });
  EXPECT_TRUE(says(text, "input float32 (5, 3) sliced")) << text;
}

TEST(Harness, ReportsOtherBitsInTheSecondRun) {
  const auto text = reports_of([](int call, std::span<const View> views) {
    if (call == kSecondRun) views[1].as<float>()[0] += 1;
  });
  EXPECT_TRUE(says(text, "in a second run")) << text;
}

TEST(Harness, ReportsAnException) {
  EXPECT_TRUE(says(reports_of([](int, std::span<const View>) { throw std::runtime_error("no such luck"); }),
                   "no such luck"));
}

}  // namespace

}  // namespace tessera::test
