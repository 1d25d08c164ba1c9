// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/rules/compose/inner_calls.h"
#include "planner/rules/factor/symbolic_rule.h"

namespace metadist {

// Adds to `found`, which was discovered on call.box.values() (composites included), factors for
// sizes that no factor divides yet: the operator itself joins its results on pieces (recipe.h). If
// it carries a state from piece to piece of a sequence, also the factors that divide a call on a
// single element (recipe_steps.h), whose rules are in `call.inner`. Depends only on what Discover
// depends on.
void FindKernelOnly(const TestedCall& call, SymbolicRule& found);

}  // namespace metadist
