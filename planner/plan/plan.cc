// SPDX-License-Identifier: Apache-2.0
#include "planner/plan/plan.h"

#include "planner/lower/lower.h"

namespace metadist {

Result<Program> Lower(const Plan& plan) {
  return Lower(plan.graph, plan.mesh, plan.assignment, plan.redistributions);
}

}  // namespace metadist
