// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ops/op_table.h"
#include "planner/rules/compose/inner_calls.h"
#include "planner/rules/factor/symbolic_rule.h"
#include "planner/rules/probe/black_box.h"

namespace metadist {

// Adds to `found`, which was discovered on box.values() (composites included), factors for sizes
// that no factor divides yet: the operator itself joins its results on pieces (recipe.h). If it
// carries a state from piece to piece of a sequence, also the factors that divide a call on a
// single element (recipe_steps.h), whose rules are in `inner`. Depends only on what Discover
// depends on.
void FindKernelOnly(
    BlackBox& box, const OpTable& ops, const InnerFound& inner, uint64_t seed, SymbolicRule& found);

}  // namespace metadist
