#pragma once

// One call of one kernel of DeviceInterface, as data: what goes in, how it lies in memory, what comes out.
// Every device runs every case and must give what `reference` gives for the same values laid out plainly,
// touch nothing else, and give the same bits in a second run.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tessera/device.hpp>
#include "support/arrays.hpp"
#include "support/compare.hpp"

namespace tessera::test {

struct KernelOperand {
  enum class Role : std::uint8_t { input, output, in_place };

  DType dtype{};
  Shape shape;
  Values values = Values::plain;
  LayoutKind layout = LayoutKind::contiguous;
  Role role = Role::input;
  int same_as = -1;               ///< an output that is that input, element for element
  bool host_scalar = false;       ///< one value on the host for all elements
  std::optional<HostArray> data;  ///< instead of `values`
};

struct KernelCase {
  std::string kernel;  ///< the function of DeviceInterface, and its enumerator: "unary exp"
  std::string name;    ///< what is special here
  std::vector<KernelOperand> operands;
  std::function<void(DeviceInterface&, std::span<const View>)> call;
  Tolerance tolerance = kExact;
  /// The tolerance is relative to what the case gives for absolute values of its inputs.
  bool by_magnitude = false;
};

/// Runs the case on the device and on the reference device, and adds a failure for each thing that is wrong.
void expect_conformance(const KernelCase& kernel_case, const Device& device);

// ---- for lists of cases

inline KernelOperand in(DType dtype, const Shape& shape, Values values = Values::plain,
                        LayoutKind layout = LayoutKind::contiguous) {
  return {.dtype = dtype, .shape = shape, .values = values, .layout = layout, .data = {}};
}
inline KernelOperand in(HostArray data, LayoutKind layout = LayoutKind::contiguous) {
  const DType dtype = data.dtype;
  const Shape shape = data.shape;
  return {.dtype = dtype, .shape = shape, .layout = layout, .data = std::move(data)};
}
inline KernelOperand scalar_in(DType dtype, const Shape& shape, Values values = Values::plain) {
  return {.dtype = dtype, .shape = shape, .values = values, .host_scalar = true, .data = {}};
}
inline KernelOperand out(DType dtype, const Shape& shape, LayoutKind layout = LayoutKind::contiguous) {
  return {.dtype = dtype, .shape = shape, .layout = layout, .role = KernelOperand::Role::output, .data = {}};
}
inline KernelOperand out_same_as(int input, DType dtype, const Shape& shape,
                                 LayoutKind layout = LayoutKind::contiguous) {
  KernelOperand operand = out(dtype, shape, layout);
  operand.same_as = input;
  return operand;
}

/// What a kernel may write to: everything but broadcast.
inline constexpr std::array<LayoutKind, 7> kOutputLayouts = {
    LayoutKind::contiguous, LayoutKind::offset,  LayoutKind::transposed, LayoutKind::swapped,
    LayoutKind::sliced,     LayoutKind::stepped, LayoutKind::negative};

/// "float32 (3, 4) stepped".
std::string describe(const KernelOperand& operand);

// ---- the lists, a file each
std::vector<KernelCase> elementwise_cases();
std::vector<KernelCase> operator_cases();
std::vector<KernelCase> reduction_cases();
std::vector<KernelCase> sorting_cases();
std::vector<KernelCase> product_cases();
std::vector<KernelCase> indexing_cases();
std::vector<KernelCase> random_cases();
std::vector<KernelCase> program_cases();
std::vector<KernelCase> all_kernel_cases();

}  // namespace tessera::test
