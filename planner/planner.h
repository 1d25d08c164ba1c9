// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/result.h"
#include "metair/ops/op_table.h"
#include "metair/spmd/mesh.h"
#include "planner/redistribute/redistribute.h"
#include "planner/rules/book/rule_book.h"
#include "planner/search/meshes.h"
#include "planner/search/plan_request.h"
#include "planner/space/formulate.h"
#include "profiles/cluster.h"

namespace metadist {

// Plans a model on a cluster. Same request, same plan, whatever the number of threads, except after
// a time limit or an interrupt. Errors: kUsage (mesh and cluster disagree, a constraint matches
// nothing, unknown solver), kBadInput for a given choice with a forbidden strategy, kInfeasible
// naming the smallest budget found to work and the proven lower bound of all budgets, kTimeLimit or
// kInterrupted without any plan.
Result<Planned> MakePlan(const PlanRequest& request);

}  // namespace metadist
