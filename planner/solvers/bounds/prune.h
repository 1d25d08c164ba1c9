// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// What is left of a reduced problem when only choices of at most `most` are wanted: strategies and
// pairs that cost more at the Dual's messages and prices are gone, and the exact rules have been
// applied to the rest. Infeasible: no such choice exists. nullopt if too little would go to be
// worth a rebuild. Changes the Dual's messages (another Sweep restores its bound).
std::optional<ReducedAgain> Prune(const Reduced& reduced, Dual& dual, int64_t most);

// The choice of `reduced` nearest to one of the original problem: what the reduction made of it,
// or, if it takes what was pruned, its strategies where they are left and, node by node, what is
// cheapest beside the others elsewhere.
Choice Nearest(const Reduced& reduced, const Choice& original);

}  // namespace metadist
