// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/result.h"
#include "planner/search/mesh_set.h"

namespace metadist {

// Where no choice under the limit was found: the cheapest plan that keeps it among the programs of
// least peak and those of ever smaller budgets.  free: the best plan without a limit, if there is
// one.  Errors: kInfeasible, naming the smallest budget that was found to work (as request.least
// then does); those of MeshPlanner::FindLeastPeak.
Result<BestPlan> SmallestThatFits(const SearchSetting& setting, const BestPlan& free);

}  // namespace metadist
