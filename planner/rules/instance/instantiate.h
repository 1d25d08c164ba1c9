// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/op_def.h"
#include "planner/rules/factor/rule.h"
#include "planner/rules/factor/symbolic_rule.h"

namespace metadist {

// The rule of a call with the signature that `found` was made from, at the call's own sizes.
// Factors with a single group at these sizes are left out. A call of another signature gets no
// factors and a reason.
Rule Instantiate(const SymbolicRule& found, const OpCall& call);

}  // namespace metadist
