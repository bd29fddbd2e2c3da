// Every kernel of the device interface, called directly, against the reference device.

#include <map>
#include <set>
#include <tuple>

#include "conformance/declarations.hpp"
#include "conformance/kernel_case.hpp"
#include "support/devices.hpp"

namespace tessera::test {

namespace {

const std::map<std::string, std::vector<KernelCase>>& cases_by_kernel() {
  static const auto* all = [] {
    auto* cases = new std::map<std::string, std::vector<KernelCase>>;
    for (auto& kernel_case : all_kernel_cases())
      (*cases)[kernel_case.kernel].push_back(std::move(kernel_case));
    return cases;
  }();
  return *all;
}

std::vector<std::string> kernels() {
  std::vector<std::string> names;
  for (const auto& [kernel, cases] : cases_by_kernel()) names.push_back(kernel);
  return names;
}

class KernelTest : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(KernelTest, AgreesWithReferenceAndTouchesNothingElse) {
  const auto& [device_name, kernel] = GetParam();
  const auto device = open_or_skip(device_name);
  if (!device) return;
  int failed = 0;
  for (const KernelCase& kernel_case : cases_by_kernel().at(kernel)) {
    expect_conformance(kernel_case, *device);
    // The first few say enough.
    if (HasFailure() && ++failed == 5) FAIL() << "and perhaps more: stopped at the fifth";
  }
}

INSTANTIATE_TEST_SUITE_P(
    , KernelTest, ::testing::Combine(::testing::ValuesIn(test_devices()), ::testing::ValuesIn(kernels())),
    [](const auto& parameter) {
      return test_name(std::get<0>(parameter.param) + "_" + std::get<1>(parameter.param));
    });

template <class Op>
void expect_cases_for_each(const char* kernel, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string key = std::string(kernel) + " " + std::string(name(static_cast<Op>(i)));
    EXPECT_TRUE(cases_by_kernel().contains(key)) << "no conformance case for " << key;
  }
}

TEST(KernelCoverage, EveryEnumeratorHasCases) {
  expect_cases_for_each<UnaryOp>("unary", kUnaryOpCount);
  expect_cases_for_each<BinaryOp>("binary", kBinaryOpCount);
  expect_cases_for_each<ReduceOp>("reduce", kReduceOpCount);
  expect_cases_for_each<ArgReduceOp>("arg_reduce", kArgReduceOpCount);
  expect_cases_for_each<ScanOp>("scan", kScanOpCount);
  expect_cases_for_each<ScatterOp>("scatter", kScatterOpCount);
}

TEST(KernelCoverage, EveryKernelOfTheInterfaceHasCases) {
  const std::string header = header_text("device.hpp");
  const std::size_t kernels_begin = header.find("---- element-wise");
  ASSERT_NE(kernels_begin, std::string::npos);
  std::set<std::string> covered;
  for (const auto& kernel : kernels()) covered.insert(kernel.substr(0, kernel.find(' ')));
  const auto declared = declared_functions(header.substr(kernels_begin), "virtual void");
  for (const auto& kernel : declared)
    EXPECT_TRUE(covered.contains(kernel)) << "no conformance case for " << kernel;
  EXPECT_GE(declared.size(), 19U) << "the declarations are no longer found";
}

}  // namespace

}  // namespace tessera::test
