// The module `cuda` as it is built for GPUs: it loads on any machine, and says why it has no devices where it
// has none.

#include <link.h>

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tessera/abi.hpp>
#include <tessera/tessera.hpp>

#include "loader/process.hpp"

namespace tessera::test {
namespace {

ModuleReport cuda_report() {
  load_module(CUDA_MODULE);
  for (const ModuleReport& report : modules()) {
    if (report.name == "cuda") return report;
  }
  ADD_FAILURE() << "there is no module cuda among those loaded";
  return {};
}

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
        static_cast<std::vector<std::string>*>(data)->emplace_back(info->dlpi_name);
        return 0;
      },
      &names);
  return names;
}

TEST(CudaModule, LoadsAndCountsItsDevices) {
  const ModuleReport report = cuda_report();
  EXPECT_EQ(report.version, TESSERA_VERSION);
  if (report.device_count > 0) {
    EXPECT_EQ(report.reason, "");
    return;
  }
  const bool tells = report.reason.find("driver") != std::string::npos;
  EXPECT_TRUE(tells) << "the reason is \"" << report.reason << "\"";
  try {
    device("cuda");
    ADD_FAILURE() << "there is a device, but none was counted";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find(report.reason), std::string::npos) << error.what();
  }
}

TEST(CudaModule, BringsNoLibraryThatAMachineMayLack) {
  cuda_report();
  for (const std::string& library : loaded_libraries()) {
    for (const char* const name : {"libcudart", "libcublas", "libnvrtc"}) {
      EXPECT_EQ(library.find(name), std::string::npos) << library;
    }
  }
}

TEST(CudaModule, TheCommandLinePrintsTheReason) {
  const ModuleReport report = cuda_report();
  const Outcome outcome = run_program({TESSERA_PROGRAM, "devices"}, CUDA_MODULE);
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("cuda " TESSERA_VERSION), std::string::npos) << outcome.output;
  if (report.device_count == 0) {
    EXPECT_NE(outcome.output.find("no devices: " + report.reason), std::string::npos) << outcome.output;
  }
}

}  // namespace
}  // namespace tessera::test
