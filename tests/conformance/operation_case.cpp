#include "conformance/operation_case.hpp"

#include <fmt/format.h>

namespace tessera::test {

namespace {

Arrays placed(const std::vector<HostArray>& values, LayoutKind layout, const Device& device) {
  Arrays arrays;
  for (const auto& value : values) arrays.push_back(place(value, layout, device));
  return arrays;
}

Arrays run_reference(const OperationCase& operation_case, const std::vector<HostArray>& values) {
  const Device reference = device("reference");
  return operation_case.call(placed(values, LayoutKind::contiguous, reference), reference);
}

Arrays magnitudes_of(const OperationCase& operation_case, const std::vector<HostArray>& values) {
  std::vector<HostArray> sizes;
  const Device reference = device("reference");
  for (const auto& value : values) {
    const Array x = upload(value, reference);
    sizes.push_back(is_floating(x.dtype()) ? to_host_array(abs(x)) : value);
  }
  return run_reference(operation_case, sizes);
}

void compare(const OperationCase& operation_case, const std::vector<HostArray>& values, const Arrays& results,
             const Device& device) {
  const Arrays expected = run_reference(operation_case, values);
  ASSERT_EQ(results.size(), expected.size());
  Arrays magnitudes;
  if (operation_case.by_magnitude) magnitudes = magnitudes_of(operation_case, values);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].device().name(), device.name());
    HostArray magnitude;
    if (operation_case.by_magnitude) magnitude = to_host_array(magnitudes[i]);
    EXPECT_TRUE(close(to_host_array(results[i]), to_host_array(expected[i]), operation_case.tolerance,
                      operation_case.by_magnitude ? &magnitude : nullptr));
  }
}

}  // namespace

void expect_conformance(const OperationCase& operation_case, LayoutKind layout, const Device& device) {
  std::string text = operation_case.operation + ", " + operation_case.name + ", " + name(layout) + ":";
  std::vector<HostArray> values;
  for (const auto& input : operation_case.inputs) {
    text += fmt::format(" [{} {}]", name(input.dtype), to_string(input.shape));
    values.push_back(suited(input, layout));
  }
  SCOPED_TRACE(text);
  try {
    const Arrays inputs = placed(values, layout, device);
    const Arrays first = operation_case.call(inputs, device);
    const Arrays second = operation_case.call(inputs, device);
    compare(operation_case, values, first, device);
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_TRUE(same_bits(second[i], first[i])) << "in a second run";
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_TRUE(same_bits(to_host_array(inputs[i]), values[i])) << "input " << i << " changed";
    }
  } catch (const std::exception& error) {
    ADD_FAILURE() << "threw " << error.what();
  }
}

std::vector<OperationCase> all_operation_cases() {
  std::vector<OperationCase> all;
  for (const auto& list : {creation_operations, elementwise_operations, manipulation_operations,
                           product_operations, random_operations, reduction_operations}) {
    for (auto& operation_case : list()) all.push_back(std::move(operation_case));
  }
  return all;
}

}  // namespace tessera::test
