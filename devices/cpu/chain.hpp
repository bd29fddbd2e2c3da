#pragma once

#include <cstdint>

#include <tessera/dtype.hpp>

namespace tessera::cpu {

/// What a link of a chain makes of the value so far, v, and its operand, b.
enum class Link : std::uint8_t {
  load,           ///< b: the first link
  add,            ///< v + b
  subtract,       ///< v - b
  subtract_from,  ///< b - v
  multiply,       ///< v * b
  divide,         ///< v / b
  divide_into,    ///< b / v
  square,         ///< v * v, and so on, without an operand
  twice,
  negative,
  abs,
  sqrt,
  keep,  ///< v itself, kept in a slot for a later link to read
};

/// Values that a chain can keep at a time.
inline constexpr int kChainSlots = 4;

struct ChainStep {
  Link link;
  bool scalar;        ///< the operand is one element
  const void* data;   ///< of n elements, or of one
  std::int64_t step;  ///< bytes from one run to the next
  bool ahead;         ///< what comes after the operand is asked for from memory
  int slot = -1;      ///< `keep`: where to; others: the operand is what was kept there, if not -1
};

/// The chain's values for `runs` runs of n elements of float32 or float64, a few vectors at a time that never
/// leave the registers. The runs of `out` lie side by side; it may be exactly one of the operands. `streams`:
/// it goes past the caches; finish_streaming (move.hpp) comes afterwards. The steps' data go on.
void run_chain(DType dtype, ChainStep* steps, int count, void* out, std::int64_t n, std::int64_t runs,
               bool streams);

/// Whether the processor has registers enough for sum_chain.
bool sums_chains();

/// The sums of the chain's values over each row, in float64 and in the order of the plain reduction, without
/// the values ever being in memory. The runs are rows of `columns` elements, or the other way round:
/// `by_columns`, for rows too short for lanes.
void sum_chain(DType dtype, const ChainStep* steps, int count, double* out, std::int64_t columns,
               std::int64_t rows, bool by_columns);

}  // namespace tessera::cpu
