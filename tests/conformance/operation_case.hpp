#pragma once

// One call of one public operation, as data. Every device runs every case with its inputs in every layout,
// and must give what `reference` gives for the same values laid out plainly, leave its inputs alone, and give
// the same bits in a second run.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <tessera/tessera.hpp>
#include "support/arrays.hpp"
#include "support/compare.hpp"

namespace tessera::test {

using Arrays = std::vector<Array>;

struct OperationCase {
  std::string operation;  ///< the function's name
  std::string name;       ///< what is special here
  std::vector<HostArray> inputs;
  std::function<Arrays(const Arrays& inputs, const Device& device)> call;
  Tolerance tolerance = kExact;
  /// The tolerance is relative to what the case gives for absolute values of its inputs.
  bool by_magnitude = false;
};

/// Runs the case on the device with its inputs in that layout, and on the reference device, and adds a
/// failure for each thing that is wrong.
void expect_conformance(const OperationCase& operation_case, LayoutKind layout, const Device& device);

// ---- the lists, a file each
std::vector<OperationCase> creation_operations();
std::vector<OperationCase> elementwise_operations();
std::vector<OperationCase> manipulation_operations();
std::vector<OperationCase> product_operations();
std::vector<OperationCase> random_operations();
std::vector<OperationCase> reduction_operations();
std::vector<OperationCase> all_operation_cases();

}  // namespace tessera::test
