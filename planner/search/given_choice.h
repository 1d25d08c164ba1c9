// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/result.h"
#include "planner/solvers/problem/problem.h"

namespace metadist {

// Choices given by the user: `metadist plan --choice`.

// Whether tied nodes take the same strategy.
bool KeepsTies(const Problem& problem, const Choice& choice);

// Rejects forbidden strategies and pairs, naming the nodes; ignores ties and the limit. Errors:
// kBadInput, the first twenty.
Result<void> CheckAllowed(const Problem& problem, const Choice& choice);

}  // namespace metadist
