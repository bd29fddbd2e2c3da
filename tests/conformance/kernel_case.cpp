#include "conformance/kernel_case.hpp"

#include <cmath>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include <tessera/device_state.hpp>
#include <tessera/error.hpp>

namespace tessera::test {

namespace {

using Role = KernelOperand::Role;

/// Bytes around each operand that a kernel must leave alone.
constexpr std::size_t kGuardBytes = 256;
/// What lies in guards, in gaps, and in outputs beforehand: NaN in floats, -1 in integers.
constexpr std::byte kUntouched{0xFF};

HostArray absolute(HostArray x) {
  visit_dtype(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      const std::int64_t size = x.size();
      for (std::int64_t i = 0; i < size; ++i) x.set<T>(i, std::fabs(x.at<T>(i)));
    }
  });
  return x;
}

HostArray initial_values(const KernelOperand& operand, std::size_t number) {
  HostArray values =
      operand.data ? *operand.data : make_values(operand.dtype, operand.shape, operand.values, number + 1);
  if (operand.host_scalar) {
    const std::size_t size = itemsize(values.dtype);
    for (std::size_t at = size; at < values.bytes.size(); at += size) {
      std::memcpy(values.bytes.data() + at, values.bytes.data(), size);
    }
  }
  return suited(std::move(values), operand.layout);
}

/// Calls f with an integer as large as an element: what copies many of them knows their size.
template <class F>
void visit_itemsize(DType dtype, F&& f) {
  switch (itemsize(dtype)) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

/// An operand in a device's memory, between guards, in the layout that the case asks for.
class Placed {
 public:
  Placed(DeviceInterface& device, const KernelOperand& operand, const HostArray& values)
      : device_(device),
        placement_(placement(operand.shape, operand.layout)),
        dtype_(operand.dtype),
        shape_(operand.shape),
        image_(2 * kGuardBytes + static_cast<std::size_t>(placement_.elements) * itemsize(dtype_),
               kUntouched),
        memory_(static_cast<std::byte*>(device.allocate(image_.size()))) {
    if (memory_ == nullptr) throw OutOfMemoryError("no memory for a test's operand");
    if (operand.role != Role::output) scatter(values.bytes, image_);
    device_.upload(memory_, image_.data(), image_.size());
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
  ~Placed() { device_.deallocate(memory_, image_.size()); }

  View view() const {
    return {.data = memory_ + byte_of(placement_.layout.offset),
            .dtype = dtype_,
            .shape = shape_,
            .strides = placement_.layout.strides};
  }

  /// What a kernel wrote, or nothing but zeros if it may not write. Waits for the queue. Reports bytes that
  /// changed and should not have.
  HostArray read(bool may_change, DType as, const std::string& who) {
    std::vector<std::byte> now(image_.size());
    device_.download(now.data(), memory_, now.size());
    HostArray values(as, shape_);
    if (may_change) {
      gather(now, values.bytes);
      scatter(values.bytes, image_);
    }
    if (std::memcmp(now.data(), image_.data(), now.size()) == 0) return values;
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i] == image_[i]) continue;
      ADD_FAILURE() << fmt::format("{}: byte {} from the start of its memory changed from {:#x} to {:#x}",
                                   who, static_cast<std::int64_t>(i) - static_cast<std::int64_t>(kGuardBytes),
                                   static_cast<int>(image_[i]), static_cast<int>(now[i]));
      break;
    }
    return values;
  }

 private:
  /// Values in row-major order to their places in an image of the memory.
  void scatter(const std::vector<std::byte>& values, std::vector<std::byte>& image) const {
    visit_itemsize(dtype_, [&]<class T>(T) {
      for_each_element(placement_.layout, [&](std::int64_t i, std::int64_t at) {
        std::memcpy(image.data() + kGuardBytes + static_cast<std::size_t>(at) * sizeof(T),
                    values.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
      });
    });
  }

  void gather(const std::vector<std::byte>& image, std::vector<std::byte>& values) const {
    visit_itemsize(dtype_, [&]<class T>(T) {
      for_each_element(placement_.layout, [&](std::int64_t i, std::int64_t at) {
        std::memcpy(values.data() + static_cast<std::size_t>(i) * sizeof(T),
                    image.data() + kGuardBytes + static_cast<std::size_t>(at) * sizeof(T), sizeof(T));
      });
    });
  }

  std::size_t byte_of(std::int64_t element) const {
    return kGuardBytes + static_cast<std::size_t>(element) * itemsize(dtype_);
  }

  DeviceInterface& device_;
  Placement placement_;
  DType dtype_;
  Shape shape_;
  std::vector<std::byte> image_;
  std::byte* memory_;
};

View scalar_view(const KernelOperand& operand, std::byte* value) {
  return {.data = value,
          .dtype = operand.dtype,
          .shape = operand.shape,
          .strides = Strides::filled(operand.shape.size(), 0),
          .host_scalar = true};
}

/// What the case writes, from one run on one device.
std::vector<HostArray> run_once(DeviceInterface& device, const std::vector<KernelOperand>& operands,
                                const std::vector<HostArray>& values, const KernelCase& kernel_case) {
  std::vector<std::unique_ptr<Placed>> placed;
  std::vector<View> views;
  // The host's scalars die with the call, before the queue has run.
  std::vector<std::unique_ptr<std::byte[]>> scalars;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    placed.push_back(nullptr);
    if (operands[i].host_scalar) {
      scalars.push_back(std::make_unique<std::byte[]>(sizeof(double)));
      if (values[i].size() > 0)
        std::memcpy(scalars.back().get(), values[i].bytes.data(), itemsize(values[i].dtype));
      views.push_back(scalar_view(operands[i], scalars.back().get()));
    } else if (operands[i].same_as >= 0) {
      views.push_back(views[static_cast<std::size_t>(operands[i].same_as)]);
      views.back().dtype = operands[i].dtype;
    } else {
      placed.back() = std::make_unique<Placed>(device, operands[i], values[i]);
      views.push_back(placed.back()->view());
    }
  }
  kernel_case.call(device, views);
  scalars.clear();
  device.synchronize();

  std::vector<HostArray> outputs;
  std::vector<bool> written(operands.size(), false);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].role == Role::input) continue;
    const std::size_t home = operands[i].same_as >= 0 ? static_cast<std::size_t>(operands[i].same_as) : i;
    written[home] = true;
    outputs.push_back(placed[home]->read(true, operands[i].dtype, describe(operands[i])));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (placed[i] != nullptr && !written[i]) {
      placed[i]->read(false, operands[i].dtype, "input " + describe(operands[i]));
    }
  }
  return outputs;
}

/// The same values, laid out plainly and apart.
std::vector<HostArray> run_reference(const KernelCase& kernel_case, const std::vector<HostArray>& values) {
  std::vector<KernelOperand> plain = kernel_case.operands;
  for (auto& operand : plain) {
    operand.layout = LayoutKind::contiguous;
    operand.same_as = -1;
    operand.host_scalar = false;
  }
  return run_once(device("reference").state().device, plain, values, kernel_case);
}

}  // namespace

std::string describe(const KernelOperand& operand) {
  return fmt::format("{} {} {}{}", name(operand.dtype), to_string(operand.shape),
                     operand.host_scalar ? "host scalar" : name(operand.layout),
                     operand.same_as >= 0 ? fmt::format(" in place of operand {}", operand.same_as) : "");
}

void expect_conformance(const KernelCase& kernel_case, const Device& device) {
  std::string text = kernel_case.kernel + ", " + kernel_case.name + ":";
  std::vector<HostArray> values;
  for (const auto& operand : kernel_case.operands) {
    text += fmt::format(" [{}]", describe(operand));
    values.push_back(operand.role == Role::output ? HostArray() : initial_values(operand, values.size()));
  }
  SCOPED_TRACE(text);
  try {
    DeviceInterface& interface = device.state().device;
    const auto first = run_once(interface, kernel_case.operands, values, kernel_case);
    const auto second = run_once(interface, kernel_case.operands, values, kernel_case);
    const auto expected = run_reference(kernel_case, values);
    std::vector<HostArray> magnitudes;
    if (kernel_case.by_magnitude) {
      std::vector<HostArray> sizes;
      for (const auto& array : values) sizes.push_back(absolute(array));
      magnitudes = run_reference(kernel_case, sizes);
    }
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_TRUE(close(first[i], expected[i], kernel_case.tolerance,
                        kernel_case.by_magnitude ? &magnitudes[i] : nullptr));
      EXPECT_TRUE(same_bits(second[i], first[i])) << "in a second run";
    }
  } catch (const std::exception& error) {
    ADD_FAILURE() << "threw " << error.what();
  }
}

std::vector<KernelCase> all_kernel_cases() {
  std::vector<KernelCase> all;
  for (const auto& list : {elementwise_cases, operator_cases, reduction_cases, sorting_cases, product_cases,
                           indexing_cases, random_cases, program_cases}) {
    for (auto& kernel_case : list()) all.push_back(std::move(kernel_case));
  }
  return all;
}

}  // namespace tessera::test
