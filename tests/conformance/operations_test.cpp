// Every public operation, in every layout, against the reference device.

#include <map>
#include <tuple>

#include "conformance/declarations.hpp"
#include "conformance/operation_case.hpp"
#include "support/devices.hpp"

namespace tessera::test {

namespace {

const std::map<std::string, std::vector<OperationCase>>& cases_by_operation() {
  static const auto* all = [] {
    auto* cases = new std::map<std::string, std::vector<OperationCase>>;
    for (auto& operation_case : all_operation_cases())
      (*cases)[operation_case.operation].push_back(std::move(operation_case));
    return cases;
  }();
  return *all;
}

std::vector<std::string> operations() {
  std::vector<std::string> names;
  for (const auto& [operation, cases] : cases_by_operation()) names.push_back(operation);
  return names;
}

class OperationTest : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(OperationTest, AgreesWithReferenceInEveryLayout) {
  const auto& [device_name, operation] = GetParam();
  const auto device = open_or_skip(device_name);
  if (!device) return;
  int failed = 0;
  for (const OperationCase& operation_case : cases_by_operation().at(operation)) {
    for (const LayoutKind layout : kAllLayouts) {
      if (operation_case.inputs.empty() && layout != LayoutKind::contiguous) continue;
      expect_conformance(operation_case, layout, *device);
      // The first few say enough.
      if (HasFailure() && ++failed == 5) FAIL() << "and perhaps more: stopped at the fifth";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, OperationTest,
                         ::testing::Combine(::testing::ValuesIn(test_devices()),
                                            ::testing::ValuesIn(operations())),
                         [](const auto& parameter) {
                           return test_name(std::get<0>(parameter.param) + "_" +
                                            std::get<1>(parameter.param));
                         });

TEST(OperationCoverage, EveryPublicOperationHasCases) {
  int found = 0;
  for (const char* header :
       {"ops/creation.hpp", "ops/elementwise.hpp", "ops/indexing.hpp", "ops/linalg.hpp",
        "ops/manipulation.hpp", "ops/reduction.hpp", "ops/sorting.hpp", "random/random.hpp"}) {
    for (const char* prefix : {"TESSERA_API Array", "TESSERA_API std::vector<Array>"}) {
      for (const auto& operation : declared_functions(header_text(header), prefix)) {
        if (operation == "name") continue;  // the parameter of the tables' macro
        ++found;
        EXPECT_TRUE(cases_by_operation().contains(operation))
            << "no conformance case for " << operation << " of " << header;
      }
    }
  }
  EXPECT_GE(found, 60) << "the declarations are no longer found";
}

TEST(OperationCoverage, EveryRowOfTheTablesHasCases) {
  for (int i = 0; i < kUnaryOpCount; ++i) {
    EXPECT_TRUE(cases_by_operation().contains(std::string(name(static_cast<UnaryOp>(i)))))
        << name(static_cast<UnaryOp>(i));
  }
  for (int i = 0; i < kBinaryOpCount; ++i) {
    EXPECT_TRUE(cases_by_operation().contains(std::string(name(static_cast<BinaryOp>(i)))))
        << name(static_cast<BinaryOp>(i));
  }
}

}  // namespace

}  // namespace tessera::test
