// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ops/op_table.h"
#include "planner/rules/compose/inner_calls.h"
#include "planner/rules/factor/symbolic_rule.h"
#include "planner/rules/probe/black_box.h"

namespace metadist {

// Adds to `found`, which was discovered on box.values() (composites included), factors for sizes
// that nothing divides yet: the operator's results on pieces are joined by the operator itself
// (recipe.h). Where it hands a state from piece to piece of a sequence, also those that divide a
// call on a single element of it (recipe_steps.h), of which `inner` tells. Depends on what Discover
// depends on.
void FindKernelOnly(
    BlackBox& box, const OpTable& ops, const InnerFound& inner, uint64_t seed, SymbolicRule& found);

}  // namespace metadist
