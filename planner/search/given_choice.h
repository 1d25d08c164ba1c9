// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ir/result.h"
#include "planner/solvers/problem/problem.h"

namespace metadist {

// Choices that come from outside: `metadist plan --choice`.

// Whether tied nodes take the same strategy.
bool KeepsTies(const Problem& problem, const Choice& choice);

// Refuses forbidden strategies and pairs, by the names of the nodes; ties and limit play no part.
// Errors: kBadInput, the first twenty.
Result<void> CheckAllowed(const Problem& problem, const Choice& choice);

}  // namespace metadist
