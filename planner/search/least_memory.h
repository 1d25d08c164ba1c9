// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/result.h"
#include "planner/search/mesh_set.h"

namespace metadist {

// For a request without a choice under the limit: the cheapest plan that observes it among the
// programs of least peak and those of decreasing budgets. free: the best plan without a limit, if
// there is one. Errors: kInfeasible, naming the smallest budget that was found to work (also in
// request.least); those of MeshPlanner::FindLeastPeak.
Result<BestPlan> SmallestThatFits(const SearchSetting& setting, const BestPlan& free);

}  // namespace metadist
