// What the registry finds, loads and says. Each case runs the probe in a process of its own.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <tessera/abi.hpp>
#include <tessera/tessera.hpp>

#include "process.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

const std::string kFake = TESSERA_FAKE_MODULE;
const std::string kFakeDir = fs::path(kFake).parent_path().string();
const std::string kBrokenDir = TESSERA_BROKEN_DIR;
const std::string kCoreDir = TESSERA_CORE_DIR;

std::string broken(const std::string& name) {
  return kBrokenDir + "/libtessera_device_" + name + ".so";
}

/// The lines that the probe prints.
std::vector<std::string> probe(std::vector<std::string> arguments, const std::string& device_path = "",
                               const std::string& directory = "") {
  arguments.insert(arguments.begin(), TESSERA_PROBE);
  const Outcome outcome = run_program(arguments, device_path, directory);
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  std::istringstream stream(outcome.output);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string only_line(const std::vector<std::string>& lines) {
  EXPECT_EQ(lines.size(), 1U);
  return lines.empty() ? "" : lines[0];
}

std::string line_that_begins(const std::vector<std::string>& lines, const std::string& start) {
  for (const std::string& line : lines) {
    if (line.starts_with(start)) return line;
  }
  ADD_FAILURE() << "no line begins with " << start;
  return "";
}

testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << part << "\" is not in \"" << text << "\"";
}

/// A folder that lives for a test.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "tessera-loader-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

  std::string link(const std::string& target, const std::string& name) const {
    fs::create_symlink(target, path_ + "/" + name);
    return path_ + "/" + name;
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name) << text;
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

// ---- where it looks

TEST(SearchPath, IsTheVariableThenTheCoresFolderThenTheInstallation) {
  const auto lines = probe({"path"}, "/first:/second");
  ASSERT_GE(lines.size(), 4U);
  EXPECT_EQ(lines[0], "/first");
  EXPECT_EQ(lines[1], "/second");
  EXPECT_EQ(lines[2], fs::canonical(kCoreDir).string());
}

TEST(SearchPath, WithoutTheVariableBeginsWithTheCoresFolder) {
  const auto lines = probe({"path"});
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0], fs::canonical(kCoreDir).string());
}

TEST(SearchPath, EmptyAndRepeatedEntriesDoNoHarm) {
  const auto lines = probe({"path"}, "::/first::/first:");
  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(lines[0], "/first");
  EXPECT_EQ(lines[1], fs::canonical(kCoreDir).string());
}

TEST(SearchPath, TheFirstModuleOfANameWins) {
  const Folder first;
  const Folder second;
  const std::string wanted = first.link(kFake, "libtessera_device_fake.so");
  second.link(broken("no_symbol"), "libtessera_device_fake.so");
  const auto lines = probe({"modules"}, first.path() + ":" + second.path());
  EXPECT_TRUE(line_that_begins(lines, "fake|").starts_with("fake|" + wanted + "|"));
  EXPECT_EQ(
      std::count_if(lines.begin(), lines.end(), [](const auto& line) { return line.starts_with("fake|"); }),
      1);
}

TEST(SearchPath, ABrokenModuleThatComesFirstIsNotPassedOver) {
  const Folder first;
  const std::string path = first.write("libtessera_device_fake.so", "not a library");
  const std::string line = only_line(probe({"device", "fake"}, first.path() + ":" + kFakeDir));
  EXPECT_TRUE(line.starts_with("error ModuleError: [device]"));
  EXPECT_TRUE(has(line, path));
}

TEST(SearchPath, MayNameAModulesFile) {
  EXPECT_TRUE(has(only_line(probe({"device", "fake"}, "/nowhere:" + kFake)), "fake index 0 sum [2. 3.]"));
}

TEST(SearchPath, MayBeRelative) {
  for (const char* path : {".", "libtessera_device_fake.so", "./libtessera_device_fake.so"}) {
    SCOPED_TRACE(path);
    EXPECT_TRUE(has(only_line(probe({"device", "fake"}, path, kFakeDir)), "fake index 0 sum [2. 3.]"));
  }
}

TEST(SearchPath, OtherFilesInTheFoldersAreLeftAlone) {
  const Folder folder;
  folder.write("libtessera_device_readme.txt", "");
  folder.write("libsomething.so", "");
  folder.write("libtessera_device_.so", "");
  for (const std::string& line : probe({"modules"}, folder.path())) {
    EXPECT_FALSE(has(line, folder.path()));
  }
}

// ---- what is broken, and why

struct Broken {
  std::string module;
  std::string reason;
};

class BrokenModule : public testing::TestWithParam<Broken> {};

TEST_P(BrokenModule, IsAnErrorWithPathAndReasonAndOtherDevicesStillWork) {
  const std::string path = broken(GetParam().module);
  const auto lines = probe({"load", path, "device", "fake"}, kFakeDir);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].starts_with("error ModuleError: [device] "));
  EXPECT_TRUE(has(lines[0], path));
  EXPECT_TRUE(has(lines[0], GetParam().reason));
  EXPECT_TRUE(has(lines[1], "sum [2. 3.]"));
}

TEST_P(BrokenModule, IsReportedAmongTheOthers) {
  const auto lines = probe({"modules"}, kBrokenDir + ":" + kFakeDir);
  const std::string line = line_that_begins(lines, GetParam().module + "|");
  EXPECT_TRUE(has(line, "|" + broken(GetParam().module) + "|"));
  EXPECT_TRUE(has(line, GetParam().reason));
  EXPECT_TRUE(line_that_begins(lines, "fake|").starts_with("fake|" + kFake + "|" TESSERA_VERSION "|2|"));
}

INSTANTIATE_TEST_SUITE_P(, BrokenModule,
                         testing::Values(Broken{"no_symbol", "tessera_device_module"},
                                         Broken{"null_module", "missing"},
                                         Broken{"wrong_stamp", "tessera 0.0.0, another build"},
                                         Broken{"wrong_stamp", TESSERA_ABI_STAMP}),
                         [](const auto& parameter) {
                           return parameter.param.module + std::to_string(parameter.index);
                         });

TEST(BrokenFile, ThatIsNoLibraryIsAnErrorWithPathAndReason) {
  const Folder folder;
  const std::string path = folder.write("libtessera_device_text.so", "this is no library");
  const auto lines = probe({"device", "text", "load", path}, folder.path());
  ASSERT_EQ(lines.size(), 2U);
  for (const std::string& line : lines) {
    EXPECT_TRUE(line.starts_with("error ModuleError: [device] "));
    EXPECT_TRUE(has(line, path));
  }
}

TEST(BrokenFile, ThatIsMissingIsAnErrorWithPathAndReason) {
  const std::string line = only_line(probe({"load", "/nowhere/libtessera_device_x.so"}));
  EXPECT_TRUE(line.starts_with("error ModuleError: [device] "));
  EXPECT_TRUE(has(line, "/nowhere/libtessera_device_x.so"));
  EXPECT_TRUE(has(line, "No such file"));
}

TEST(Factory, ThatThrowsIsAnErrorWithPathAndReason) {
  const std::string line = only_line(probe({"device", "throwing"}, kBrokenDir));
  EXPECT_TRUE(line.starts_with("error ModuleError: [device] "));
  EXPECT_TRUE(has(line, broken("throwing")));
  EXPECT_TRUE(has(line, "the firmware is too old"));
}

TEST(Factory, ThatGivesNothingIsAnErrorWithPathAndReason) {
  const std::string line = only_line(probe({"device", "null_device"}, kBrokenDir));
  EXPECT_TRUE(line.starts_with("error ModuleError: [device] "));
  EXPECT_TRUE(has(line, broken("null_device")));
}

TEST(Factory, ThatFailsTakesNoOtherDeviceAway) {
  const auto lines = probe({"devices"}, kBrokenDir + ":" + kFakeDir);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "fake"), 1);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "throwing"), 0);
}

TEST(NoDevices, SaysWhy) {
  const auto lines = probe({"device", "no_devices", "modules"}, kBrokenDir);
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines[0].starts_with("error DeviceError: [device] "));
  EXPECT_TRUE(has(lines[0], broken("no_devices")));
  EXPECT_TRUE(has(lines[0], "no accelerator is plugged in"));
  EXPECT_EQ(line_that_begins(lines, "no_devices|"),
            "no_devices|" + broken("no_devices") + "|1.2|0|no accelerator is plugged in");
}

// ---- names

TEST(Names, AnUnknownOneListsWhereItLookedAndWhatIsThere) {
  const std::string line = only_line(probe({"device", "abacus"}, kFakeDir));
  EXPECT_TRUE(line.starts_with("error DeviceError: [device] "));
  for (const std::string& part : {std::string("abacus"), kFakeDir, fs::canonical(kCoreDir).string(),
                                  std::string("fake"), std::string("cpu"), std::string("reference")}) {
    EXPECT_TRUE(has(line, part));
  }
}

TEST(Names, MalformedOnesAreErrors) {
  for (const char* name : {"", ":", ":1", "fake:", "fake:x", "fake:-1", "fake:1x", "fake: 1",
                           "fake:99999999999999999999", "fake:1:1"}) {
    SCOPED_TRACE(name);
    const std::string line = only_line(probe({"device", name}, kFakeDir));
    EXPECT_TRUE(line.starts_with("error DeviceError: [device] "));
    EXPECT_TRUE(has(line, std::string("\"") + name + "\""));
  }
}

TEST(Names, APathIsNoName) {
  const auto line = only_line(probe({"device", "../modules/libtessera_device_fake"}, kFakeDir));
  EXPECT_TRUE(line.starts_with("error DeviceError: [device] "));
}

TEST(Names, AnIndexOutOfRangeSaysHowManyThereAre) {
  const auto lines = probe({"device", "fake:2", "device", "fake:1"}, kFakeDir);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].starts_with("error DeviceError: [device] "));
  EXPECT_TRUE(has(lines[0], "fake:2"));
  EXPECT_TRUE(has(lines[0], "2 devices"));
  EXPECT_TRUE(has(lines[1], "fake:1 index 1 sum [2. 3.]"));
}

TEST(Names, IndexZeroIsThePlainName) {
  EXPECT_TRUE(has(only_line(probe({"device", "fake:0"}, kFakeDir)), "fake index 0 sum"));
}

// ---- what is loaded

TEST(Loading, OnlyTheModuleThatTheNameAsksFor) {
  EXPECT_TRUE(probe({"loaded"}, kFakeDir).empty());
  for (const std::string name : {"cpu", "reference"}) {
    const auto lines = probe({"device", name, "loaded"}, kFakeDir);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_TRUE(has(lines[0], name + " index 0 sum [2. 3.]"));
    EXPECT_EQ(lines[1], "libtessera_device_" + name + ".so");
  }
}

TEST(Loading, ByPathGivesTheNameAndTheDevices) {
  const auto lines = probe({"load", kFake, "load", kFake, "device", "fake:1"});
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "fake");
  EXPECT_EQ(lines[1], "fake");
  EXPECT_TRUE(has(lines[2], "fake:1 index 1 sum [2. 3.]"));
}

TEST(Loading, OneModuleUnderTwoPathsIsOneModule) {
  const Folder folder;
  const std::string link = folder.link(kFake, "another_name.so");
  const auto lines =
      probe({"device", "fake", "load", link, "load", "libtessera_device_fake.so"}, kFakeDir, kFakeDir);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1], "fake");
  EXPECT_EQ(lines[2], "fake");
}

TEST(Loading, AnotherModuleOfTheSameNameIsAnErrorThatNamesBoth) {
  const Folder folder;
  const std::string copy = folder.path() + "/libtessera_device_fake.so";
  fs::copy_file(kFake, copy);
  const auto lines = probe({"device", "fake", "load", copy, "device", "fake"}, kFakeDir);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[1].starts_with("error ModuleError: [device] "));
  EXPECT_TRUE(has(lines[1], copy));
  EXPECT_TRUE(has(lines[1], kFake));
  EXPECT_TRUE(has(lines[2], "sum [2. 3.]"));
}

TEST(Loading, AFileUnderAnotherModulesNameIsAnError) {
  const Folder folder;
  const std::string link = folder.link(kFake, "libtessera_device_alias.so");
  const std::string line = only_line(probe({"device", "alias"}, folder.path()));
  EXPECT_TRUE(line.starts_with("error ModuleError: [device] "));
  for (const std::string& part : {link, std::string("\"alias\""), std::string("\"fake\"")}) {
    EXPECT_TRUE(has(line, part));
  }
}

TEST(Loading, AllModulesAndAllDevices) {
  const auto modules = probe({"modules"}, kFakeDir);
  for (const char* start : {"fake|", "cpu|", "reference|"}) line_that_begins(modules, start);
  const auto devices = probe({"devices"}, kFakeDir);
  for (const char* name : {"fake", "fake:1", "cpu", "reference"}) {
    EXPECT_EQ(std::count(devices.begin(), devices.end(), name), 1) << name;
  }
}

// ---- the default device

TEST(DefaultDevice, IsCpuUnlessSet) {
  EXPECT_EQ(probe({"default", "set-default", "fake:1", "default"}, kFakeDir),
            (std::vector<std::string>{"cpu", "fake:1"}));
}

TEST(DefaultDevice, SetBeforeItsFirstUseLoadsNoCpu) {
  EXPECT_EQ(probe({"set-default", "reference", "default", "loaded"}, kFakeDir),
            (std::vector<std::string>{"reference", "libtessera_device_reference.so"}));
}

// ---- to the end of the process, and across threads

TEST(Lifetime, AStaticArrayOutlivesMainAndItsModuleStays) {
  for (const std::string device : {"cpu", "reference", "fake"}) {
    SCOPED_TRACE(device);
    const Outcome outcome = run_program({TESSERA_STATIC_ARRAY, device}, kFakeDir);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.output, "main ends\nafter main: module mapped, sum 3000\n");
  }
}

TEST(Threads, UseDifferentDevicesAtOnce) {
  const std::vector<std::string> names = {"fake", "fake:1", "reference", "cpu",
                                          "fake", "fake:1", "reference", "cpu"};
  load_module(kFake);
  std::vector<double> sums(names.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < names.size(); ++i) {
    threads.emplace_back([&, i] {
      const Device on = device(names[i]);
      Array total = zeros({100}, {.dtype = float64, .device = on});
      for (int step = 0; step < 50; ++step) total = total + static_cast<double>(i);
      sums[i] = sum(total).item<double>();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(sums[i], 5000.0 * static_cast<double>(i)) << names[i];
}

TEST(Threads, OpenTheSameDeviceOnce) {
  load_module(kFake);
  std::vector<const DeviceState*> states(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < states.size(); ++i) {
    threads.emplace_back([&, i] { states[i] = &device("fake:1").state(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const DeviceState* state : states) EXPECT_EQ(state, states[0]);
}

}  // namespace
}  // namespace tessera::test
