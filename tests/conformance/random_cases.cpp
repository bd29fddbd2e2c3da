#include "conformance/kernel_case.hpp"

#include <fmt/format.h>

namespace tessera::test {

std::vector<KernelCase> random_cases() {
  std::vector<KernelCase> cases;
  struct Start {
    std::uint64_t key, counter;
  };
  for (const DType dtype : {uint32, uint64}) {
    for (const std::int64_t length : {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 67, 1003, 70001}) {
      // The last one carries into the upper half of the counter.
      for (const Start& start :
           {Start{0, 0}, Start{0x123456789ABCDEF0U, 7}, Start{~std::uint64_t{0}, ~std::uint64_t{0} - 3}}) {
        for (const LayoutKind layout : {LayoutKind::contiguous, LayoutKind::offset}) {
          cases.push_back({.kernel = "random_bits",
                           .name = fmt::format("key {:#x}, counter {:#x}", start.key, start.counter),
                           .operands = {out(dtype, {length}, layout)},
                           .call = [start](DeviceInterface& device, std::span<const View> v) {
                             device.random_bits(start.key, start.counter, v[0]);
                           }});
        }
      }
    }
  }
  return cases;
}

}  // namespace tessera::test
