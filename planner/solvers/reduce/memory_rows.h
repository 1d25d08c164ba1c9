// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/solvers/reduce/cost_graph.h"

namespace metadist {

// Replaces times by indices into the sorted starts of non-empty rows (a peak is always reached at a
// start), sets `base` to zeros and drops empty rows.
void IndexTimes(CostGraph& graph);

// Reduces the memory constraints to those that can still bind: adds up rows of a node with equal
// intervals, moves the minimum of each row into `base`, drops constant rows, and drops times that
// no choice can violate or that another time implies. Sets `infeasible` if `base` alone exceeds the
// limit. Call after strategies were dropped or nodes merged.
void SimplifyMemory(CostGraph& graph);

}  // namespace metadist
