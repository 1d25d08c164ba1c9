// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "planner/solvers/reduce/cost_graph.h"

namespace metadist {

// Exact reduction rules. Each leaves the set of optimal costs unchanged (ExpandChoice maps any
// optimum of the result to one of the input), sets graph.infeasible when it proves that nothing is
// feasible, and returns how many times it applied. Each essay is in the file of the rule's name.

// Edges whose entries are a sum of two node costs, or with an end of one strategy, become node
// costs.
int64_t FoldSeparableEdges(CostGraph& graph);
// Drops strategies that are forbidden or have no allowed partner on some edge.
int64_t EnforceArcConsistency(CostGraph& graph);
// Drops strategies that exceed the limit whatever the other nodes take.
int64_t DropOversized(CostGraph& graph);
// Drops strategies that another strategy of the node beats whatever the neighbours do.
int64_t DropDominated(CostGraph& graph);
// Merges nodes whose strategy is a function of a neighbour's.
int64_t MergeFunctional(CostGraph& graph);
// Adds up edges between the same two nodes.
int64_t AddParallelEdges(CostGraph& graph);
// Eliminates nodes without memory rows that have at most two neighbours.
// Precondition: no parallel edges.
int64_t EliminateLowDegree(CostGraph& graph);

}  // namespace metadist
