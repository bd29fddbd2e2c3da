#include "support/devices.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include <tessera/error.hpp>

namespace tessera::test {

namespace {

std::vector<std::string> names_in(const char* variable, const char* otherwise) {
  const char* text = std::getenv(variable);
  std::istringstream stream(text != nullptr ? text : otherwise);
  std::vector<std::string> names;
  for (std::string name; std::getline(stream, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::string> test_devices() {
  return names_in("TESSERA_TEST_DEVICES", "reference,cpu,fake");
}

bool is_required(const std::string& device_name) {
  const auto required = names_in("TESSERA_REQUIRE_DEVICES", "");
  return std::find(required.begin(), required.end(), device_name) != required.end();
}

namespace {

void fail_or_skip(const std::string& name, const Error& error) {
  if (is_required(name)) FAIL() << "required device: " << error.what();
  GTEST_SKIP() << "no device " << name << ": " << error.what();
}

}  // namespace

std::optional<Device> open_or_skip(const std::string& name) {
  try {
    return device(name);
  } catch (const Error& error) {
    fail_or_skip(name, error);
    return std::nullopt;
  }
}

void DeviceTest::SetUp() {
  device_ = open_or_skip(GetParam());
}

std::vector<Device> open_test_devices() {
  std::vector<Device> found;
  for (const auto& name : test_devices()) {
    try {
      found.push_back(device(name));
    } catch (const Error& error) {
      if (is_required(name)) ADD_FAILURE() << "required device: " << error.what();
    }
  }
  return found;
}

std::string test_name(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

}  // namespace tessera::test
