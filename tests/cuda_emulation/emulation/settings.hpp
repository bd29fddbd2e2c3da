#pragma once

// How the stand-in for a CUDA runtime runs kernels, and what it does when a kernel breaks a rule.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace cuda_emulation {

/// In which order the threads of a block start and go on, and the blocks of a grid run. A kernel whose
/// result depends on it lacks a barrier.
enum class Order : std::uint8_t { forward, reversed, shuffled };

struct Settings {
  Order order = Order::forward;
  /// What every byte of fresh device memory and of a block's shared memory holds. A result that depends on
  /// it comes from memory that was never written. All ones are NaN as a float, -1 as an integer.
  unsigned char fill = 0xff;
  int devices = 2;
  std::int64_t fewest_compiled_elements = std::numeric_limits<std::int64_t>::max();
  std::size_t memory_bytes = std::size_t{4} << 30U;  ///< of each device
};

/// The process's. From the environment at first: TESSERA_CUDA_EMULATION="order=reversed,fill=3c,devices=0".
Settings& settings();

/// A kernel broke a rule: divergent barrier, stray write. By default the text is printed and the process
/// aborted; a test may listen instead, and the block that broke the rule is abandoned.
void violation(const std::string& text);
void set_violation_listener(std::function<void(const std::string&)> listener);

}  // namespace cuda_emulation
