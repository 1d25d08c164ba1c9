// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "planner/plan/plan.h"

namespace metadist {

inline constexpr char kPlanSchema[] = "metadist.plan";
inline constexpr int kPlanSchemaVersion = 2;

// JSON, the same bytes for the same plan. Contains no wall-clock time.
Result<std::string> WritePlan(const Plan& plan);

// Strict: every field must be present and of its type, shardings valid, names known. where: the
// file, for messages. Errors: kBadInput naming the field (`nodes[3].inputs[0]`).
Result<Plan> ReadPlan(std::string_view text, const std::string& where);

}  // namespace metadist
