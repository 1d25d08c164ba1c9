// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// penalties[node][p] = cost of the memory of strategy p at the prices (cost per unit of usage, one
// per kept time): the sum over the node's rows of usage[p] x (sum of the prices of the row's
// times). The storage of `penalties` is reused. O(times + rows x strategies).
void PricePenalties(const Reduced& reduced,
                    const std::vector<double>& prices,
                    Jagged<double>& penalties);

}  // namespace metadist
