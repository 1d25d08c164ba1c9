// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metair/ir/result.h"

namespace metadist {

// Cost of a pair or strategy that must not be taken. Entries of at least kForbiddenFrom count as
// forbidden when a Problem is read; sums are never compared with it.
inline constexpr int64_t kForbidden = 1'000'000'000'000'000'000;
inline constexpr int64_t kForbiddenFrom = kForbidden / 10;

// The sum over nodes and edges of their largest finite |cost| must stay below this.
inline constexpr int64_t kMaxTotalCost = int64_t{1} << 59;

// Memory that a node occupies at the integer times lo <= t < hi (none if hi <= lo).
// usage: bytes per strategy, each >= 0, one per cost of the node.
struct MemoryRow {
  int64_t lo = 0;
  int64_t hi = 0;
  std::vector<int64_t> usage;
};

// One decision. costs: per strategy, picoseconds (or any integer unit), may be negative; at least
// one strategy.
struct ProblemNode {
  std::vector<int64_t> costs;
  std::vector<MemoryRow> rows;
};

// Row-major, node b fastest: entry [s_a * |S_b| + s_b]. Equal matrices may share one vector.
using CostMatrix = std::shared_ptr<const std::vector<int64_t>>;

// A hash of a matrix or another list of numbers.
uint64_t HashOf(std::span<const int64_t> numbers);

// Cost of a pair of strategies. a != b, in either order; parallel edges add up.
struct ProblemEdge {
  int a = 0;
  int b = 0;
  CostMatrix costs;
};

// Everything a solver knows: choose one strategy per node and minimise the sum of node and edge
// costs, such that at every time the usages of the chosen strategies sum to at most usage_limit. A
// superset of google/iopddl's fields, without any reference to tensors.
struct Problem {
  std::string name;
  std::vector<ProblemNode> nodes;
  std::vector<ProblemEdge> edges;
  std::optional<int64_t> usage_limit;
  // Empty, or one per node, for messages only.
  std::vector<std::string> node_names;
  // Empty, or one per node: the node whose strategy index this one must equal (itself if free).
  // Both have equally many strategies.
  std::vector<int> tied;
};

// A strategy index per node.
using Choice = std::vector<int>;

// Reports every inconsistency at once (kBadInput): sizes, edge ends, negative usages, costs too
// large to sum, ties between nodes with different numbers of strategies. Solvers assume a valid
// problem.
Result<void> Validate(const Problem& problem);

// The same problem with every tie replaced by an edge that is 0 on the diagonal and forbidden
// elsewhere (equal sizes share one matrix), and `tied` empty. The nodes are the same, so choices
// are too.
Problem WithTiesAsEdges(const Problem& problem);

}  // namespace metadist
