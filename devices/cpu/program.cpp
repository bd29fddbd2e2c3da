#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "devices/cpu/arg_loops.hpp"
#include "devices/cpu/cpu_device.hpp"
#include "devices/cpu/kept_plans.hpp"
#include "devices/cpu/loops.hpp"
#include "devices/cpu/move.hpp"
#include "devices/cpu/program_plan.hpp"
#include "devices/cpu/row_reduction.hpp"
#include "devices/cpu/threads.hpp"

// A program a block at a time: its steps run one after the other on registers that stay in the first-level
// cache, by the same loops as the plain kernels, and in the same order of summation.

namespace tessera::cpu {
namespace {

using Kind = Program::Kind;
using Step = Program::Step;

/// The best of a part of a row.
struct Winner {
  std::int64_t index = 0;
  alignas(8) std::byte value[8] = {};
  bool none = true;
};

/// The rows and columns of a block.
struct Block {
  std::int64_t row, rows;
  std::int64_t column, columns;
};

/// Runs blocks on one thread, in its own scratch memory.
class Interpreter {
 public:
  Interpreter(const Plan& plan, const Schedule& schedule, Bound& bound, std::byte* scratch)
      : plan_(plan), schedule_(schedule), bound_(bound), scratch_(scratch), data_(plan.registers.size()) {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const Register& reg = plan.registers[i];
      if (reg.place == Place::fixed) {
        data_[i] = reg.view >= 0 ? bound.inputs[static_cast<std::size_t>(reg.view)]
                                 : reinterpret_cast<std::byte*>(&bound.once[i]);
      }
      if (reg.place == Place::scratch && scratch != nullptr) data_[i] = scratch + reg.offset;
    }
  }

  ~Interpreter() { finish_streaming(); }
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  void run(Phase phase) {
    for (const std::size_t i : schedule_.steps(phase)) run_step(i);
  }
  void begin_task() {
    block_ = {0, plan_.block_rows, 0, plan_.block_columns};
    run(Phase::task);
  }
  /// Whole rows.
  void run_rows(const Block& block) {
    block_ = block;
    for (const std::size_t i : schedule_.steps(Phase::block)) {
      run_step(i);
      store(i);
    }
    for (const std::size_t i : schedule_.early_stores) store(i);
  }

  // In pieces.
  void begin_row(std::int64_t row);
  void run_piece(std::int64_t column, std::int64_t columns);
  /// The reductions of what has run since begin_row.
  void give_partial(std::size_t reduction, std::byte* partials, std::int64_t block);
  /// Partial results of `blocks` blocks, into the first.
  void merge(std::size_t reduction, std::byte* partials, std::int64_t blocks) const;
  void set_reduction(std::size_t reduction, const std::byte* partial);
  void finish_row();

 private:
  const Register& reg(std::size_t i) const { return plan_.registers[i]; }
  const Step& step(std::size_t i) const { return plan_.program->steps[i]; }
  std::int64_t inner() const { return plan_.order == Order::by_rows ? block_.columns : block_.rows; }
  std::int64_t outer() const { return plan_.order == Order::by_rows ? block_.rows : block_.columns; }

  std::byte* address(std::byte* array, const View& view, Extent extent) const {
    std::int64_t at = 0;
    if (extent == Extent::rows || extent == Extent::all) at += block_.row * view.strides[0];
    if (extent == Extent::columns || extent == Extent::all) at += block_.column * view.strides[1];
    return array + at * static_cast<std::int64_t>(itemsize(view.dtype));
  }
  std::byte* output_address(std::int32_t number, Extent extent) const {
    const auto o = static_cast<std::size_t>(number);
    return address(bound_.outputs[o], plan_.outputs[o], extent);
  }
  /// A register's elements over the block; strides of 0 where it has them once.
  Lattice lattice(std::size_t i) const;

  void run_step(std::size_t i);
  void load(std::size_t i);
  void store(std::size_t i);
  Operand operand(std::size_t arg, Extent extent) const;
  const std::byte* spread(const Operand& operand, std::size_t item, int buffer, std::int64_t n) const;
  void run_loops(std::size_t i);
  bool gather_links(std::size_t i);
  void run_links(std::size_t i);
  void sum_links(std::size_t i);
  void run_selection(std::size_t i);
  void call_binary(const Step& step, const Operand& a, const Operand& b, std::byte* out,
                   std::int64_t n) const;
  void call_where(const Step& step, const Operand& condition, const Operand& a, const Operand& b,
                  std::byte* out, std::int64_t n) const;
  const std::byte* reduced_operand(std::size_t i);
  void reduce_block(std::size_t i);
  void arg_reduce_block(std::size_t i);
  void reduce_piece(std::size_t i);

  const Reducer& reducer_of(std::size_t i) const {
    const auto arg = static_cast<std::size_t>(step(i).args[0]);
    return reducer(static_cast<ReduceOp>(step(i).op), step(arg).dtype);
  }
  const ArgLoops& arg_loops_of(std::size_t i) const {
    const auto arg = static_cast<std::size_t>(step(i).args[0]);
    return arg_loops(static_cast<ArgReduceOp>(step(i).op), step(arg).dtype);
  }

  const Plan& plan_;
  const Schedule& schedule_;
  Bound& bound_;
  std::byte* scratch_;
  std::vector<std::byte*> data_;
  Block block_{};
  std::vector<RowReduction> sums_;  ///< in pieces, by number of the reduction
  std::vector<Winner> winners_;
  std::vector<ChainStep> links_;  ///< of the chain that runs
};

Lattice Interpreter::lattice(std::size_t i) const {
  const auto item = static_cast<std::int64_t>(reg(i).item);
  switch (reg(i).extent) {
    case Extent::one: return {data_[i], 0, 0};
    case Extent::rows: return {data_[i], item, 0};
    case Extent::columns: return {data_[i], 0, item};
    case Extent::all: break;
  }
  if (plan_.order == Order::by_rows) return {data_[i], block_.columns * item, item};
  return {data_[i], item, block_.rows * item};
}

void Interpreter::load(std::size_t i) {
  const Register& r = reg(i);
  const auto input = static_cast<std::size_t>(step(i).args[0]);
  const View& view = plan_.inputs[input];
  std::byte* const from = address(bound_.inputs[input], view, r.extent);
  if (r.place == Place::input) {
    data_[i] = from;
    return;
  }
  const auto item = static_cast<std::int64_t>(r.item);
  const std::int64_t row = view.strides[0] * item;
  const std::int64_t column = view.strides[1] * item;
  if (r.extent == Extent::rows) {
    move_block(r.item, {from, 0, row}, {data_[i], 0, item}, 1, block_.rows);
  } else if (r.extent == Extent::columns) {
    move_block(r.item, {from, 0, column}, {data_[i], 0, item}, 1, block_.columns);
  } else if (plan_.order == Order::by_rows) {
    move_block(r.item, {from, row, column}, {data_[i], block_.columns * item, item}, block_.rows,
               block_.columns);
  } else {
    move_block(r.item, {from, column, row}, {data_[i], block_.rows * item, item}, block_.columns,
               block_.rows);
  }
}

void Interpreter::store(std::size_t i) {
  for (const auto& [o, streams] : reg(i).stores) {
    const View& view = plan_.outputs[static_cast<std::size_t>(o)];
    const bool of_row = step(i).row && view.shape[1] == 1;
    if (of_row && block_.column != 0) continue;
    const std::int64_t columns = of_row ? 1 : block_.columns;
    std::byte* const to = output_address(o, of_row ? Extent::rows : Extent::all);
    if (streams && !bound_.in_place(o)) {
      stream(to, data_[i], static_cast<std::size_t>(block_.rows * columns) * reg(i).item);
      continue;
    }
    const auto item = static_cast<std::int64_t>(reg(i).item);
    move_block(reg(i).item, lattice(i), {to, view.strides[0] * item, view.strides[1] * item}, block_.rows,
               columns);
  }
}

void Interpreter::run_step(std::size_t i) {
  switch (step(i).kind) {
    case Kind::constant: return;
    case Kind::load:
      if (reg(i).place != Place::fixed) load(i);
      return;
    default: break;
  }
  if (reg(i).selection >= 0) return run_selection(i);
  if (reg(i).place == Place::output) {
    data_[i] = output_address(reg(i).view, reg(i).extent);
  }
  if (step(i).kind == Kind::reduce) {
    if (reg(i).chain >= 0) {
      sum_links(i);
    } else {
      plan_.in_pieces ? reduce_piece(i) : reduce_block(i);
    }
  } else if (step(i).kind == Kind::arg_reduce) {
    plan_.in_pieces ? reduce_piece(i) : arg_reduce_block(i);
  } else if (reg(i).chain >= 0) {
    run_links(i);
  } else {
    run_loops(i);
  }
}

// ---- element-wise steps

/// An argument of a step of that extent.
Operand Interpreter::operand(std::size_t arg, Extent extent) const {
  const Register& r = reg(arg);
  const auto item = static_cast<std::int64_t>(r.item);
  if (r.extent == Extent::one) return {data_[arg], 0, true};
  if (extent != Extent::all) return {data_[arg], 0, false};
  if (r.extent == Extent::all) return {data_[arg], inner() * item, false};
  const bool along_inner = (r.extent == Extent::columns) == (plan_.order == Order::by_rows);
  if (along_inner) return {data_[arg], 0, false};
  return {data_[arg], item, true};
}

const std::byte* Interpreter::spread(const Operand& operand, std::size_t item, int buffer,
                                     std::int64_t n) const {
  if (!operand.scalar || n == 1) return operand.data;
  std::byte* const to = scratch_ + plan_.spread_offset[buffer];
  repeat(item, operand.data, to, n);
  return to;
}

void Interpreter::call_binary(const Step& step, const Operand& a, const Operand& b, std::byte* out,
                              std::int64_t n) const {
  const DType dtype = this->step(static_cast<std::size_t>(step.args[0])).dtype;
  const BinaryLoops& loops = binary_loops(static_cast<BinaryOp>(step.op), dtype);
  if (a.scalar && !b.scalar && loops.left_scalar != nullptr) {
    loops.left_scalar(a.data, b.data, out, n);
  } else if (b.scalar && !a.scalar && loops.right_scalar != nullptr) {
    loops.right_scalar(a.data, b.data, out, n);
  } else {
    loops.both(spread(a, itemsize(dtype), 0, n), spread(b, itemsize(dtype), 1, n), out, n);
  }
}

void Interpreter::call_where(const Step& step, const Operand& condition, const Operand& a, const Operand& b,
                             std::byte* out, std::int64_t n) const {
  const WhereLoops& loops = where_loops(step.dtype);
  const std::byte* const chosen = spread(condition, 1, 0, n);
  WhereLoop loop = loops.both;
  if (a.scalar) loop = b.scalar ? loops.scalars : loops.left_scalar;
  if (b.scalar && !a.scalar) loop = loops.right_scalar;
  loop(chosen, a.data, b.data, out, n);
}

void Interpreter::run_loops(std::size_t i) {
  const Step& s = step(i);
  const Extent extent = reg(i).extent;
  const int count = argument_count(s.kind);
  Operand args[3] = {};
  bool together = true;
  for (int a = 0; a < count; ++a) {
    const auto arg = static_cast<std::size_t>(s.args[a]);
    args[a] = operand(arg, extent);
    together = together && (reg(arg).extent == Extent::one || reg(arg).extent == extent);
  }
  std::int64_t n = 1;
  std::int64_t calls = 1;
  if (extent == Extent::rows) n = block_.rows;
  if (extent == Extent::columns) n = block_.columns;
  if (extent == Extent::all) {
    n = together ? block_.rows * block_.columns : inner();
    calls = together ? 1 : outer();
  }
  std::byte* out = data_[i];
  const std::int64_t out_step = n * static_cast<std::int64_t>(reg(i).item);
  const DType x = step(static_cast<std::size_t>(s.args[0])).dtype;
  for (std::int64_t call = 0; call < calls; ++call) {
    switch (s.kind) {
      case Kind::unary: unary_loop(static_cast<UnaryOp>(s.op), x)(args[0].data, out, n); break;
      case Kind::cast: cast_loop(x, s.dtype)(args[0].data, out, n); break;
      case Kind::binary: call_binary(s, args[0], args[1], out, n); break;
      default: call_where(s, args[0], args[1], args[2], out, n);
    }
    out += out_step;
    for (Operand& arg : args) arg.data += arg.step;
  }
}

/// The links of the chain that ends in step i, with their operands; whether all of these are as large as the
/// block or single elements.
bool Interpreter::gather_links(std::size_t i) {
  const Chain& chain = plan_.chains[static_cast<std::size_t>(reg(i).chain)];
  links_.clear();
  bool together = true;
  for (const auto& [link, number, ahead, slot] : chain.links) {
    if (number < 0) {
      links_.push_back({link, false, nullptr, 0, false, slot});
      continue;
    }
    const auto arg = static_cast<std::size_t>(number);
    const Operand from = operand(arg, Extent::all);
    links_.push_back({link, from.scalar, from.data, from.step, ahead});
    together = together && (reg(arg).extent == Extent::one || reg(arg).extent == Extent::all);
  }
  return together;
}

void Interpreter::run_links(std::size_t i) {
  const bool together = gather_links(i);
  const std::int64_t n = together ? block_.rows * block_.columns : inner();
  run_chain(step(i).dtype, links_.data(), static_cast<int>(links_.size()), data_[i], n,
            together ? 1 : outer(), reg(i).streams && !bound_.in_place(reg(i).view));
}

void Interpreter::run_selection(std::size_t i) {
  const Selection& selection = plan_.selections[static_cast<std::size_t>(reg(i).selection)];
  const Step& comparison = step(selection.comparison);
  const auto read = [&](std::int32_t arg) { return operand(static_cast<std::size_t>(arg), Extent::rows); };
  Choice choices[kMostChoices];
  int count = 0;
  for (const std::size_t choice : selection.choices) {
    if (reg(choice).place == Place::output) data_[choice] = output_address(reg(choice).view, Extent::rows);
    choices[count++] = {reg(choice).item, read(step(choice).args[1]), read(step(choice).args[2]),
                        data_[choice]};
  }
  select(static_cast<BinaryOp>(comparison.op), step(static_cast<std::size_t>(comparison.args[0])).dtype,
         read(comparison.args[0]), read(comparison.args[1]), choices, count, block_.rows);
  for (const std::size_t choice : selection.choices) {
    if (choice != i) store(choice);
  }
}

// ---- reductions

/// The elements of the block, side by side.
const std::byte* Interpreter::reduced_operand(std::size_t i) {
  const auto arg = static_cast<std::size_t>(step(i).args[0]);
  if (reg(arg).extent == Extent::all) return data_[arg];
  std::byte* const to = scratch_ + reg(i).spread;
  const Lattice from = lattice(arg);
  const auto item = static_cast<std::int64_t>(reg(arg).item);
  if (plan_.order == Order::by_rows) {
    move_block(reg(arg).item, from, {to, block_.columns * item, item}, block_.rows, block_.columns);
  } else {
    move_block(reg(arg).item, {from.data, from.column, from.row}, {to, block_.rows * item, item},
               block_.columns, block_.rows);
  }
  return to;
}

void Interpreter::reduce_block(std::size_t i) {
  const Reducer& reducer = reducer_of(i);
  const std::byte* const x = reduced_operand(i);
  const std::size_t item = reg(static_cast<std::size_t>(step(i).args[0])).item;
  std::byte* const accumulators = scratch_ + plan_.accumulators_offset;
  reducer.start(accumulators, block_.rows);
  if (plan_.order == Order::by_columns) {
    reducer.columns(accumulators, x, block_.rows, block_.columns, block_.rows);
  } else if (reducer.rows != nullptr) {
    reducer.rows(accumulators, x, block_.columns, block_.rows);
  } else {
    const auto row_bytes = block_.columns * static_cast<std::int64_t>(item);
    for (std::int64_t r = 0; r < block_.rows; ++r) {
      reduce_whole_row(reducer, accumulators + r * static_cast<std::int64_t>(reducer.size), x + r * row_bytes,
                       block_.columns, item);
    }
  }
  reducer.finish(accumulators, data_[i], step(i).dtype, 1, block_.rows);
}

void Interpreter::sum_links(std::size_t i) {
  gather_links(i);
  auto* const sums = reinterpret_cast<double*>(scratch_ + plan_.accumulators_offset);
  sum_chain(step(static_cast<std::size_t>(step(i).args[0])).dtype, links_.data(),
            static_cast<int>(links_.size()), sums, block_.columns, block_.rows,
            plan_.order == Order::by_columns);
  reducer_of(i).finish(sums, data_[i], step(i).dtype, 1, block_.rows);
}

void Interpreter::arg_reduce_block(std::size_t i) {
  const ArgLoops& loops = arg_loops_of(i);
  const std::byte* const x = reduced_operand(i);
  const auto item = static_cast<std::int64_t>(reg(static_cast<std::size_t>(step(i).args[0])).item);
  auto* const out = reinterpret_cast<std::int64_t*>(data_[i]);
  if (plan_.order == Order::by_rows) {
    alignas(8) std::byte best[8];
    for (std::int64_t r = 0; r < block_.rows; ++r) {
      out[r] = loops.row(x + r * block_.columns * item, block_.columns, best);
    }
    return;
  }
  std::byte* const indices = scratch_ + plan_.accumulators_offset;
  loops.columns(scratch_ + plan_.values_offset, indices, x, block_.rows, block_.columns, block_.rows);
  for (std::int64_t r = 0; r < block_.rows; ++r) {
    out[r] = item == 8 ? reinterpret_cast<const std::int64_t*>(indices)[r]
                       : reinterpret_cast<const std::int32_t*>(indices)[r];
  }
}

// ---- rows in pieces

void Interpreter::begin_row(std::int64_t row) {
  block_ = {row, 1, 0, 1};
  run(Phase::rows);
  sums_.clear();
  winners_.assign(plan_.reductions.size(), {});
  for (const std::int32_t r : plan_.reductions) {
    const auto i = static_cast<std::size_t>(r);
    // An argmin's is not used.
    sums_.emplace_back(step(i).kind == Kind::reduce ? reducer_of(i) : reducer(ReduceOp::any, DType::bool_));
  }
}

void Interpreter::run_piece(std::int64_t column, std::int64_t columns) {
  block_.column = column;
  block_.columns = columns;
  for (const std::size_t i : schedule_.steps(Phase::block)) {
    run_step(i);
    if (!is_reduction(step(i).kind)) store(i);
  }
  for (const std::size_t i : schedule_.early_stores) store(i);
}

void Interpreter::reduce_piece(std::size_t i) {
  const auto number = static_cast<std::size_t>(reg(i).reduction);
  const std::byte* const x = reduced_operand(i);
  if (step(i).kind == Kind::reduce) {
    sums_[number].take(x, block_.columns, reg(static_cast<std::size_t>(step(i).args[0])).item);
    return;
  }
  Winner later;
  const ArgLoops& loops = arg_loops_of(i);
  later.index = block_.column + loops.row(x, block_.columns, later.value);
  later.none = false;
  Winner& winner = winners_[number];
  if (winner.none || loops.gives_way(winner.value, later.value)) winner = later;
}

void Interpreter::give_partial(std::size_t reduction, std::byte* partials, std::int64_t block) {
  const auto i = static_cast<std::size_t>(plan_.reductions[reduction]);
  if (step(i).kind == Kind::arg_reduce) {
    reinterpret_cast<Winner*>(partials)[block] = winners_[reduction];
    return;
  }
  const Reducer& reducer = reducer_of(i);
  std::byte* const accumulator = partials + block * static_cast<std::int64_t>(reducer.size);
  reducer.start(accumulator, 1);
  sums_[reduction].give(accumulator);
}

void Interpreter::merge(std::size_t reduction, std::byte* partials, std::int64_t blocks) const {
  const auto i = static_cast<std::size_t>(plan_.reductions[reduction]);
  if (step(i).kind == Kind::reduce) {
    merge_blocks(reducer_of(i), partials, blocks, 1);
    return;
  }
  const ArgLoops& loops = arg_loops_of(i);
  auto* const winners = reinterpret_cast<Winner*>(partials);
  for (std::int64_t block = 1; block < blocks; ++block) {
    if (loops.gives_way(winners[0].value, winners[block].value)) winners[0] = winners[block];
  }
}

void Interpreter::set_reduction(std::size_t reduction, const std::byte* partial) {
  const auto i = static_cast<std::size_t>(plan_.reductions[reduction]);
  if (reg(i).place == Place::output) {
    data_[i] = output_address(reg(i).view, Extent::rows);
  }
  if (step(i).kind == Kind::arg_reduce) {
    std::memcpy(data_[i], &reinterpret_cast<const Winner*>(partial)->index, sizeof(std::int64_t));
  } else {
    reducer_of(i).finish(partial, data_[i], step(i).dtype, 1, 1);
  }
}

void Interpreter::finish_row() {
  block_.column = 0;
  block_.columns = 1;
  for (const std::int32_t i : plan_.reductions) store(static_cast<std::size_t>(i));
  for (const std::size_t i : schedule_.steps(Phase::after)) {
    run_step(i);
    store(i);
  }
}

// ---- on several threads

void run_in_blocks(CpuDevice& device, const Plan& plan, const Schedule& schedule, Bound& bound) {
  const std::int64_t blocks = block_count(plan.rows, plan.block_rows);
  const std::int64_t elements = plan.block_rows * plan.columns;
  const std::int64_t steps = std::max<std::int64_t>(plan.block_steps, 1);
  const std::int64_t blocks_a_task = std::clamp<std::int64_t>(8 * kReduceBlock / (elements * steps), 1, 64);
  parallel_for(block_count(blocks, blocks_a_task), plan.rows * plan.columns * steps, [&](std::int64_t task) {
    const Workspace scratch = device.workspace(plan.scratch_bytes);
    Interpreter interpreter(plan, schedule, bound, scratch.as<std::byte>());
    interpreter.begin_task();
    const auto [first, last] = block_range(task, blocks_a_task, blocks);
    for (std::int64_t block = first; block < last; ++block) {
      const auto [row, end] = block_range(block, plan.block_rows, plan.rows);
      interpreter.run_rows({row, end - row, 0, plan.columns});
    }
  });
}

void run_pieces(Interpreter& interpreter, const Plan& plan, std::int64_t row, BlockRange columns) {
  interpreter.begin_row(row);
  for (std::int64_t column = columns.begin; column < columns.end; column += plan.block_columns) {
    interpreter.run_piece(column, std::min(plan.block_columns, columns.end - column));
  }
}

void run_in_pieces(CpuDevice& device, const Plan& plan, const Schedule& schedule, Bound& bound) {
  const std::int64_t tasks_a_row = block_count(plan.columns, plan.task_columns);
  const std::size_t reductions = plan.reductions.size();
  const std::int64_t bytes = tasks_a_row * static_cast<std::int64_t>(sizeof(Winner));
  const auto partials_of = [&](std::byte* all, std::int64_t row, std::size_t reduction) {
    return all + (row * static_cast<std::int64_t>(reductions) + static_cast<std::int64_t>(reduction)) * bytes;
  };
  const Workspace room = device.workspace(
      plan.merges ? static_cast<std::size_t>(plan.rows * bytes) * reductions : std::size_t{1});
  const std::int64_t work = plan.rows * plan.columns * std::max<std::int64_t>(plan.block_steps, 1);
  parallel_for(plan.rows * tasks_a_row, work, [&](std::int64_t task) {
    const Workspace scratch = device.workspace(plan.scratch_bytes);
    Interpreter interpreter(plan, schedule, bound, scratch.as<std::byte>());
    const std::int64_t row = task / tasks_a_row;
    const std::int64_t part = task % tasks_a_row;
    run_pieces(interpreter, plan, row, block_range(part, plan.task_columns, plan.columns));
    for (std::size_t r = 0; r < reductions; ++r) {
      if (plan.merges) {
        interpreter.give_partial(r, partials_of(room.as<std::byte>(), row, r), part);
      } else {
        alignas(8) std::byte partial[sizeof(Winner)];
        interpreter.give_partial(r, partial, 0);
        interpreter.set_reduction(r, partial);
      }
    }
    if (reductions > 0 && !plan.merges) interpreter.finish_row();
  });
  if (!plan.merges) return;
  const Workspace scratch = device.workspace(plan.scratch_bytes);
  Interpreter interpreter(plan, schedule, bound, scratch.as<std::byte>());
  for (std::int64_t row = 0; row < plan.rows; ++row) {
    interpreter.begin_row(row);
    for (std::size_t r = 0; r < reductions; ++r) {
      std::byte* const partials = partials_of(room.as<std::byte>(), row, r);
      interpreter.merge(r, partials, tasks_a_row);
      interpreter.set_reduction(r, partials);
    }
    interpreter.finish_row();
  }
}

}  // namespace

void CpuDevice::program(const Program& program, std::span<const View> inputs, std::span<const View> outputs) {
  if (program.rows == 0 || program.columns == 0) {
    DeviceInterface::program(program, inputs, outputs);
    return;
  }
  const std::shared_ptr<const KeptPlan> kept = kept_plan(program, inputs, outputs);
  const Plan& plan = kept->plan;
  const Schedule& schedule = kept->schedule;
  Bound bound(plan, inputs, outputs);
  Interpreter(plan, schedule, bound, nullptr).run(Phase::once);
  if (plan.in_pieces) {
    run_in_pieces(*this, plan, schedule, bound);
  } else {
    run_in_blocks(*this, plan, schedule, bound);
  }
}

}  // namespace tessera::cpu
