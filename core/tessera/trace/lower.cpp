#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include <tessera/program.hpp>
#include <tessera/trace/groups.hpp>

namespace tessera::trace {
namespace {

using Kind = Program::Kind;
using Step = Program::Step;

/// How far single numbers are computed again for each row instead of in a call of their own.
constexpr int kMostDepth = 16;

/// As what a call reads what comes from outside.
enum class Reading : std::uint8_t {
  domain,
  row,
  either,  ///< of the row where it is the same in each column
};

class Lowering {
 public:
  Lowering(const Graph& graph, const std::vector<Candidate>& candidates, const std::vector<int>& made_by,
           const Group& group)
      : graph_(graph), candidates_(candidates), made_by_(made_by), group_(group) {
    program_.rows = group.rows;
    program_.columns = group.columns;
  }

  Node run(const std::vector<bool>& needed_outside) {
    for (std::size_t i = 0; i < group_.nodes.size(); ++i) {
      const int at = group_.nodes[i];
      const bool row = group_.members[i].role == Role::row;
      const std::int32_t reg = lower(at, group_.members[i].role);
      const int value = graph_.nodes[static_cast<std::size_t>(at)].outputs[0].value;
      registers_.emplace(value, reg);
      if (!needed_outside[static_cast<std::size_t>(value)]) continue;
      program_.outputs.push_back(reg);
      const std::int64_t columns = row ? 1 : program_.columns;
      node_.outputs.push_back({value, {{program_.rows, columns}, {columns, 1}, 0}});
    }
    node_.kernel = Kernel::program;
    node_.operation = "compiled";
    node_.program = std::make_shared<const Program>(std::move(program_));
    return std::move(node_);
  }

 private:
  const Node* producer(int value) const {
    const int at = made_by_[static_cast<std::size_t>(value)];
    return at < 0 ? nullptr : &graph_.nodes[static_cast<std::size_t>(at)];
  }

  bool is_row(std::int32_t reg) const { return program_.steps[static_cast<std::size_t>(reg)].row; }

  std::int32_t add(const Step& step) {
    program_.steps.push_back(step);
    return static_cast<std::int32_t>(program_.steps.size()) - 1;
  }

  std::int32_t constant(const Scalar& value, DType dtype, bool row) {
    return add({.kind = Kind::constant, .row = row, .dtype = dtype, .args = {}, .value = value});
  }

  /// One load for each way to read a value.
  std::int32_t load(int value, const Layout& layout, bool row) {
    const auto key = std::tuple(value, layout.strides[0], layout.strides[1], layout.offset, row);
    const auto found = loads_.find(key);
    if (found != loads_.end()) return found->second;
    const auto input = static_cast<std::int32_t>(node_.inputs.size());
    node_.inputs.push_back({value, layout});
    const std::int32_t reg = add(
        {.kind = Kind::load, .row = row, .dtype = graph_.value(value).dtype, .args = {input}, .value = {}});
    loads_.emplace(key, reg);
    return reg;
  }

  /// Whether a single element is made by element-wise calls of single elements from what is there at the
  /// start.
  bool can_recompute(int value, int depth = 0) const {
    if (graph_.value(value).elements != 1 || depth > kMostDepth) return false;
    const Node* const node = producer(value);
    if (node == nullptr) return true;
    if (node->base >= 0) return false;
    if (node->kernel == Kernel::fill) return true;
    return is_elementwise(node->kernel) &&
           std::all_of(node->inputs.begin(), node->inputs.end(),
                       [&](const Access& in) { return in.value < 0 || can_recompute(in.value, depth + 1); });
  }

  std::int32_t recompute(const Access& access) {
    const auto found = recomputed_.find(access.value);
    if (found != recomputed_.end()) return found->second;
    const Node* const node = producer(access.value);
    std::int32_t reg = 0;
    if (node == nullptr) {
      reg = load(access.value, {{program_.rows, 1}, {0, 1}, access.layout.offset}, true);
      return reg;  // offsets may differ: load() looks after them
    }
    if (node->kernel == Kernel::fill) {
      reg = constant(node->scalars[0], graph_.value(access.value).dtype, true);
    } else {
      std::vector<std::int32_t> args;
      for (std::size_t i = 0; i < node->inputs.size(); ++i) {
        args.push_back(node->inputs[i].value < 0 ? constant(node->scalars[i], number_dtype(*node, i), true)
                                                 : recompute(node->inputs[i]));
      }
      reg = elementwise(*node, args);
    }
    recomputed_.emplace(access.value, reg);
    return reg;
  }

  /// The dtype that a number among a call's operands has.
  DType number_dtype(const Node& node, std::size_t place) const {
    if (node.kernel == Kernel::where) {
      return place == 0 ? DType::bool_ : graph_.value(node.outputs[0].value).dtype;
    }
    for (const Access& in : node.inputs) {
      if (in.value >= 0) return graph_.value(in.value).dtype;
    }
    return graph_.value(node.outputs[0].value).dtype;
  }

  std::int32_t elementwise(const Node& node, const std::vector<std::int32_t>& args) {
    Step step;
    step.op = node.op;
    step.dtype = graph_.value(node.outputs[0].value).dtype;
    step.row = true;
    for (std::size_t i = 0; i < args.size(); ++i) {
      step.args[i] = args[i];
      step.row = step.row && is_row(args[i]);
    }
    switch (node.kernel) {
      case Kernel::unary: step.kind = Kind::unary; break;
      case Kernel::binary: step.kind = Kind::binary; break;
      case Kernel::where: step.kind = Kind::where; break;
      default:
        if (program_.steps[static_cast<std::size_t>(args[0])].dtype == step.dtype) return args[0];
        step.kind = Kind::cast;
    }
    return add(step);
  }

  std::int32_t lower(int at, Role role) {
    const Node& node = graph_.nodes[static_cast<std::size_t>(at)];
    const Candidate& candidate = candidates_[static_cast<std::size_t>(at)];
    if (candidate.reduction) {
      const std::int32_t x = operand(node, candidate, 0, Reading::domain);
      return add({.kind = node.kernel == Kernel::reduce ? Kind::reduce : Kind::arg_reduce,
                  .op = node.op,
                  .row = true,
                  .dtype = graph_.value(node.outputs[0].value).dtype,
                  .args = {x},
                  .value = {}});
    }
    // A value of the domain needs an operand of the domain; where one is anyway, others may be of the row.
    const Reading reading = role == Role::row                     ? Reading::row
                            : has_domain_operand(node, candidate) ? Reading::either
                                                                  : Reading::domain;
    std::vector<std::int32_t> args;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) args.push_back(operand(node, candidate, i, reading));
    return elementwise(node, args);
  }

  bool has_domain_operand(const Node& node, const Candidate& candidate) const {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const int value = node.inputs[i].value;
      if (value < 0 || is_fill(value)) continue;
      const auto inside = registers_.find(value);
      if (inside != registers_.end() ? !is_row(inside->second) : !candidate.reads[i].of_row()) return true;
    }
    return false;
  }

  bool is_fill(int value) const {
    const Node* const node = producer(value);
    return node != nullptr && node->kernel == Kernel::fill && node->base < 0;
  }

  std::int32_t operand(const Node& node, const Candidate& candidate, std::size_t place, Reading reading) {
    const bool as_row = reading != Reading::domain;
    const Access& access = node.inputs[place];
    if (access.value < 0) return constant(node.scalars[place], number_dtype(node, place), as_row);
    const auto inside = registers_.find(access.value);
    if (inside != registers_.end()) return inside->second;
    if (is_fill(access.value)) {
      return constant(producer(access.value)->scalars[0], graph_.value(access.value).dtype, as_row);
    }
    if (as_row && can_recompute(access.value)) return recompute(access);
    const Flat& flat = candidate.reads[place];
    if (reading == Reading::row || (as_row && flat.of_row()))
      return load(access.value, row_layout(flat, program_.rows), true);
    return load(access.value, matrix_layout(flat, program_.rows, program_.columns), false);
  }

  const Graph& graph_;
  const std::vector<Candidate>& candidates_;
  const std::vector<int>& made_by_;
  const Group& group_;
  Program program_;
  Node node_;
  std::unordered_map<int, std::int32_t> registers_;   ///< of values that the group makes
  std::unordered_map<int, std::int32_t> recomputed_;  ///< of single elements that it makes again
  std::map<std::tuple<int, std::int64_t, std::int64_t, std::int64_t, bool>, std::int32_t> loads_;
};

}  // namespace

Node lower_group(const Graph& graph, const std::vector<Candidate>& candidates,
                 const std::vector<int>& made_by, const Group& group,
                 const std::vector<bool>& needed_outside) {
  return Lowering(graph, candidates, made_by, group).run(needed_outside);
}

}  // namespace tessera::trace
