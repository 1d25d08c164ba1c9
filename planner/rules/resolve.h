// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/rules/candidates.h"
#include "planner/rules/family.h"
#include "planner/rules/tie.h"

namespace metadist {

// The family of calls around box.values(), which must be small: of overlapping ties, those that the
// kernel's behaviour confirms. `tie` has been run.
Family Resolve(BlackBox& box, const Tie& tie, CandidateSearch& search);

}  // namespace metadist
