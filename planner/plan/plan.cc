// SPDX-License-Identifier: Apache-2.0
#include "planner/plan/plan.h"

#include "planner/lower/lower.h"
#include "planner/lower/node_order.h"

namespace metadist {

Result<Program> Lower(const Plan& plan) {
  Program program = TRY(Lower(plan.graph, plan.mesh, plan.assignment, plan.redistributions));
  if (!plan.order.empty()) TRY(OverlapInOrder(OnlyStage(program), plan.order));
  return program;
}

}  // namespace metadist
