// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/plan/plan.h"
#include "planner/search/mesh_set.h"

namespace metadist {

// What can be claimed of the best plan when the search has ended.
SolverReport ReportOf(const SearchSetting& setting, const BestPlan& best);

}  // namespace metadist
