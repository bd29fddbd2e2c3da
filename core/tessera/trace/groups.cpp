#include <tessera/trace/groups.hpp>

#include <algorithm>
#include <unordered_map>

namespace tessera::trace {
namespace {

/// More steps than that are no gain, and take long to look through.
constexpr std::size_t kMostNodes = 4096;

/// What is known of a node within a group under trial.
struct Member {
  Role role = Role::domain;
  bool from_reduction = false;
};

class RoleFinder {
 public:
  RoleFinder(const Graph& graph, const std::vector<Candidate>& candidates, const std::vector<int>& made_by,
             const Group& group)
      : graph_(graph), candidates_(candidates), made_by_(made_by), group_(group) {}

  std::optional<std::vector<Role>> run() {
    std::vector<Role> roles;
    for (const int node : group_.nodes) {
      const auto member = look_at(node);
      if (!member) return std::nullopt;
      members_.emplace(node, *member);
      roles.push_back(member->role);
    }
    return roles;
  }

 private:
  const Member* member(const Access& access) const {
    if (access.value < 0) return nullptr;
    const auto found = members_.find(made_by_[static_cast<std::size_t>(access.value)]);
    return found == members_.end() ? nullptr : &found->second;
  }

  bool fits_domain(const Flat& flat) const {
    return flat.rank < 2 || (flat.shape[0] == group_.rows && flat.shape[1] == group_.columns);
  }

  std::optional<Member> look_at(int at) const {
    const Node& node = graph_.nodes[static_cast<std::size_t>(at)];
    const Candidate& candidate = candidates_[static_cast<std::size_t>(at)];
    if (candidate.reduction) {
      if (candidate.rows != group_.rows || candidate.columns != group_.columns) return std::nullopt;
      const Member* const x = member(node.inputs[0]);
      if (!fits_domain(candidate.reads[0])) return std::nullopt;
      if (x != nullptr && (x->role == Role::row || !candidate.reads[0].in_order())) return std::nullopt;
      return Member{Role::row, true};
    }
    const bool reads_row = std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Access& in) {
      const Member* const x = member(in);
      return x != nullptr && x->role == Role::row;
    });
    const std::int64_t domain_size = group_.rows * group_.columns;
    if (candidate.size == domain_size && !(group_.columns == 1 && reads_row))
      return as_domain(node, candidate);
    if (candidate.size == group_.rows) return as_row(node, candidate);
    return std::nullopt;
  }

  std::optional<Member> as_domain(const Node& node, const Candidate& candidate) const {
    bool all_of_row = true;  // by reads within the group, of which nothing can be made a value of the domain
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Flat& flat = candidate.reads[i];
      const Member* const x = member(node.inputs[i]);
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

  std::optional<Member> as_row(const Node& node, const Candidate& candidate) const {
    Member result{Role::row, false};
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Flat& flat = candidate.reads[i];
      if (flat.rank > 1) return std::nullopt;
      const Member* const x = member(node.inputs[i]);
      if (x == nullptr) continue;
      if (x->role == Role::domain || !flat.in_order()) return std::nullopt;
      result.from_reduction = result.from_reduction || x->from_reduction;
    }
    return result;
  }

  const Graph& graph_;
  const std::vector<Candidate>& candidates_;
  const std::vector<int>& made_by_;
  const Group& group_;
  std::unordered_map<int, Member> members_;
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
        seen_(graph.nodes.size(), 0) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      group_of_[i] = static_cast<int>(i);
      groups_[i] = single(static_cast<int>(i));
      for_each_producer(i, [&](int producer) {
        readers_[static_cast<std::size_t>(producer)].push_back(static_cast<int>(i));
      });
    }
  }

  std::vector<Group> run() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      for_each_producer(i, [&](int producer) { try_merge(producer, static_cast<int>(i)); });
    }
    merge_readers_of_one_value();
    std::vector<Group> result;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (group_of_[i] == static_cast<int>(i) && candidates_[i].usable)
        result.push_back(std::move(groups_[i]));
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
    std::merge(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
               std::back_inserter(group.nodes));
    return group;
  }

  void try_merge(int a, int b) {
    const int first = root(a);
    const int second = root(b);
    if (first == second || !candidates_[static_cast<std::size_t>(a)].usable ||
        !candidates_[static_cast<std::size_t>(b)].usable) {
      return;
    }
    Group& one = groups_[static_cast<std::size_t>(first)];
    Group& two = groups_[static_cast<std::size_t>(second)];
    if (one.nodes.size() + two.nodes.size() > kMostNodes || device_of(a) != device_of(b)) return;
    auto both = joined(one, two);
    if (!both || !RoleFinder(graph_, candidates_, made_by_, *both).run()) return;
    if (path_outside(first, second)) return;
    one = std::move(*both);
    two.nodes.clear();
    for (const int node : one.nodes) group_of_[static_cast<std::size_t>(node)] = first;
  }

  DeviceState* device_of(int node) const {
    return graph_.value(graph_.nodes[static_cast<std::size_t>(node)].outputs[0].value).device;
  }

  /// Whether some other group reads one of the two and is read by one of them, however far about.
  bool path_outside(int first, int second) {
    ++stamp_;
    std::vector<int> open;
    const auto visit_readers = [&](int group, bool inside) {
      for (const int node : groups_[static_cast<std::size_t>(group)].nodes) {
        for (const int reader : readers_[static_cast<std::size_t>(node)]) {
          const int next = root(reader);
          const bool back = next == first || next == second;
          if (back && !inside) return true;
          if (back || seen_[static_cast<std::size_t>(next)] == stamp_) continue;
          seen_[static_cast<std::size_t>(next)] = stamp_;
          open.push_back(next);
        }
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
      if (!candidates_[i].usable) continue;
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
  std::vector<int> group_of_;              ///< a node stands for its group
  std::vector<std::vector<int>> readers_;  ///< of each node
  std::vector<Group> groups_;
  std::vector<int> seen_;
  int stamp_ = 0;
};

}  // namespace

std::optional<std::vector<Role>> find_roles(const Graph& graph, const std::vector<Candidate>& candidates,
                                            const std::vector<int>& made_by, const Group& group) {
  return RoleFinder(graph, candidates, made_by, group).run();
}

std::vector<Group> find_groups(const Graph& graph, const std::vector<Candidate>& candidates) {
  return Grouping(graph, candidates).run();
}

}  // namespace tessera::trace
