// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/op_def.h"
#include "planner/rules/factor/rule.h"
#include "planner/rules/factor/symbolic_rule.h"

namespace metadist {

// The rule of a call of the signature `found` was made from, at the call's own sizes. Factors with
// a single group there are left out. A call that is not of the signature gets no factors and a
// reason.
Rule Instantiate(const SymbolicRule& found, const OpCall& call);

}  // namespace metadist
