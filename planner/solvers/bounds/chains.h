// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Usage per kept time of the relaxed choice that attains the bound of the dual's last Sweep; a node
// whose chains disagree takes the average of their strategies. Usage minus limit is a supergradient
// of the bound as a function of the prices. O(edges x strategies + rows + times).
std::vector<int64_t> ChainUsage(const Reduced& reduced, const Dual& dual);

}  // namespace metadist
