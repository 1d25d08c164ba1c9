// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Reduces a reduced problem to its choices of at most `most`: deletes strategies and pairs that
// cost more according to the Dual's messages and prices, and applies the exact rules to the rest.
// Infeasible: no such choice exists. nullopt if too little would be deleted to justify a rebuild.
// Changes the Dual's messages (another Sweep restores its bound).
std::optional<ReducedAgain> Prune(const Reduced& reduced, Dual& dual, int64_t most);

// The choice of `reduced` nearest to one of the original problem: its image under the reduction,
// or, if it takes a pruned strategy, its remaining strategies and for each other node, in turn, the
// cheapest strategy given the rest.
Choice Nearest(const Reduced& reduced, const Choice& original);

}  // namespace metadist
