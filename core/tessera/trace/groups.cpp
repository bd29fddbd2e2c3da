#include <tessera/trace/groups.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_map>

namespace tessera::trace {
namespace {

/// More steps than that are no gain, and take long to look through.
constexpr std::size_t kMostNodes = 4096;
/// Steps of looking through the graph, in all: past them the rest is left as it is, and explain() says so.
constexpr std::int64_t kMostWork = 20'000'000;

/// Looks at nodes as members of a group, whose producers were looked at before.
class RoleFinder {
 public:
  RoleFinder(const Graph& graph, const std::vector<Candidate>& candidates, const std::vector<int>& made_by,
             std::int64_t rows, std::int64_t columns)
      : graph_(graph), candidates_(candidates), made_by_(made_by), rows_(rows), columns_(columns) {}

  /// `member(node)` gives what is known of a node of the group; null for others.
  template <class F>
  std::optional<Member> look_at(int at, const F& member) const {
    const Node& node = graph_.nodes[static_cast<std::size_t>(at)];
    const Candidate& candidate = candidates_[static_cast<std::size_t>(at)];
    const auto read = [&](const Access& access) -> const Member* {
      if (access.value < 0) return nullptr;
      const int producer = made_by_[static_cast<std::size_t>(access.value)];
      return producer < 0 ? nullptr : member(producer);
    };
    if (candidate.reduction) return as_reduction(candidate, read(node.inputs[0]));
    const Member* inputs[3] = {nullptr, nullptr, nullptr};
    bool reads_row = false;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      inputs[i] = read(node.inputs[i]);
      reads_row = reads_row || (inputs[i] != nullptr && inputs[i]->role == Role::row);
    }
    if (candidate.size == rows_ * columns_ && !(columns_ == 1 && reads_row))
      return as_domain(candidate, inputs);
    if (candidate.size == rows_) return as_row(candidate, inputs);
    return std::nullopt;
  }

 private:
  bool fits_domain(const Flat& flat) const {
    return flat.rank < 2 || (flat.shape[0] == rows_ && flat.shape[1] == columns_);
  }

  std::optional<Member> as_reduction(const Candidate& candidate, const Member* x) const {
    if (candidate.rows != rows_ || candidate.columns != columns_) return std::nullopt;
    if (!fits_domain(candidate.reads[0])) return std::nullopt;
    if (x != nullptr && (x->role == Role::row || !candidate.reads[0].in_order())) return std::nullopt;
    return Member{Role::row, true};
  }

  std::optional<Member> as_domain(const Candidate& candidate, const Member* const (&inputs)[3]) const {
    bool all_of_row = true;  // by reads within the group, of which nothing can be made a value of the domain
    for (std::size_t i = 0; i < candidate.reads.size(); ++i) {
      const Flat& flat = candidate.reads[i];
      const Member* const x = inputs[i];
      if (!fits_domain(flat)) return std::nullopt;
      if (x == nullptr || x->role == Role::domain) all_of_row = false;
      if (x == nullptr) continue;
      if (x->role == Role::domain) {
        if (!flat.in_order()) return std::nullopt;
      } else if (x->from_reduction || flat.rank != 2 || flat.offset != 0 || flat.strides[0] != 1 ||
                 flat.strides[1] != 0) {
        return std::nullopt;
      }
    }
    if (all_of_row) return std::nullopt;
    return Member{Role::domain, false};
  }

  std::optional<Member> as_row(const Candidate& candidate, const Member* const (&inputs)[3]) const {
    Member result{Role::row, false};
    for (std::size_t i = 0; i < candidate.reads.size(); ++i) {
      const Flat& flat = candidate.reads[i];
      if (flat.rank > 1) return std::nullopt;
      if (inputs[i] == nullptr) continue;
      if (inputs[i]->role == Role::domain || !flat.in_order()) return std::nullopt;
      result.from_reduction = result.from_reduction || inputs[i]->from_reduction;
    }
    return result;
  }

  const Graph& graph_;
  const std::vector<Candidate>& candidates_;
  const std::vector<int>& made_by_;
  std::int64_t rows_;
  std::int64_t columns_;
};

/// Puts groups together as long as they make one program and nothing outside has to run in between.
class Grouping {
 public:
  Grouping(const Graph& graph, const std::vector<Candidate>& candidates)
      : graph_(graph),
        candidates_(candidates),
        made_by_(producers(graph)),
        group_of_(graph.nodes.size()),
        readers_(graph.nodes.size()),
        groups_(graph.nodes.size()),
        usable_(graph.nodes.size(), false),
        members_(graph.nodes.size()),
        trial_(graph.nodes.size()),
        tried_(graph.nodes.size(), 0),
        seen_(graph.nodes.size(), 0) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      group_of_[i] = static_cast<int>(i);
      groups_[i] = single(static_cast<int>(i));
      usable_[i] = candidates[i].usable && find_members(groups_[i], false, -1);
      members_[i] = trial_[i];
      for_each_producer(
          i, [&](int producer) { readers_[static_cast<std::size_t>(producer)].insert(static_cast<int>(i)); });
    }
  }

  Groups run() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      looked_at_ = static_cast<int>(i);
      for_each_producer(i, [&](int producer) { try_merge(producer, static_cast<int>(i)); });
    }
    merge_readers_of_one_value();
    Groups result;
    result.in_part = work_ > kMostWork;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (group_of_[i] != static_cast<int>(i) || !usable_[i]) continue;
      for (const int node : groups_[i].nodes) {
        groups_[i].members.push_back(members_[static_cast<std::size_t>(node)]);
      }
      result.groups.push_back(std::move(groups_[i]));
    }
    return result;
  }

 private:
  template <class F>
  void for_each_producer(std::size_t node, F&& f) const {
    const auto give = [&](int value) {
      if (value >= 0 && made_by_[static_cast<std::size_t>(value)] >= 0)
        f(made_by_[static_cast<std::size_t>(value)]);
    };
    for (const Access& in : graph_.nodes[node].inputs) give(in.value);
    give(graph_.nodes[node].base);
  }

  Group single(int node) const {
    const Candidate& candidate = candidates_[static_cast<std::size_t>(node)];
    Group group;
    group.nodes = {node};
    group.size = candidate.size;
    group.rows = 1;
    group.columns = candidate.size;
    if (candidate.reduction) {
      group.fixed = true;
      group.rows = candidate.rows;
      group.columns = candidate.columns;
    }
    for (const Flat& flat : candidate.reads) {
      if (flat.rank < 2 || group.fixed) continue;
      group.fixed = true;
      group.rows = flat.shape[0];
      group.columns = flat.shape[1];
    }
    return group;
  }

  int root(int node) const { return group_of_[static_cast<std::size_t>(node)]; }

  /// The group of two groups' nodes, without the nodes.
  static std::optional<Group> joined(const Group& a, const Group& b) {
    if (a.fixed && b.fixed && (a.rows != b.rows || a.columns != b.columns)) return std::nullopt;
    if (!a.fixed && !b.fixed && a.size != b.size) return std::nullopt;
    const Group& leader = a.fixed || !b.fixed ? a : b;
    const Group& other = &leader == &a ? b : a;
    if (!other.fixed && other.size != leader.size && other.size != leader.rows) return std::nullopt;
    Group group;
    group.rows = leader.rows;
    group.columns = leader.columns;
    group.fixed = leader.fixed;
    group.size = leader.size;
    return group;
  }

  void try_merge(int a, int b) {
    if (work_ > kMostWork || root(a) == root(b) || !usable_[static_cast<std::size_t>(a)] ||
        !usable_[static_cast<std::size_t>(b)]) {
      return;
    }
    // The larger one stays as it is up to where the other begins.
    const bool a_is_larger = group_at(a).nodes.size() >= group_at(b).nodes.size();
    const int first = root(a_is_larger ? a : b);
    const int second = root(a_is_larger ? b : a);
    Group& one = groups_[static_cast<std::size_t>(first)];
    Group& two = groups_[static_cast<std::size_t>(second)];
    if (one.nodes.size() + two.nodes.size() > kMostNodes || device_of(a) != device_of(b)) return;
    std::optional<Group> both = joined(one, two);
    if (!both) return;
    const bool same = one.fixed == both->fixed && one.rows == both->rows && one.columns == both->columns;
    const auto changed =
        same ? std::lower_bound(one.nodes.begin(), one.nodes.end(), two.nodes.front()) : one.nodes.begin();
    std::merge(changed, one.nodes.end(), two.nodes.begin(), two.nodes.end(), std::back_inserter(both->nodes));
    if (!find_members(*both, changed != one.nodes.begin(), first) || path_outside(first, second)) return;

    join_readers(first, second);
    for (const int node : both->nodes) {
      members_[static_cast<std::size_t>(node)] = trial_[static_cast<std::size_t>(node)];
      group_of_[static_cast<std::size_t>(node)] = first;
    }
    one.nodes.erase(changed, one.nodes.end());
    one.nodes.insert(one.nodes.end(), both->nodes.begin(), both->nodes.end());
    one.rows = both->rows;
    one.columns = both->columns;
    one.fixed = both->fixed;
    one.size = both->size;
    two.nodes.clear();
  }

  const Group& group_at(int node) const { return groups_[static_cast<std::size_t>(root(node))]; }

  /// Looks at the nodes of a group. Others may be known already as members of the group `known`.
  bool find_members(const Group& group, bool others, int known) {
    const RoleFinder finder(graph_, candidates_, made_by_, group.rows, group.columns);
    ++trial_stamp_;
    const auto member = [&](int node) -> const Member* {
      const auto i = static_cast<std::size_t>(node);
      if (tried_[i] == trial_stamp_) return &trial_[i];
      return others && root(node) == known ? &members_[i] : nullptr;
    };
    for (const int at : group.nodes) {
      const auto found = finder.look_at(at, member);
      ++work_;
      if (!found) return false;
      const auto node = static_cast<std::size_t>(at);
      trial_[node] = *found;
      tried_[node] = trial_stamp_;
    }
    return true;
  }

  /// Gives the first group, of two that become one, the readers of both.
  void join_readers(int first, int second) {
    std::set<int>& all = readers_[static_cast<std::size_t>(first)];
    std::set<int>& more = readers_[static_cast<std::size_t>(second)];
    for (const int node : groups_[static_cast<std::size_t>(second)].nodes) all.erase(node);
    std::erase_if(more, [&](int node) { return root(node) == first; });
    if (all.size() < more.size()) all.swap(more);
    all.merge(more);
    more.clear();
  }

  DeviceState* device_of(int node) const {
    return graph_.value(graph_.nodes[static_cast<std::size_t>(node)].outputs[0].value).device;
  }

  /// Whether some other group reads one of the two and is read by one of them, however far about.
  bool path_outside(int first, int second) {
    ++stamp_;
    std::vector<int> open;
    const auto visit_readers = [&](int group, bool inside) {
      for (const int reader : readers_[static_cast<std::size_t>(group)]) {
        // Nodes that are on their own yet read what comes before them: no way back.
        if (reader > looked_at_) break;
        ++work_;
        const int next = root(reader);
        const bool back = next == first || next == second;
        if (back && !inside) return true;
        if (back || seen_[static_cast<std::size_t>(next)] == stamp_) continue;
        seen_[static_cast<std::size_t>(next)] = stamp_;
        open.push_back(next);
      }
      return false;
    };
    visit_readers(first, true);
    visit_readers(second, true);
    while (!open.empty()) {
      const int group = open.back();
      open.pop_back();
      if (visit_readers(group, false)) return true;
    }
    return false;
  }

  /// Groups over the same domain that read the same: it is read once.
  void merge_readers_of_one_value() {
    std::unordered_map<int, std::vector<int>> readers;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!usable_[i]) continue;
      for (const Access& in : graph_.nodes[i].inputs) {
        if (in.value < 0 || graph_.value(in.value).elements <= 1) continue;
        auto& list = readers[in.value];
        for (const int other : list) try_merge(other, static_cast<int>(i));
        if (std::none_of(list.begin(), list.end(),
                         [&](int other) { return root(other) == root(static_cast<int>(i)); })) {
          list.push_back(static_cast<int>(i));
        }
      }
    }
  }

  const Graph& graph_;
  const std::vector<Candidate>& candidates_;
  std::vector<int> made_by_;
  std::vector<int> group_of_;           ///< a node stands for its group
  std::vector<std::set<int>> readers_;  ///< of each group: the nodes outside that read from it
  std::vector<Group> groups_;
  std::vector<bool> usable_;     ///< whether a node makes a program at all
  std::vector<Member> members_;  ///< of each node, in its group
  std::vector<Member> trial_;
  std::vector<int> tried_;
  int trial_stamp_ = 0;
  int looked_at_ = 0;  ///< nodes past this one are groups of their own
  std::vector<int> seen_;
  int stamp_ = 0;
  std::int64_t work_ = 0;
};

}  // namespace

Groups find_groups(const Graph& graph, const std::vector<Candidate>& candidates) {
  return Grouping(graph, candidates).run();
}

}  // namespace tessera::trace
