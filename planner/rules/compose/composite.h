// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ops/op_table.h"
#include "planner/rules/compose/inner_calls.h"
#include "planner/rules/factor/symbolic_rule.h"
#include "planner/rules/probe/black_box.h"

namespace metadist {

// Adds to `found`, which was discovered on box.values(), the factors that divide the operator's
// decomposition but not the operator, and sets for every plain factor how it divides the
// decomposition (inner). Does nothing for operators without one. Depends only on what Discover
// depends on.
void FindComposites(
    BlackBox& box, const OpTable& ops, const InnerFound& inner, uint64_t seed, SymbolicRule& found);

}  // namespace metadist
