#include <algorithm>
#include <optional>

#include "devices/cpu/program_plan.hpp"

// Which steps of a program run together: chains, in registers of the processor, and selections.

namespace tessera::cpu {
namespace {

using Kind = Program::Kind;
using Step = Program::Step;

/// The link that a step is where its operand `arg` is the value so far; empty where it is none.
std::optional<Chain::Link> link_of(const Step& step, int arg) {
  if (step.dtype != DType::float32 && step.dtype != DType::float64) return {};
  if (step.kind == Kind::unary) {
    switch (static_cast<UnaryOp>(step.op)) {
      case UnaryOp::negative: return Chain::Link{Link::negative, -1};
      case UnaryOp::abs: return Chain::Link{Link::abs, -1};
      case UnaryOp::square: return Chain::Link{Link::square, -1};
      case UnaryOp::sqrt: return Chain::Link{Link::sqrt, -1};
      default: return {};
    }
  }
  if (step.kind != Kind::binary) return {};
  const bool both = step.args[0] == step.args[1];
  const std::int32_t other = step.args[1 - arg];
  switch (static_cast<BinaryOp>(step.op)) {
    case BinaryOp::add: return both ? Chain::Link{Link::twice, -1} : Chain::Link{Link::add, other};
    case BinaryOp::multiply: return both ? Chain::Link{Link::square, -1} : Chain::Link{Link::multiply, other};
    case BinaryOp::subtract:
      if (both) return {};
      return Chain::Link{arg == 0 ? Link::subtract : Link::subtract_from, other};
    case BinaryOp::divide:
      if (both) return {};
      return Chain::Link{arg == 0 ? Link::divide : Link::divide_into, other};
    default: return {};
  }
}

}  // namespace

// ---- selections

bool Plan::is_selection(const Selection& selection) const {
  const Step& comparison = program->steps[selection.comparison];
  if (comparison.kind != Kind::binary || selection.choices.empty() ||
      selection.choices.size() > static_cast<std::size_t>(kMostChoices) ||
      readers_[selection.comparison] != static_cast<int>(selection.choices.size())) {
    return false;
  }
  const DType compared = program->steps[static_cast<std::size_t>(comparison.args[0])].dtype;
  if (!selects(static_cast<BinaryOp>(comparison.op), compared)) return false;
  bool fits = registers[selection.comparison].phase == Phase::block &&
              registers[selection.comparison].extent == Extent::rows;
  for_each_operand(selection, [&](std::size_t arg) {
    fits = fits && (registers[arg].extent == Extent::rows || registers[arg].extent == Extent::one);
  });
  return fits && std::ranges::all_of(selection.choices, [&](std::size_t choice) {
           const std::size_t item = registers[choice].item;
           return registers[choice].extent == Extent::rows &&
                  (item == 8 || (item == 4 && compared == DType::float32));
         });
}

/// Comparisons with their choices. A choice that another step reads before the last one is made must not wait
/// for it.
void Plan::link_selections() {
  if (in_pieces) return;
  const std::size_t count = program->steps.size();
  std::vector<Selection> found(count);
  std::vector<std::size_t> first_reader(count, count);
  for (std::size_t i = 0; i < count; ++i) {
    const Step& step = program->steps[i];
    found[i].comparison = i;
    if (step.kind == Kind::where) found[static_cast<std::size_t>(step.args[0])].choices.push_back(i);
    for (int a = 0; a < argument_count(step.kind); ++a) {
      std::size_t& first = first_reader[static_cast<std::size_t>(step.args[a])];
      first = std::min(first, i);
    }
  }
  for (const Selection& selection : found) {
    if (!is_selection(selection)) continue;
    const std::size_t last = selection.choices.back();
    if (std::ranges::any_of(selection.choices,
                            [&](std::size_t choice) { return first_reader[choice] <= last; })) {
      continue;
    }
    registers[selection.comparison].phase = Phase::linked;
    for (const std::size_t choice : selection.choices) registers[choice].phase = Phase::linked;
    registers[last].phase = Phase::block;
    registers[last].selection = static_cast<std::int32_t>(selections.size());
    selections.push_back(selection);
  }
}

// ---- chains

/// Step i reads the ends of two chains: the longer one's value is kept while the other runs after it. False
/// where there are too many such values.
bool Plan::join_two(std::size_t i, int longer, std::int32_t number, std::int32_t other) {
  Chain& chain = chains[static_cast<std::size_t>(number)];
  Chain& later = chains[static_cast<std::size_t>(other)];
  if (later.slots >= kChainSlots) return false;
  chain.slots = std::max(chain.slots, later.slots + 1);
  chain.links.push_back({Link::keep, -1, false, 0});
  for (Chain::Link link : later.links) {
    if (link.slot >= 0) ++link.slot;
    chain.links.push_back(link);
  }
  Chain::Link meet = *link_of(program->steps[i], 1 - longer);
  meet.operand = -1;
  meet.slot = 0;
  chain.links.push_back(meet);
  chain.steps.insert(chain.steps.end(), later.steps.begin(), later.steps.end());
  chain.steps.push_back(i);
  later = {};
  return true;
}

/// Makes step i a chain's next link, of the longest one that ends in its operands, or the first of its own.
void Plan::join_chain(std::size_t i, std::vector<std::int32_t>& chain_of) {
  const Step& step = program->steps[i];
  if (registers[i].extent != Extent::all || !link_of(step, 0)) return;
  const int count = step.args[0] == step.args[1] ? 1 : argument_count(step.kind);
  std::int32_t ends[2] = {-1, -1};
  std::size_t lengths[2] = {0, 0};
  for (int a = 0; a < count; ++a) {
    const auto arg = static_cast<std::size_t>(step.args[a]);
    if (chain_of[arg] < 0 || readers_[arg] != 1) continue;
    ends[a] = chain_of[arg];
    lengths[a] = chains[static_cast<std::size_t>(ends[a])].steps.size();
  }
  if (ends[0] < 0 && ends[1] < 0) {
    // Where it begins, its first operand is loaded.
    chain_of[i] = static_cast<std::int32_t>(chains.size());
    chains.push_back({{{Link::load, step.args[0]}, *link_of(step, 0)}, 0, {i}});
    return;
  }
  const int best = lengths[1] > lengths[0] ? 1 : 0;
  chain_of[i] = ends[best];
  if (ends[1 - best] >= 0 && join_two(i, best, ends[best], ends[1 - best])) return;
  Chain& chain = chains[static_cast<std::size_t>(ends[best])];
  chain.links.push_back(*link_of(step, best));
  chain.steps.push_back(i);
}

/// Whether step i sums what a chain gives, and nothing else reads it. (What is kept beside has no place among
/// the sums.)
bool Plan::ends_in_sum(std::size_t i, const std::vector<std::int32_t>& chain_of) const {
  const Step& step = program->steps[i];
  if (in_pieces || step.kind != Kind::reduce || static_cast<ReduceOp>(step.op) != ReduceOp::sum) return false;
  const auto arg = static_cast<std::size_t>(step.args[0]);
  if (chain_of[arg] < 0 || readers_[arg] != 1) return false;
  return chains[static_cast<std::size_t>(chain_of[arg])].slots == 0 && sums_chains();
}

void Plan::count_readers() {
  readers_.assign(program->steps.size(), 0);
  for (const Step& step : program->steps) {
    for (int a = 0; a < argument_count(step.kind); ++a) {
      if (a == 1 && step.args[1] == step.args[0]) continue;
      ++readers_[static_cast<std::size_t>(step.args[a])];
    }
  }
  for (const std::int32_t output : program->outputs) readers_[static_cast<std::size_t>(output)] += 2;
}

void Plan::link_chains() {
  const std::size_t count = program->steps.size();
  std::vector<std::int32_t> chain_of(count, -1);
  for (std::size_t i = 0; i < count; ++i) {
    join_chain(i, chain_of);
    if (!ends_in_sum(i, chain_of)) continue;
    Chain& chain =
        chains[static_cast<std::size_t>(chain_of[static_cast<std::size_t>(program->steps[i].args[0])])];
    chain.steps.push_back(i);
    chain.sums = true;
  }
  // One step alone is no chain.
  std::erase_if(chains, [](const Chain& chain) { return chain.steps.size() < 2; });
  for (std::size_t c = 0; c < chains.size(); ++c) {
    const std::vector<std::size_t>& steps = chains[c].steps;
    for (const std::size_t i : steps) registers[i].phase = Phase::linked;
    registers[steps.back()].phase = Phase::block;
    registers[steps.back()].chain = static_cast<std::int32_t>(c);
  }
}

}  // namespace tessera::cpu
