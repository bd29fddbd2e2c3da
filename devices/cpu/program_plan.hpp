#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/program.hpp>

#include "devices/cpu/chain.hpp"
#include "devices/cpu/selection.hpp"

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
  fixed,    ///< one address for all blocks: an input of one element, or what is computed once
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
  linked,  ///< as a part of a chain or selection that ends later
};

struct Register {
  Extent extent = Extent::one;
  Place place = Place::scratch;
  Phase phase = Phase::block;
  std::size_t item = 0;
  std::size_t offset = 0;
  std::int32_t view = -1;       ///< number of the input or output in whose memory it lies, if any
  std::size_t spread = 0;       ///< reductions: where an operand that is not `all` is spread to
  std::int32_t reduction = -1;  ///< reductions: their number
  bool streams = false;         ///< a chain's, straight past the caches
  std::int32_t chain = -1;      ///< number of the chain that ends here
  std::int32_t selection = -1;  ///< number of the selection that runs here
  struct Store {
    std::int32_t output;
    bool streams;  ///< past the caches
  };
  std::vector<Store> stores;  ///< outputs that it is copied to
};

/// Steps each of which is the only one to read the one before: they run together, in registers of the
/// processor. Where a step reads the ends of two chains, the value of the one is kept while the other runs.
struct Chain {
  struct Link {
    cpu::Link link;
    std::int32_t operand;  ///< a register, or -1
    bool ahead = false;    ///< it asks early for an input that is read where it lies
    int slot = -1;         ///< where it keeps, or where its operand was kept
  };
  std::vector<Link> links;
  int slots = 0;  ///< that it uses
  std::vector<std::size_t> steps;
  bool sums = false;  ///< the last step is the sum of the values over each row
};

/// A comparison of values of the rows that nothing but choices between such values reads: they run together,
/// with the last of them.
struct Selection {
  std::size_t comparison;
  std::vector<std::size_t> choices;
};

/// How a block lies in scratch memory.
enum class Order : std::uint8_t {
  by_rows,     ///< [rows, columns]
  by_columns,  ///< [columns, rows]: for rows so short that a loop along them would not pay
};

/// A program cut into blocks that stay in the first-level cache, and where each register lies. Everything
/// follows from the program and the views' layouts, nothing from the number of threads or where arrays lie:
/// so one plan is for many calls.
class Plan {
 public:
  /// The program must outlive this.
  Plan(const Program& program, std::span<const View> inputs, std::span<const View> outputs);

  const Program* program;
  std::vector<View> inputs;   ///< layouts, flattened where that is possible
  std::vector<View> outputs;  ///< the same
  std::int64_t rows;
  std::int64_t columns;
  std::vector<Register> registers;
  std::vector<std::int32_t> reductions;  ///< registers
  std::vector<Chain> chains;
  std::vector<Selection> selections;
  std::vector<std::uint64_t> constants;  ///< the bytes of registers that are constants

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
  bool wide = false;  ///< no element needs scratch memory: blocks are larger

 private:
  void flatten();
  void choose_blocks();
  void link_chains();
  void join_chain(std::size_t i, std::vector<std::int32_t>& chain_of);
  bool join_two(std::size_t i, int longer, std::int32_t number, std::int32_t other);
  bool ends_in_sum(std::size_t i, const std::vector<std::int32_t>& chain_of) const;
  bool is_one_chain() const;
  void widen_blocks();
  void count_readers();
  void link_selections();
  bool is_selection(const Selection& selection) const;
  template <class F>
  void for_each_operand(const Selection& selection, const F& f) const;
  void place_selection(std::size_t i);
  bool writes_over(std::size_t i, const Register& operand) const;
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
  std::vector<int> readers_;  ///< of a register: steps, and outputs twice
  std::vector<std::size_t> last_use_;
  std::vector<bool> released_;
  struct Free {
    std::size_t offset, size;
  };
  std::vector<Free> free_;
};

/// Steps by when they run, in order.
struct Schedule {
  explicit Schedule(const Plan& plan) {
    for (std::size_t i = 0; i < plan.registers.size(); ++i) {
      const Register& reg = plan.registers[i];
      by_phase[static_cast<int>(reg.phase)].push_back(i);
      const bool early = reg.phase == Phase::once || reg.phase == Phase::task || reg.phase == Phase::rows;
      if (early && !reg.stores.empty()) early_stores.push_back(i);
    }
  }
  const std::vector<std::size_t>& steps(Phase phase) const { return by_phase[static_cast<int>(phase)]; }

  std::vector<std::size_t> by_phase[6];
  std::vector<std::size_t> early_stores;  ///< registers that do not wait for a block, but whose outputs do
};

/// Calls f with each register that a selection reads.
template <class F>
void Plan::for_each_operand(const Selection& selection, const F& f) const {
  for (int a = 0; a < 2; ++a) f(static_cast<std::size_t>(program->steps[selection.comparison].args[a]));
  for (const std::size_t choice : selection.choices) {
    for (int a = 1; a < 3; ++a) f(static_cast<std::size_t>(program->steps[choice].args[a]));
  }
}

/// What one call brings to a plan: where its arrays lie, and room for what is computed once.
struct Bound {
  Bound(const Plan& plan, std::span<const View> the_inputs, std::span<const View> the_outputs)
      : once(plan.constants) {
    inputs.reserve(the_inputs.size());
    outputs.reserve(the_outputs.size());
    for (const View& view : the_inputs) inputs.push_back(view.as<std::byte>());
    for (const View& view : the_outputs) outputs.push_back(view.as<std::byte>());
  }

  /// Whether an output is written over an input: it is in the cache then, and need not go past it.
  bool in_place(std::int32_t output) const {
    return std::ranges::find(inputs, outputs[static_cast<std::size_t>(output)]) != inputs.end();
  }

  std::vector<std::byte*> inputs;
  std::vector<std::byte*> outputs;
  std::vector<std::uint64_t> once;  ///< by register
};

}  // namespace tessera::cpu
