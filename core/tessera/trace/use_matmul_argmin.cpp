#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>
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

  /// The scores that an arg_reduce looks through.
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
  std::vector<int> scores;  ///< nodes that give the score of each row's winner
  bool others = false;      ///< something else needs the whole matrix
};

class Rewriter {
 public:
  explicit Rewriter(Graph& graph)
      : graph_(graph), finder_(graph), readers_(graph.values.size()), gone_(graph.nodes.size(), false) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const Access& in : graph.nodes[i].inputs) read(in.value, static_cast<int>(i));
      read(graph.nodes[i].base, static_cast<int>(i));
    }
    for (const Access& out : graph.outputs) read(out.value, -1);
  }

  void run() {
    for (std::size_t at = 0; at < graph_.nodes.size(); ++at) {
      if (graph_.nodes[at].kernel == Kernel::arg_reduce) use_one(static_cast<int>(at));
    }
    if (fresh_.empty()) return;
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (const auto fresh = fresh_.find(static_cast<int>(i)); fresh != fresh_.end()) {
        std::move(fresh->second.begin(), fresh->second.end(), std::back_inserter(nodes));
      }
      if (!gone_[i]) nodes.push_back(std::move(graph_.nodes[i]));
    }
    graph_.nodes = std::move(nodes);
    for (Node& node : graph_.nodes) {
      for (Access& in : node.inputs) turn(in.value);
      turn(node.base);
    }
    for (Access& out : graph_.outputs) turn(out.value);
  }

 private:
  void read(int value, int reader) {
    if (value >= 0) readers_[static_cast<std::size_t>(value)].push_back(reader);
  }
  void turn(int& value) const {
    const auto found = same_.find(value);
    if (found != same_.end()) value = found->second;
  }

  const Node& node(int at) const { return graph_.nodes[static_cast<std::size_t>(at)]; }

  Readers readers_of(int at, std::int64_t rows) const {
    Readers readers;
    const Node& winner = node(at);
    const int matrix = winner.inputs[0].value;
    const bool lowest = static_cast<ArgReduceOp>(winner.op) == ArgReduceOp::argmin;
    const std::int64_t elements = graph_.value(matrix).elements;
    for (const int i : readers_[static_cast<std::size_t>(matrix)]) {
      if (i == at) continue;
      if (i < 0 || !lowest || node(i).inputs.empty() || node(i).inputs[0].value != matrix ||
          !is_whole(node(i).inputs[0].layout, elements) || node(i).inputs[0].layout.shape[0] != rows) {
        readers.others = true;
        return readers;
      }
      if (gives_score(node(i), winner, rows)) {
        readers.scores.push_back(i);
      } else {
        readers.others = true;
      }
    }
    return readers;
  }

  /// Of a call that reads the matrix of scores row by row. What is written into a part of an array is more
  /// than the score.
  static bool gives_score(const Node& reader, const Node& winner, std::int64_t rows) {
    const Layout& layout = reader.inputs[0].layout;
    if (reader.base >= 0 || layout.rank() != 3 || layout.shape[2] != 1) return false;
    if (reader.kernel == Kernel::reduce) return static_cast<ReduceOp>(reader.op) == ReduceOp::min;
    return reader.kernel == Kernel::take_along && reader.inputs[1].value == winner.outputs[0].value &&
           is_whole(reader.inputs[1].layout, rows);
  }

  /// The bias as a value of its own where it must be made: nothing, or the negative of what there is.
  std::optional<Node> make_bias(Score& score, const char* operation) {
    Node made;
    made.operation = operation;
    if (score.bias.value < 0) {
      made.kernel = Kernel::fill;
      made.scalars[0] = -0.0;  // adds to nothing, not even to a -0.0
    } else if (score.negative) {
      made.kernel = Kernel::unary;
      made.op = static_cast<std::uint8_t>(UnaryOp::negative);
      made.inputs = {score.bias};
    } else {
      return std::nullopt;
    }
    Value value = graph_.value(node(score.product).outputs[0].value);
    value.elements = finder_.columns();
    score.bias = {graph_.add(value), row_major({value.elements})};
    made.outputs = {score.bias};
    return made;
  }

  Node fused_node(const Node& winner, const Score& score) {
    const Node& product = node(score.product);
    const std::int64_t rows = finder_.rows();
    const Layout& x = product.inputs[0].layout;
    const Layout& y = product.inputs[1].layout;
    Node fused;
    fused.kernel = Kernel::matmul_argmin;
    fused.operation = winner.operation;
    fused.precision = product.precision;
    fused.scalars[0] = score.alpha;
    fused.inputs = {
        {product.inputs[0].value, {{x.shape[1], x.shape[2]}, {x.strides[1], x.strides[2]}, x.offset}},
        {product.inputs[1].value, {{y.shape[2], y.shape[1]}, {y.strides[2], y.strides[1]}, y.offset}},
        score.bias};
    Value scores = graph_.value(product.outputs[0].value);
    scores.elements = rows;
    fused.outputs = {{winner.outputs[0].value, row_major({rows})}, {graph_.add(scores), row_major({rows})}};
    return fused;
  }

  void use_one(int at) {
    const Node& winner = node(at);
    if (winner.base >= 0) return;
    auto score = finder_.scores(winner);
    if (!score) return;
    const Readers readers = readers_of(at, finder_.rows());
    if (readers.others) return;
    if (static_cast<ArgReduceOp>(winner.op) == ArgReduceOp::argmax) {
      score->alpha = -score->alpha;
      score->negative = !score->negative;
    }
    std::vector<Node> fresh;
    if (auto bias = make_bias(*score, winner.operation)) fresh.push_back(std::move(*bias));
    fresh.push_back(fused_node(winner, *score));
    int first = at;
    gone_[static_cast<std::size_t>(at)] = true;
    for (const int i : readers.scores) {
      first = std::min(first, i);
      gone_[static_cast<std::size_t>(i)] = true;
      same_[node(i).outputs[0].value] = fresh.back().outputs[1].value;
    }
    fresh_[first] = std::move(fresh);
  }

  Graph& graph_;
  Finder finder_;
  std::vector<std::vector<int>> readers_;  ///< of each value; -1 for a result
  std::vector<bool> gone_;
  std::unordered_map<int, std::vector<Node>> fresh_;  ///< what comes before a node
  std::unordered_map<int, int> same_;                 ///< values that are another's scores now
};

}  // namespace

void use_matmul_argmin(Graph& graph) {
  Rewriter(graph).run();
}

}  // namespace tessera::trace
