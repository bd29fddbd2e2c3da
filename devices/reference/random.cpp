#include <Random123/philox.h>

#include "devices/reference/checks.hpp"
#include "devices/reference/reference_device.hpp"
#include "devices/reference/views.hpp"

namespace tessera::reference {

namespace {

constexpr std::uint32_t low_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
constexpr std::uint32_t high_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32U);
}

/// Word `i` of the stream under `key` that begins at block `counter`.
std::uint32_t stream_word(std::uint64_t key, std::uint64_t counter, std::uint64_t i) {
  const std::uint64_t block = counter + i / 4;
  const std::uint32_t carry = block < counter ? 1 : 0;  // into the upper half of the 128-bit number
  const r123::Philox4x32::ctr_type input = {{low_word(block), high_word(block), carry, 0}};
  const r123::Philox4x32::key_type keys = {{low_word(key), high_word(key)}};
  return r123::Philox4x32()(input, keys)[i % 4];
}

}  // namespace

void ReferenceDevice::random_bits(std::uint64_t key, std::uint64_t counter, const View& out) {
  const Check check("random_bits");
  check.rank("out", out, 1);
  check.that(out.dtype == uint32 || out.dtype == uint64, "out to be uint32 or uint64");
  check.that(out.shape[0] <= 1 || out.strides[0] == 1, "out to be contiguous");
  check.output("out", out, {}, false);
  for (std::int64_t i = 0; i < out.shape[0]; ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    if (out.dtype == uint32) {
      out.as<std::uint32_t>()[i] = stream_word(key, counter, at);
    } else {
      const std::uint64_t low = stream_word(key, counter, 2 * at);
      out.as<std::uint64_t>()[i] = low | static_cast<std::uint64_t>(stream_word(key, counter, 2 * at + 1))
                                             << 32U;
    }
  }
}

}  // namespace tessera::reference
