// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// The same reduced problem with only the strategies kept[node] (sorted, not empty), renumbered.
// Expand still returns choices of the original problem. Nodes with a single strategy left are not
// removed.
Reduced KeepStrategies(const Reduced& reduced, const std::vector<std::vector<int>>& kept);

}  // namespace metadist
