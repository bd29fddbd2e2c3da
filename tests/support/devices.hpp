#pragma once

// The devices that a suite runs on. TESSERA_TEST_DEVICES chooses them (a comma-separated list of names,
// default "reference,cpu,fake"). A device that the machine lacks is a visible skip; one that
// TESSERA_REQUIRE_DEVICES names is then a failure.

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/registry.hpp>

namespace tessera::test {

std::vector<std::string> test_devices();
bool is_required(const std::string& device_name);

/// The fixture of a suite that runs once for each device. `device()` is where the test's arrays go.
///
///   using SortTest = tessera::test::DeviceTest;     // or a class of its own that derives from it
///   TEST_P(SortTest, PutsNanLast) { ... {.device = device()} ... }
///   TESSERA_FOR_EACH_DEVICE(SortTest);
class DeviceTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;
  const Device& device() const { return *device_; }

 private:
  std::optional<Device> device_;
};

/// The device for a test with parameters of its own; empty after it was recorded as a skip or a failure.
std::optional<Device> open_or_skip(const std::string& name);

/// For a loop over devices inside one test: those that are there. Fails the test for a missing one that is
/// required.
std::vector<Device> open_test_devices();

#define TESSERA_FOR_EACH_DEVICE(suite)                                                  \
  INSTANTIATE_TEST_SUITE_P(, suite, ::testing::ValuesIn(tessera::test::test_devices()), \
                           [](const auto& parameter) { return tessera::test::test_name(parameter.param); })

/// "fake_1" for "fake:1": a name that GoogleTest takes.
std::string test_name(std::string text);

}  // namespace tessera::test
