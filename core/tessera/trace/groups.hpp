#pragma once

// Internal to core. Which calls of a graph one pass over the data can do.

#include <cstdint>
#include <vector>

#include <tessera/trace/flat.hpp>
#include <tessera/trace/graph.hpp>

namespace tessera::trace {

/// What grouping asks of a call.
struct Candidate {
  bool usable = false;  ///< element-wise, or a reduction along rows
  bool reduction = false;
  std::int64_t size = 0;     ///< elements of the result; of a reduction, of what it reads
  std::int64_t rows = 0;     ///< of a reduction
  std::int64_t columns = 0;  ///< of a reduction
  std::vector<Flat> reads;   ///< of each input; numbers have none worth a look
};

std::vector<Candidate> find_candidates(const Graph& graph);

enum class Role : std::uint8_t { domain, row };

/// What a call is within a group.
struct Member {
  Role role = Role::domain;
  bool from_reduction = false;
};

/// Calls that become one program over [rows, columns], in order.
struct Group {
  std::vector<int> nodes;
  std::vector<Member> members;  ///< of each node
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool fixed = false;  ///< some call needs these rows and columns; else any split of the elements does
  std::int64_t size = 0;
};

struct Groups {
  std::vector<Group> groups;  ///< of one call or more; calls that cannot be in one are in none
  bool in_part = false;       ///< the graph was too large to look through all of it
};
Groups find_groups(const Graph& graph, const std::vector<Candidate>& candidates);

/// The group as a call, whose outputs are the values that are needed outside.
Node lower_group(const Graph& graph, const std::vector<Candidate>& candidates,
                 const std::vector<int>& made_by, const Group& group,
                 const std::vector<bool>& needed_outside);

}  // namespace tessera::trace
