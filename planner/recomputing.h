// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ir/graph.h"
#include "metair/ir/result.h"
#include "planner/search/plan_request.h"

namespace metadist {

struct RecomputingPlan {
  Planned planned;
  int64_t blocks = 0;  // that run again
  Graph step;          // what was planned, if some do
};

// Plans a training step that keeps all activations, and if the memory limit excludes that or makes
// it slower, also steps that compute some blocks again (metair/training/recompute.h): the best of
// all. Each that was tried is one of the plan's alternatives. Errors: as MakePlan; kInfeasible if
// none fits.
Result<RecomputingPlan> PlanRecomputing(const PlanRequest& request);

}  // namespace metadist
