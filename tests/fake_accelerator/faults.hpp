#pragma once

#include <atomic>
#include <cstdint>

namespace tessera::fake {

/// Faults on demand, for tests of what happens then. A counter counts down to the event; 0 is off.
struct Faults {
  std::atomic<std::int64_t> allocations_until_failure = 0;
  std::atomic<std::int64_t> failing_allocations = 0;  ///< how many fail in a row from there on
  std::atomic<std::int64_t> operations_until_failure = 0;
  std::atomic<bool> lost = false;

  /// Whether this allocation is one of those that fail.
  bool allocation_fails() {
    if (allocations_until_failure == 0 || --allocations_until_failure > 0) return false;
    if (--failing_allocations > 0) allocations_until_failure = 1;
    return true;
  }
  /// Whether this operation is the one that fails.
  bool operation_fails() {  //
    return operations_until_failure > 0 && --operations_until_failure == 0;
  }
};

}  // namespace tessera::fake
