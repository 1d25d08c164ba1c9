// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/result.h"
#include "planner/plan/plan.h"
#include "planner/search/mesh_set.h"

namespace metadist {

// The plan of the best choice with its prediction, without the solver's report and alternatives.
// Collectives are bundled if that makes the plan faster and it still fits. Where it would be faster
// still with collectives that overlap nodes, it is such a plan if the request wants that; otherwise
// its prediction says so.
Result<Plan> PlanOfChoice(const SearchSetting& setting, BestPlan best);

}  // namespace metadist
