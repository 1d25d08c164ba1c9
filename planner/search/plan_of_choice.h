// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/result.h"
#include "planner/plan/plan.h"
#include "planner/search/mesh_set.h"

namespace metadist {

// The plan of the best choice with its prediction, alternatives aside. Collectives travel together
// where the plan is faster for it and still fits.  report: what is claimed of it.
Result<Plan> PlanOfChoice(const SearchSetting& setting, BestPlan best, SolverReport report);

}  // namespace metadist
