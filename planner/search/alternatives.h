// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/plan/plan.h"
#include "planner/search/mesh_set.h"

namespace metadist {

// What else could be done than the plan: on one device, data parallel only, without a memory limit.
// free: the best plan without a limit, if it was looked for.
std::vector<Alternative> AlternativesTo(const Plan& plan,
                                        const SearchSetting& setting,
                                        const BestPlan& free);

}  // namespace metadist
