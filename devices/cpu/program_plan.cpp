#include "devices/cpu/program_plan.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "devices/cpu/move.hpp"
#include "devices/cpu/row_reduction.hpp"
#include "devices/cpu/threads.hpp"

namespace tessera::cpu {
namespace {

using Kind = Program::Kind;
using Step = Program::Step;

/// Elements of a block. Those of three or four registers of float32 stay in the first-level cache.
constexpr std::int64_t kBlock = RowReduction::kPiece;
/// A longer row is done in pieces.
constexpr std::int64_t kLongRow = 2 * kBlock;
/// Elements of a task of a row without reductions, and how many tasks a row is cut into where they would be
/// fewer.
constexpr std::int64_t kMostTask = 8 * kReduceBlock;
constexpr std::int64_t kManyTasks = 64;
constexpr std::size_t kLine = 64;
/// Bytes of an input in a wide block, and its rows.
constexpr std::int64_t kWideBytes = 64 * 1024;
constexpr std::int64_t kFewestRows = 16;  // the widest vector
constexpr std::int64_t kMostRows = 256;

bool is_flat(const View& view) {
  return view.shape[1] <= 1 || view.shape[0] <= 1 || view.strides[0] == view.shape[1] * view.strides[1];
}

/// The view as one row.
View as_one_row(const View& view) {
  View flat = view;
  flat.shape = {1, view.shape[0] * view.shape[1]};
  flat.strides = {0, view.shape[1] == 1 ? view.strides[0] : view.strides[1]};
  return flat;
}

}  // namespace

Plan::Plan(const Program& the_program, std::span<const View> the_inputs, std::span<const View> the_outputs)
    : program(&the_program),
      inputs(the_inputs.begin(), the_inputs.end()),
      outputs(the_outputs.begin(), the_outputs.end()),
      rows(the_program.rows),
      columns(the_program.columns),
      registers(the_program.steps.size()) {
  for (View& view : inputs) view.data = nullptr;
  for (View& view : outputs) view.data = nullptr;
  flatten();
  choose_blocks();
  place_registers();
}

/// Without values of the row and with views that allow it, the domain is one row.
void Plan::flatten() {
  if (rows == 1) return;
  for (const Step& step : program->steps) {
    if (is_reduction(step.kind)) return;
    if (step.kind != Kind::load) continue;
    const View& view = inputs[static_cast<std::size_t>(step.args[0])];
    if (step.row ? view.strides[0] != 0 : !is_flat(view)) return;
  }
  for (const View& view : outputs) {
    if (view.shape[1] != columns || !is_flat(view)) return;
  }
  for (const std::int32_t reg : program->outputs) {
    if (program->steps[static_cast<std::size_t>(reg)].row) return;
  }
  for (View& view : inputs) {
    if (view.shape[1] == columns) view = as_one_row(view);
  }
  for (View& view : outputs) view = as_one_row(view);
  columns *= rows;
  rows = 1;
}

void Plan::choose_blocks() {
  const bool reduces =
      std::ranges::any_of(program->steps, [](const Step& step) { return is_reduction(step.kind); });
  block_columns = std::min(columns, kBlock);
  if (columns > kLongRow) {
    in_pieces = true;
    merges = reduces && sums_long_rows(rows, columns);
    task_columns = kReduceBlock;
    if (reduces && !merges) task_columns = columns;
    if (!reduces) {
      task_columns = std::clamp(columns / kManyTasks / kReduceBlock * kReduceBlock, kReduceBlock, kMostTask);
    }
    return;
  }
  block_columns = columns;
  if (columns < kShortRow && rows >= kShortRow) {
    order = Order::by_columns;
    block_rows = std::max<std::int64_t>(kBlock / columns / 16, 1) * 16;
  } else {
    block_rows = std::max<std::int64_t>(kBlock / columns, 1);
  }
  block_rows = std::min(block_rows, rows);
}

std::size_t Plan::bytes(Extent extent, std::size_t item) const {
  std::int64_t elements = 1;
  if (extent == Extent::rows || extent == Extent::all) elements *= block_rows;
  if (extent == Extent::columns || extent == Extent::all) elements *= block_columns;
  return (static_cast<std::size_t>(elements) * item + kLine - 1) / kLine * kLine;
}

/// What is fresh has been nobody's before: it keeps its value from block to block.
std::size_t Plan::take(std::size_t size, bool fresh) {
  const auto found =
      std::find_if(free_.rbegin(), free_.rend(), [size](const Free& free) { return free.size == size; });
  if (fresh || found == free_.rend()) {
    const std::size_t offset = scratch_bytes;
    scratch_bytes += size;
    return offset;
  }
  const std::size_t offset = found->offset;
  free_.erase(std::next(found).base());
  return offset;
}

/// Whether a block of the view lies in memory as it would in scratch memory.
bool Plan::lies_as_block(const View& view, Extent extent) const {
  const bool one_row = block_rows == 1;
  const bool one_column = block_columns == 1;
  if (extent == Extent::rows) return one_row || view.strides[0] == 1;
  if (extent == Extent::columns) return one_column || view.strides[1] == 1;
  if (order == Order::by_columns) {
    return one_column && (one_row || view.strides[0] == 1);
  }
  return (one_column || view.strides[1] == 1) && (one_row || view.strides[0] == block_columns);
}

/// Operands that step i is the last to read go back, so that what is read next is in the cache. Before the
/// step's own place is taken only those that it may be written over.
void Plan::release_operands(std::size_t i, bool before) {
  if (registers[i].chain >= 0) {
    for (const Chain::Link& link : chains[static_cast<std::size_t>(registers[i].chain)].links) {
      if (link.operand >= 0) release_operand(i, static_cast<std::size_t>(link.operand), before);
    }
    return;
  }
  if (registers[i].selection >= 0) {
    for_each_operand(selections[static_cast<std::size_t>(registers[i].selection)],
                     [&](std::size_t arg) { release_operand(i, arg, before); });
    return;
  }
  const Step& step = program->steps[i];
  for (int a = 0; a < argument_count(step.kind); ++a) {
    release_operand(i, static_cast<std::size_t>(step.args[a]), before);
  }
}

/// Whether what step i makes can lie where an operand does that ends with it.
bool Plan::writes_over(std::size_t i, const Register& operand) const {
  if (is_reduction(program->steps[i].kind) || operand.extent != registers[i].extent) return false;
  if (registers[i].selection < 0) return operand.item == registers[i].item;
  // What takes a place that is free is of the same item, if no two items take the same room.
  return bytes(Extent::rows, 4) != bytes(Extent::rows, 8);
}

void Plan::release_operand(std::size_t i, std::size_t arg, bool before) {
  const Register& reg = registers[arg];
  if (last_use_[arg] != i || released_[arg] || reg.place != Place::scratch || reg.phase == Phase::task)
    return;
  if (before && !writes_over(i, reg)) return;
  if (in_pieces && reg.extent != Extent::all) return;
  released_[arg] = true;
  free_.push_back({reg.offset, bytes(reg.extent, reg.item)});
}

void Plan::place_load(std::size_t i) {
  Register& reg = registers[i];
  const std::int32_t number = program->steps[i].args[0];
  const View& view = inputs[static_cast<std::size_t>(number)];
  if (reg.extent == Extent::one) {
    reg.place = Place::fixed;
    reg.view = number;
  } else if (lies_as_block(view, reg.extent)) {
    reg.place = Place::input;
    reg.view = number;
  } else {
    reg.offset = take(bytes(reg.extent, reg.item), reg.phase == Phase::task);
  }
}

/// Outputs that register i is: it is written into the first one that it can be written into.
void Plan::place_outputs(std::size_t i) {
  Register& reg = registers[i];
  const Kind kind = program->steps[i].kind;
  const bool computed = kind != Kind::load && kind != Kind::constant;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (static_cast<std::size_t>(program->outputs[o]) != i) continue;
    const View& view = outputs[o];
    const bool same_extent = reg.extent == (program->steps[i].row ? Extent::rows : Extent::all);
    const bool as_block = same_extent && lies_as_block(view, reg.extent);
    const std::int64_t run = order == Order::by_rows ? block_rows * block_columns : 0;
    const auto item = static_cast<std::int64_t>(reg.item);
    if (as_block && reg.extent == Extent::all && run * item >= kStreamedRun &&
        rows * columns * item >= kStreamedBytes) {
      reg.stores.push_back({static_cast<std::int32_t>(o), true});
    } else if (computed && as_block && reg.view < 0 && !(in_pieces && reg.extent == Extent::rows)) {
      reg.place = Place::output;
      reg.view = static_cast<std::int32_t>(o);
    } else {
      reg.stores.push_back({static_cast<std::int32_t>(o), false});
    }
  }
}

Phase Plan::phase_of(std::size_t i) const {
  const Extent extent = registers[i].extent;
  if (extent == Extent::one) return Phase::once;
  if (!in_pieces) return extent == Extent::columns ? Phase::task : Phase::block;
  if (extent != Extent::rows || is_reduction(program->steps[i].kind)) return Phase::block;
  return after_reduction_[i] ? Phase::after : Phase::rows;
}

Extent Plan::extent_of(std::size_t i) const {
  const Step& step = program->steps[i];
  if (is_reduction(step.kind)) return Extent::rows;
  Extent extent = Extent::one;
  if (step.kind == Kind::load) {
    const View& view = inputs[static_cast<std::size_t>(step.args[0])];
    if (rows > 1 && view.strides[0] != 0) extent = Extent::rows;
    if (!step.row && columns > 1 && view.strides[1] != 0) extent = join(extent, Extent::columns);
  }
  for (int a = 0; a < argument_count(step.kind); ++a) {
    extent = join(extent, registers[static_cast<std::size_t>(step.args[a])].extent);
  }
  // Where there is one row, or one at a time, values of the columns are like all others.
  if (extent == Extent::columns && (in_pieces || rows == 1)) return Extent::all;
  if (extent == Extent::rows && columns == 1 && !step.row) return Extent::all;
  return extent;
}

/// What does not depend on where registers lie.
void Plan::describe(std::size_t i) {
  const Step& step = program->steps[i];
  Register& reg = registers[i];
  reg.item = itemsize(step.dtype);
  reg.extent = extent_of(i);
  after_reduction_[i] = is_reduction(step.kind);
  for (int a = 0; a < argument_count(step.kind); ++a) {
    if (after_reduction_[static_cast<std::size_t>(step.args[a])]) after_reduction_[i] = true;
  }
  reg.phase = phase_of(i);
  if (reg.extent == Extent::all || is_reduction(step.kind)) ++block_steps;
  if (is_reduction(step.kind)) {
    reg.reduction = static_cast<std::int32_t>(reductions.size());
    reductions.push_back(static_cast<std::int32_t>(i));
  }
}

void Plan::place(std::size_t i) {
  const Step& step = program->steps[i];
  Register& reg = registers[i];
  if (reg.selection >= 0) return place_selection(i);
  place_outputs(i);
  if (step.kind == Kind::load) {
    place_load(i);
  } else if (reg.extent == Extent::one) {
    reg.place = Place::fixed;
    reg.view = -1;
    if (step.kind != Kind::constant) return;
    visit_dtype(step.dtype, [&]<class T>(T) {
      const T element = step.value.to<T>();
      std::memcpy(&constants[i], &element, sizeof element);
    });
  } else {
    place_step(i);
  }
}

/// The chain that takes longest asks for what comes next.
void Plan::look_ahead() {
  std::vector<bool> done(registers.size(), false);
  std::vector<Chain*> by_length;
  for (Chain& chain : chains) by_length.push_back(&chain);
  std::ranges::stable_sort(by_length,
                           [](const Chain* a, const Chain* b) { return a->links.size() > b->links.size(); });
  for (Chain* const chain : by_length) {
    for (Chain::Link& link : chain->links) {
      if (link.operand < 0) continue;
      const auto arg = static_cast<std::size_t>(link.operand);
      link.ahead = registers[arg].place == Place::input && registers[arg].extent == Extent::all && !done[arg];
      done[arg] = true;
    }
  }
}

void Plan::place_chain(std::size_t i) {
  Register& reg = registers[i];
  // What nobody reads again need not go through scratch memory.
  if (reg.stores.size() == 1 && reg.stores[0].streams && last_use_[i] == 0) {
    reg.place = Place::output;
    reg.view = reg.stores[0].output;
    reg.streams = true;
    reg.stores.clear();
  }
}

void Plan::place_step(std::size_t i) {
  const Step& step = program->steps[i];
  Register& reg = registers[i];
  if (is_reduction(step.kind)) {
    const Register& x = registers[static_cast<std::size_t>(step.args[0])];
    if (x.extent != Extent::all) reg.spread = take(bytes(Extent::all, x.item), true);
  }
  if (reg.chain >= 0) place_chain(i);
  release_operands(i, true);
  if (reg.place == Place::scratch) reg.offset = take(bytes(reg.extent, reg.item), reg.phase == Phase::task);
  release_operands(i, false);
}

void Plan::place_selection(std::size_t i) {
  const Selection& selection = selections[static_cast<std::size_t>(registers[i].selection)];
  for (const std::size_t choice : selection.choices) place_outputs(choice);
  release_operands(i, true);
  for (const std::size_t choice : selection.choices) {
    Register& reg = registers[choice];
    if (reg.place == Place::scratch) reg.offset = take(bytes(reg.extent, reg.item));
  }
  release_operands(i, false);
}

/// Whether one chain, from inputs to an output, is all that there is to do with the elements.
bool Plan::is_one_chain() const {
  if (chains.size() != 1 || outputs.size() != 1 || chains[0].sums) return false;
  const std::size_t end = chains[0].steps.back();
  if (static_cast<std::size_t>(program->outputs[0]) != end || !lies_as_block(outputs[0], Extent::all)) {
    return false;
  }
  for (std::size_t i = 0; i < registers.size(); ++i) {
    const Step& step = program->steps[i];
    if (is_reduction(step.kind)) return false;
    if (registers[i].extent != Extent::all || registers[i].phase == Phase::linked || i == end) continue;
    if (step.kind != Kind::load ||
        !lies_as_block(inputs[static_cast<std::size_t>(step.args[0])], Extent::all)) {
      return false;
    }
  }
  return true;
}

/// Where all elements are read from inputs and summed in registers, what counts is that the steps over the
/// rows have enough of them, and that the inputs stay in the cache. A chain alone needs no cache and no
/// stops.
void Plan::widen_blocks() {
  if (in_pieces) {
    wide = is_one_chain();
    if (wide) block_columns = task_columns;
    return;
  }
  if (rows <= block_rows) return;
  std::size_t item = 0;
  for (std::size_t i = 0; i < registers.size(); ++i) {
    if (registers[i].extent != Extent::all || registers[i].phase == Phase::linked) continue;
    if (program->steps[i].kind != Kind::load) return;
    item = std::max(item, registers[i].item);
  }
  if (item == 0 || std::ranges::none_of(chains, [](const Chain& chain) { return chain.sums; })) return;
  wide = true;
  std::int64_t most = kWideBytes / (static_cast<std::int64_t>(item) * columns);
  most = std::clamp(most, kFewestRows, kMostRows) / kFewestRows * kFewestRows;
  block_rows = std::min(rows, std::max(block_rows, most));
}

void Plan::place_registers() {
  const std::size_t count = program->steps.size();
  after_reduction_.assign(count, false);
  last_use_.assign(count, 0);
  released_.assign(count, false);
  constants.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) describe(i);
  count_readers();
  link_chains();
  link_selections();
  widen_blocks();
  for (std::size_t i = 0; i < count; ++i) {
    const Step& step = program->steps[i];
    for (int a = 0; a < argument_count(step.kind); ++a) last_use_[static_cast<std::size_t>(step.args[a])] = i;
  }
  // A chain reads all that its steps read when it ends.
  for (const Chain& chain : chains) {
    for (const Chain::Link& link : chain.links) {
      if (link.operand < 0) continue;
      std::size_t& last = last_use_[static_cast<std::size_t>(link.operand)];
      last = std::max(last, chain.steps.back());
    }
  }
  for (const Selection& selection : selections) {
    for_each_operand(selection, [&](std::size_t arg) {
      last_use_[arg] = std::max(last_use_[arg], selection.choices.back());
    });
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (registers[i].phase != Phase::linked) place(i);
  }
  look_ahead();
  const std::size_t row_values = bytes(Extent::rows, sizeof(std::int64_t));
  const std::size_t widest = wide ? row_values : bytes(Extent::all, sizeof(std::int64_t));
  for (std::size_t& offset : spread_offset) offset = take(widest, true);
  accumulators_offset = take(row_values, true);
  values_offset = take(row_values, true);
}

}  // namespace tessera::cpu
