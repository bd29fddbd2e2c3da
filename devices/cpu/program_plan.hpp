#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/program.hpp>

#include "devices/cpu/chain.hpp"

namespace tessera::cpu {

/// Which elements a register has, of a block of rows and columns. A step has as few as what it reads.
enum class Extent : std::uint8_t { one, rows, columns, all };

/// The least extent that holds both.
constexpr Extent join(Extent a, Extent b) {
  if (a == b || b == Extent::one) return a;
  if (a == Extent::one) return b;
  return Extent::all;
}

/// Where a register lies.
enum class Place : std::uint8_t {
  fixed,    ///< one address for all blocks: a constant, a load of one element
  input,    ///< in its input's memory, as it is
  output,   ///< in an output's memory
  scratch,  ///< in a task's own memory, at `offset`
};

/// When a step runs.
enum class Phase : std::uint8_t {
  once,    ///< before all blocks
  task,    ///< at a task's beginning: values of the columns, the same for all of its rows
  rows,    ///< in pieces: at a row's beginning
  block,   ///< each block
  after,   ///< in pieces: when a row's reductions are complete
  linked,  ///< as a link of a chain that ends later
};

struct Register {
  Extent extent = Extent::one;
  Place place = Place::scratch;
  Phase phase = Phase::block;
  std::size_t item = 0;
  std::byte* fixed = nullptr;
  std::size_t offset = 0;
  std::int32_t view = -1;       ///< number of the input or output in whose memory it lies
  std::size_t spread = 0;       ///< reductions: where an operand that is not `all` is spread to
  std::int32_t reduction = -1;  ///< reductions: their number
  bool streams = false;         ///< a chain's, straight past the caches
  std::int32_t chain = -1;      ///< number of the chain that ends here
  struct Store {
    std::int32_t output;
    bool streams;  ///< past the caches
  };
  std::vector<Store> stores;  ///< outputs that it is copied to
};

/// Steps each of which is the only one to read the one before: they run together, in registers of the
/// processor.
struct Chain {
  struct Link {
    cpu::Link link;
    std::int32_t operand;  ///< a register, or -1
    bool ahead = false;    ///< it asks early for an input that is read where it lies
  };
  std::vector<Link> links;
  std::vector<std::size_t> steps;
};

/// How a block lies in scratch memory.
enum class Order : std::uint8_t {
  by_rows,     ///< [rows, columns]
  by_columns,  ///< [columns, rows]: for rows so short that a loop along them would not pay
};

/// A program cut into blocks that stay in the first-level cache, and where each register lies. Everything
/// follows from the program and the views, nothing from the number of threads.
class Plan {
 public:
  /// The views must outlive this.
  Plan(const Program& program, std::span<const View> inputs, std::span<const View> outputs);

  const Program* program;
  std::vector<View> inputs;   ///< flattened where that is possible
  std::vector<View> outputs;  ///< the same
  std::int64_t rows;
  std::int64_t columns;
  std::vector<Register> registers;
  std::vector<std::int32_t> reductions;  ///< registers
  std::vector<Chain> chains;

  Order order = Order::by_rows;
  /// A row at a time, and of that `block_columns` elements; else whole rows.
  bool in_pieces = false;
  std::int64_t block_rows = 1;
  std::int64_t block_columns = 1;
  /// In pieces: elements of a row that are a task, and whether their reductions are merged afterwards.
  std::int64_t task_columns = 0;
  bool merges = false;
  std::int64_t block_steps = 0;  ///< steps over all elements
  std::size_t scratch_bytes = 0;
  /// Two buffers into which a loop's scalar operands are spread, and one for the accumulators of rows.
  std::size_t spread_offset[2] = {0, 0};
  std::size_t accumulators_offset = 0;
  std::size_t values_offset = 0;

 private:
  void flatten();
  void choose_blocks();
  void link_chains();
  void join_chain(std::size_t i, std::vector<std::int32_t>& chain_of, const std::vector<int>& readers);
  void place_registers();
  void describe(std::size_t i);
  void place(std::size_t i);
  void place_load(std::size_t i);
  void place_outputs(std::size_t i);
  Phase phase_of(std::size_t i) const;
  bool lies_as_block(const View& view, Extent extent) const;
  std::size_t bytes(Extent extent, std::size_t item) const;
  std::size_t take(std::size_t size, bool fresh = false);
  void place_step(std::size_t i);
  void place_chain(std::size_t i);
  void look_ahead();
  void release_operands(std::size_t i, bool before);
  void release_operand(std::size_t i, std::size_t arg, bool before);
  Extent extent_of(std::size_t i) const;

  std::vector<bool> after_reduction_;
  std::vector<std::size_t> last_use_;
  std::vector<bool> released_;
  struct Free {
    std::size_t offset, size;
  };
  std::vector<Free> free_;
  std::vector<std::uint64_t> constants_;
};

constexpr int argument_count(Program::Kind kind) {
  switch (kind) {
    case Program::Kind::load:
    case Program::Kind::constant: return 0;
    case Program::Kind::binary: return 2;
    case Program::Kind::where: return 3;
    default: return 1;
  }
}

constexpr bool is_reduction(Program::Kind kind) {
  return kind == Program::Kind::reduce || kind == Program::Kind::arg_reduce;
}

}  // namespace tessera::cpu
