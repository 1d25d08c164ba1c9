// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/rules/factor/rule.h"
#include "planner/rules/probe/black_box.h"

namespace metadist {

// Literals of the box's call that may depend on a dim of an input, at most one for each dim. Only
// for dims that no factor of the rule cuts.
std::vector<BlackBox::Following> FollowingOf(BlackBox& box, const Rule& rule);

}  // namespace metadist
