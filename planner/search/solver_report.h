// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/plan/plan.h"
#include "planner/search/mesh_set.h"

namespace metadist {

// What is proven about the best plan at the end of the search.
SolverReport ReportOf(const SearchSetting& setting, const BestPlan& best);

}  // namespace metadist
