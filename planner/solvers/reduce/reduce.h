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

// An exactly reduced problem: only nodes with at least two strategies, densely numbered, at most
// one edge between two nodes, and only times that can bind.
struct Reduced {
  struct Edge {
    int a = 0;
    int b = 0;
    std::vector<int64_t> costs;  // kInfinite where forbidden
  };
  Jagged<int64_t> costs;
  RowTable rows;
  std::vector<Edge> edges;
  // Absent: no limit, or no choice can exceed it.
  std::optional<int64_t> limit;
  std::vector<int64_t> base;
  int64_t constant = 0;
  bool infeasible = false;
  int64_t deletions = 0;

  int count() const { return static_cast<int>(costs.size()); }
  int size(int node) const { return static_cast<int>(costs[node].size()); }
  ReducedSize counts() const;
  // The corresponding choice of the original problem.
  Choice Expand(const Choice& choice) const;
  // The reverse of Expand: a choice of this problem that costs and uses no more than the given
  // feasible choice of the original problem. Deletions by dominance are followed. Nullopt if the
  // choice takes a strategy that ReduceAgain was told to delete and this is detected; after such
  // deletions, evaluate the result.
  std::optional<Choice> Contract(const Choice& original) const;

  // For Expand: the state of the reduction, and the original node of each node.
  CostGraph graph;
  std::vector<int> origin;
};

enum class ReduceMode {
  kFull,
  // As if the problem had no limit.
  kWithoutMemory,
  // Only rules that keep every feasible choice, not just the optimal ones.
  kKeepAllChoices,
  // As kFull, but choices above the limit count as well: for each of them one remains that costs no
  // more and uses no more wherever the limit is exceeded.
  kSoftLimit,
};

// Applies the rules to a fixpoint.  The problem must be valid.
Reduced Reduce(const Problem& problem, ReduceMode mode);

// Deletes strategies and applies the rules to a fixpoint again; the limit may have changed, too.
// alive: as for DropStrategies of reduced.graph; empty: all stay. Expand and Contract still map to
// the original problem. Cost: that of the reduced problem plus a few passes over the original
// nodes.
struct ReducedAgain {
  Reduced reduced;
  // Per kept time of the argument: the kept time that implies it, -1 if no choice can violate the
  // limit there. Moving a price from a time to that time does not lower any bound.
  std::vector<int> time_now;
};
ReducedAgain ReduceAgain(Reduced reduced, const std::vector<std::vector<char>>& alive = {});

}  // namespace metadist
