// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ops/op_def.h"
#include "planner/rules/factor/symbolic_rule.h"

namespace metadist {

struct DiscoveryOptions {
  uint64_t seed = 0;  // of the drawn inputs; the rules do not depend on it
  // For a rule book: runs the operator's kernel only and ignores its decomposition.
  bool primitive = false;
};

// Finds the ways to divide the call by running its operator on small arrays. The cost does not
// depend on the call's sizes: the call is first replaced by a small call of the same form, of which
// it is an instance (Instantiate). Uses only infer, reference and domain_of of the operator. Never
// fails: if the operator rejects the call, the rule has a reason.
SymbolicRule Discover(const OpCall& call, const DiscoveryOptions& options = {});

}  // namespace metadist
