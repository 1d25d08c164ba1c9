// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "planner/solvers/reduce/cost_graph.h"

namespace metadist {

// Exact reduction rules. Each preserves the optimal cost (ExpandChoice maps any optimum of the
// result to one of the input), sets graph.infeasible when it proves infeasibility, and returns how
// many times it was applied. The file named after a rule explains it.

// Turns edges into node costs if their entries are a sum of two node costs, or if one end has a
// single strategy.
int64_t FoldSeparableEdges(CostGraph& graph);
// Drops strategies that are forbidden or have no allowed partner on some edge.
int64_t EnforceArcConsistency(CostGraph& graph);
// Drops strategies that exceed the limit whatever strategies the other nodes take.
int64_t DropOversized(CostGraph& graph);
// Drops strategies that another strategy of the node replaces without loss, whatever the neighbours
// take.
int64_t DropDominated(CostGraph& graph);
// Merges nodes whose strategy is a function of a neighbour's.
int64_t MergeFunctional(CostGraph& graph);
// Adds up edges between the same two nodes.
int64_t AddParallelEdges(CostGraph& graph);
// Eliminates nodes without memory rows that have at most two neighbours.
// Precondition: no parallel edges.
int64_t EliminateLowDegree(CostGraph& graph);

}  // namespace metadist
