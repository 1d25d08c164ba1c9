// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/redistribute/baselines/move_costs.h"
#include "planner/redistribute/route_problem.h"

namespace metadist {

// The cheapest route of the form (slice | reduce-scatter)* (all-to-all | all-reduce | permute)*
// gather*, with at most one permute. No step holds more than most_elements(). by_size: axes of one
// size are interchangeable until a final permute restores their names; not always the cheapest
// route, but feasible for any number of axes.
Moves NormalForm(const RouteProblem& problem, MoveCosts& costs, bool by_size = false);

// The cheapest route whose steps hold at most most_elements(), in any order. by_size: as above.
Moves Bounded(const RouteProblem& problem, MoveCosts& costs, bool by_size = false);

// With more movable axes than this, routes are searched by size.
inline constexpr int kMostExactAxes = 6;

}  // namespace metadist
