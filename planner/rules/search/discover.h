// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ops/op_def.h"
#include "planner/rules/factor/symbolic_rule.h"

namespace metadist {

struct DiscoveryOptions {
  uint64_t seed = 0;  // of the drawn inputs; the rules do not depend on it
  // Of a rule book: runs the operator's kernel alone, its decomposition is not looked at.
  bool primitive = false;
};

// Finds every way to divide the call by running its operator on small arrays. Cost does not depend
// on the call's sizes: it is first replaced by a small call of the same form, of which the call is
// an instance (Instantiate). Uses nothing of the operator but infer, reference and domain_of. Never
// fails: a refusal is a reason.
SymbolicRule Discover(const OpCall& call, const DiscoveryOptions& options = {});

}  // namespace metadist
