// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/solvers/problem/jagged.h"
#include "planner/solvers/problem/row_table.h"
#include "planner/solvers/problem/solve.h"
#include "planner/solvers/reduce/cost_graph.h"

namespace metadist {

// A problem reduced exactly: only nodes with two strategies or more, densely numbered, at most one
// edge between two nodes, times that can bind only.
struct Reduced {
  struct Edge {
    int a = 0;
    int b = 0;
    std::vector<int64_t> costs;  // kInfinite where forbidden
  };
  Jagged<int64_t> costs;
  RowTable rows;
  std::vector<Edge> edges;
  // Absent: no limit, or nothing can exceed it.
  std::optional<int64_t> limit;
  std::vector<int64_t> base;
  int64_t constant = 0;
  bool infeasible = false;
  int64_t deletions = 0;

  int count() const { return static_cast<int>(costs.size()); }
  int size(int node) const { return static_cast<int>(costs[node].size()); }
  ReducedSize counts() const;
  // Choice of the original problem.
  Choice Expand(const Choice& choice) const;
  // The way back: a choice here that costs and uses no more than the given one of the original
  // problem, which must be feasible. Deletions for dominance are followed; nullopt if it is seen to
  // take a strategy that was deleted by KeepStrategies. If there were such, judge what comes back.
  std::optional<Choice> Contract(const Choice& original) const;

  // For Expand: the state of the reduction, and the original node of each node.
  CostGraph graph;
  std::vector<int> origin;
};

enum class ReduceMode {
  kFull,
  // As if the problem had no limit.
  kWithoutMemory,
  // Only rules that lose no feasible choice: optima are kept, and so is everything else.
  kKeepAllChoices,
  // As kFull, but choices above the limit count as well: for each there is one left that costs and
  // uses no more wherever the limit is exceeded.
  kSoftLimit,
};

// Applies the rules to a fixpoint.  The problem must be valid.
Reduced Reduce(const Problem& problem, ReduceMode mode);

// The same for a graph made (and perhaps changed) by the caller.
Reduced ReduceGraph(CostGraph graph, ReduceMode mode);

// After strategies were deleted (keep.h) or the limit was changed: the rules to a fixpoint again.
// Expand and Contract lead to the original problem as before. Cost: that of the remainder plus a
// few passes over the original nodes.
struct ReducedAgain {
  Reduced reduced;
  // Per kept time of the argument: the time that binds at least as hard now, -1 if it cannot bind.
  // A price moved along keeps its worth: no bound gets lower by it.
  std::vector<int> time_now;
};
ReducedAgain ReduceAgain(Reduced reduced);

}  // namespace metadist
