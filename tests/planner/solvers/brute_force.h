// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "planner/solvers/problem/problem.h"

namespace metadist {

// The result of trying every choice.
struct BruteForce {
  // Least cost within the limit; absent if nothing is feasible.
  std::optional<int64_t> cost;
  // Ignoring the limit.
  std::optional<int64_t> free_cost;
  std::optional<int64_t> least_peak;
  // The first feasible choice of that cost; empty if there is none.
  Choice choice;
};

// Product of the numbers of strategies, saturated at 2^62.
int64_t CountChoices(const Problem& problem);

// Depth-first search that backtracks only at forbidden entries and broken ties. Shares no code with
// the solvers or with Evaluate.
BruteForce TryAll(const Problem& problem);

}  // namespace metadist
