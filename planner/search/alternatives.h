// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/plan/plan.h"
#include "planner/search/mesh_set.h"

namespace metadist {

// Alternatives to the plan: one device, data parallel only, no memory limit. free: the best plan
// without a limit, if it was searched.
std::vector<Alternative> AlternativesTo(const Plan& plan,
                                        const SearchSetting& setting,
                                        const BestPlan& free);

}  // namespace metadist
