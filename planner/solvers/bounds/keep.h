// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// The same reduced problem with only the strategies kept[node] (sorted, none empty), renumbered.
// Expand still gives choices of the original problem. Nodes with one strategy left stay.
Reduced KeepStrategies(const Reduced& reduced, const std::vector<std::vector<int>>& kept);

}  // namespace metadist
