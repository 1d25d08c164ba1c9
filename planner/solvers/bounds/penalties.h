// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// penalties[node][p] = what strategy p of the node pays for its memory at the prices (cost per unit
// of usage, one per kept time): sum over its rows of usage[p] x (sum of the prices of its times).
// Storage of `penalties` is reused. O(times + rows x strategies).
void PricePenalties(const Reduced& reduced,
                    const std::vector<double>& prices,
                    Jagged<double>& penalties);

}  // namespace metadist
