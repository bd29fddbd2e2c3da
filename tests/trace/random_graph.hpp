#pragma once

// Functions drawn at random: a list of instructions, each of which takes arrays that are there and adds one.

#include <cstdint>
#include <iosfwd>
#include <vector>

#include <tessera/array.hpp>

namespace tessera::test {

struct Instruction {
  std::uint32_t operation = 0;
  std::uint32_t a = 0;  ///< operands, and numbers of the operation's own
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};
std::ostream& operator<<(std::ostream& stream, const Instruction& instruction);

/// Arguments for it, of some 2 ranks, of several dtypes and layouts, over `rows` rows and `columns` columns.
std::vector<Array> graph_arguments(std::uint64_t seed, std::int64_t rows, std::int64_t columns,
                                   const Device& device);

/// Runs the instructions; one that does not fit its operands does nothing. Gives the last arrays, and some of
/// those before.
std::vector<Array> run_graph(const std::vector<Array>& arguments, const std::vector<Instruction>& graph);

}  // namespace tessera::test
