// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/rules/compose/inner_calls.h"
#include "planner/rules/factor/symbolic_rule.h"

namespace metadist {

// Adds to `found`, which was discovered on call.box.values(), the factors that divide the
// operator's decomposition but not the operator, and sets for every plain factor how it divides the
// decomposition (inner). Does nothing for operators without one. Depends only on what Discover
// depends on.
void FindComposites(const TestedCall& call, SymbolicRule& found);

}  // namespace metadist
