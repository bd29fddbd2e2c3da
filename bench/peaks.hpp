#pragma once

#include <cstdint>

#include <tessera/tessera.hpp>

#include "measure.hpp"

// What the machine reaches, measured in the run whose rows are compared with it.

namespace tessera::bench {

/// Medians of some calls, in bytes and floating-point operations a second; 0 where it is not known.
struct Peaks {
  double copy = 0;  ///< in and out counted
  double read = 0;
  double flops = 0;  ///< multiply-adds on registers, of all threads; a device that is no host: of a product

  double bandwidth() const { return copy > read ? copy : read; }
};

/// Of all threads, on arrays of `elements` floats. On a device whose memory is the host's by plain loops,
/// each thread on its own part; on another by the device's own copy, sum and product.
Peaks measure_peaks(const Device& device, std::int64_t elements);

/// Multiply-adds a second of `threads` threads of the host.
double multiply_add_rate(int threads);

}  // namespace tessera::bench
