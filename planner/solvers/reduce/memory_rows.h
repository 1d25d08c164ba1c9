// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/solvers/reduce/cost_graph.h"

namespace metadist {

// Replaces times by indices into the sorted starts of non-empty rows (a peak is always reached at a
// start), sets `base` to zeros and drops empty rows.
void IndexTimes(CostGraph& graph);

// Keeps of the memory side only what can still bind: equal intervals of a node added up, the
// minimum of a row moved into `base`, constant rows gone, times gone that no choice can violate or
// that another time implies. Sets `infeasible` if `base` alone exceeds the limit.
// Call after strategies were dropped or nodes merged.
void SimplifyMemory(CostGraph& graph);

}  // namespace metadist
