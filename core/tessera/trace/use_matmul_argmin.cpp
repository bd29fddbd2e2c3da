#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <tessera/trace/passes.hpp>

// argmin over j of bias[j] + alpha * (x[i] . y[j]), in the spellings that round alike: a product of two
// operations may be negated freely, and the order of a sum's two operands is free. argmax is the argmin of
// the negative.

namespace tessera::trace {
namespace {

/// bias + alpha * product, taken apart. A bias of -1 is none at all.
struct Score {
  int product = -1;  ///< the node of the matmul
  double alpha = 1;
  Access bias;            ///< 1-d
  bool negative = false;  ///< the bias is to be negated
};

class Finder {
 public:
  explicit Finder(Graph& graph) : graph_(graph), made_by_(producers(graph)), uses_(use_counts(graph)) {}

  /// The scores that node `at`, an arg_reduce, looks through; `uses` is how often they are read.
  std::optional<Score> scores(const Node& node) {
    const Layout& layout = node.inputs[0].layout;
    if (node.kernel != Kernel::arg_reduce || layout.shape[2] != 1 || layout.size() == 0) return std::nullopt;
    rows_ = layout.shape[0];
    columns_ = layout.shape[1];
    if (!reads_whole(node.inputs[0])) return std::nullopt;
    const Node* const top = producer(node.inputs[0]);
    if (top == nullptr) return std::nullopt;
    if (auto alone = scaled_product(node.inputs[0])) return alone;
    if (top->kernel != Kernel::binary || top->inputs.size() != 2) return std::nullopt;
    const auto op = static_cast<BinaryOp>(top->op);
    if (op != BinaryOp::add && op != BinaryOp::subtract) return std::nullopt;
    for (const int place : {0, 1}) {
      const Access& product = top->inputs[static_cast<std::size_t>(place)];
      const Access& other = top->inputs[static_cast<std::size_t>(1 - place)];
      auto score = scaled_product(product);
      const auto bias = row_of(other, top->outputs[0].layout.shape);
      if (!score || !bias || !used_once(product)) continue;
      score->bias = *bias;
      if (op == BinaryOp::subtract) {
        if (place == 0) {
          score->negative = true;
        } else {
          score->alpha = -score->alpha;
        }
      }
      return score;
    }
    return std::nullopt;
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }

 private:
  const Node* producer(const Access& access) const {
    if (access.value < 0 || made_by_[static_cast<std::size_t>(access.value)] < 0) return nullptr;
    return &graph_.nodes[static_cast<std::size_t>(made_by_[static_cast<std::size_t>(access.value)])];
  }
  bool used_once(const Access& access) const { return uses_[static_cast<std::size_t>(access.value)] == 1; }
  bool reads_whole(const Access& access) const {
    return access.value >= 0 && is_whole(access.layout, rows_ * columns_) &&
           graph_.value(access.value).elements == rows_ * columns_;
  }

  /// alpha * product or product * alpha, or the product itself, or its negative.
  std::optional<Score> scaled_product(const Access& access) const {
    if (!reads_whole(access)) return std::nullopt;
    const Node* const node = producer(access);
    if (node == nullptr || node->base >= 0) return std::nullopt;
    if (is_product(*node)) return Score{made_by_[static_cast<std::size_t>(access.value)], 1, {}, false};
    Score score;
    int place = 0;
    if (node->kernel == Kernel::binary && static_cast<BinaryOp>(node->op) == BinaryOp::multiply) {
      place = node->inputs[0].value < 0 ? 1 : 0;
      if (node->inputs[static_cast<std::size_t>(1 - place)].value >= 0) return std::nullopt;
      score.alpha = node->scalars[1 - place].to<double>();
      if (std::abs(score.alpha) > 0x1p53) return std::nullopt;
    } else if (node->kernel == Kernel::unary && static_cast<UnaryOp>(node->op) == UnaryOp::negative) {
      score.alpha = -1;
    } else {
      return std::nullopt;
    }
    const Access& inner = node->inputs[static_cast<std::size_t>(place)];
    const Node* const product = producer(inner);
    if (product == nullptr || !reads_whole(inner) || !is_product(*product) || !used_once(inner)) {
      return std::nullopt;
    }
    score.product = made_by_[static_cast<std::size_t>(inner.value)];
    return score;
  }

  bool is_product(const Node& node) const {
    return node.kernel == Kernel::matmul && node.base < 0 && node.inputs[0].layout.shape[0] == 1 &&
           node.inputs[0].layout.shape[2] > 0 && node.outputs[0].layout.shape[1] == rows_ &&
           node.outputs[0].layout.shape[2] == columns_ &&
           is_floating(graph_.value(node.outputs[0].value).dtype);
  }

  /// What is the same in each row, as one row.
  std::optional<Access> row_of(const Access& access, const Shape& shape) const {
    if (access.value < 0) return std::nullopt;
    const auto spread = broadcast(access.layout, shape);
    const auto matrix = spread ? reshape(*spread, {rows_, columns_}) : std::nullopt;
    if (!matrix || (rows_ > 1 && matrix->strides[0] != 0)) return std::nullopt;
    return Access{access.value, {{columns_}, {matrix->strides[1]}, matrix->offset}};
  }

  Graph& graph_;
  std::vector<int> made_by_;
  std::vector<int> uses_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
};

/// The calls that a found argmin replaces: itself, and those that read its winners' scores.
struct Readers {
  std::vector<std::size_t> scores;  ///< nodes that give the score of each row's winner
  bool others = false;              ///< something else needs the whole matrix
};

Readers readers_of(const Graph& graph, std::size_t at, std::int64_t rows) {
  Readers readers;
  const Node& winner = graph.nodes[at];
  const int matrix = winner.inputs[0].value;
  const bool lowest = static_cast<ArgReduceOp>(winner.op) == ArgReduceOp::argmin;
  const std::int64_t elements = graph.value(matrix).elements;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (i == at) continue;
    const bool reads =
        node.base == matrix || std::any_of(node.inputs.begin(), node.inputs.end(),
                                           [&](const Access& in) { return in.value == matrix; });
    if (!reads) continue;
    const Layout& layout = node.inputs[0].layout;
    const bool same_rows =
        lowest && node.inputs[0].value == matrix && is_whole(layout, elements) && layout.shape[0] == rows;
    const bool at_winner = same_rows && node.kernel == Kernel::take_along && layout.shape[2] == 1 &&
                           node.inputs[1].value == winner.outputs[0].value &&
                           is_whole(node.inputs[1].layout, rows);
    const bool is_min = same_rows && node.kernel == Kernel::reduce && layout.shape[2] == 1 &&
                        static_cast<ReduceOp>(node.op) == ReduceOp::min;
    if (at_winner || is_min) {
      readers.scores.push_back(i);
    } else {
      readers.others = true;
    }
  }
  for (const Access& out : graph.outputs) readers.others = readers.others || out.value == matrix;
  return readers;
}

/// The bias as a value of its own where it must be made: nothing, or the negative of what there is.
std::optional<Node> make_bias(Graph& graph, Score& score, const char* operation, std::int64_t columns) {
  const Value& product = graph.value(graph.nodes[static_cast<std::size_t>(score.product)].outputs[0].value);
  Node node;
  node.operation = operation;
  if (score.bias.value < 0) {
    node.kernel = Kernel::fill;
    node.scalars[0] = -0.0;  // adds to nothing, not even to a -0.0
  } else if (score.negative) {
    node.kernel = Kernel::unary;
    node.op = static_cast<std::uint8_t>(UnaryOp::negative);
    node.inputs = {score.bias};
  } else {
    return std::nullopt;
  }
  Value value = product;
  value.elements = columns;
  score.bias = {graph.add(value), row_major({columns})};
  node.outputs = {score.bias};
  return node;
}

Node fused_node(Graph& graph, const Node& winner, const Score& score, std::int64_t rows) {
  const Node& product = graph.nodes[static_cast<std::size_t>(score.product)];
  const Layout& x = product.inputs[0].layout;
  const Layout& y = product.inputs[1].layout;
  Node node;
  node.kernel = Kernel::matmul_argmin;
  node.operation = winner.operation;
  node.precision = product.precision;
  node.scalars[0] = score.alpha;
  node.inputs = {
      {product.inputs[0].value, {{x.shape[1], x.shape[2]}, {x.strides[1], x.strides[2]}, x.offset}},
      {product.inputs[1].value, {{y.shape[2], y.shape[1]}, {y.strides[2], y.strides[1]}, y.offset}},
      score.bias};
  Value scores = graph.value(product.outputs[0].value);
  scores.elements = rows;
  node.outputs = {{winner.outputs[0].value, row_major({rows})}, {graph.add(scores), row_major({rows})}};
  return node;
}

bool use_one(Graph& graph, Finder& finder, std::size_t at) {
  const Node winner = graph.nodes[at];
  if (winner.base >= 0) return false;
  auto score = finder.scores(winner);
  if (!score) return false;
  const Readers readers = readers_of(graph, at, finder.rows());
  if (readers.others) return false;
  if (static_cast<ArgReduceOp>(winner.op) == ArgReduceOp::argmax) {
    score->alpha = -score->alpha;
    score->negative = !score->negative;
  }
  std::vector<Node> fresh;
  if (auto bias = make_bias(graph, *score, winner.operation, finder.columns())) fresh.push_back(*bias);
  fresh.push_back(fused_node(graph, winner, *score, finder.rows()));
  const int scores = fresh.back().outputs[1].value;

  std::size_t first = at;
  std::vector<std::size_t> gone = readers.scores;
  gone.push_back(at);
  for (const std::size_t i : gone) {
    first = std::min(first, i);
    if (i != at) replace_value(graph, graph.nodes[i].outputs[0].value, scores);
  }
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (i == first) std::move(fresh.begin(), fresh.end(), std::back_inserter(nodes));
    if (std::find(gone.begin(), gone.end(), i) == gone.end()) nodes.push_back(std::move(graph.nodes[i]));
  }
  graph.nodes = std::move(nodes);
  return true;
}

}  // namespace

void use_matmul_argmin(Graph& graph) {
  for (std::size_t at = 0; at < graph.nodes.size(); ++at) {
    if (graph.nodes[at].kernel != Kernel::arg_reduce) continue;
    Finder finder(graph);
    use_one(graph, finder, at);
  }
}

}  // namespace tessera::trace
