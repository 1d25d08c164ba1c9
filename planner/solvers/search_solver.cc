// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/schedule.h"

namespace metadist {

// Prices, local search and pruning alone, without any external solver: incumbent and bound move
// towards each other, and where they meet the proof is integer arithmetic. What `auto` does before
// branch and bound; on problems too big for that the two are the same.

namespace {

Result<SolveResult> SolveSearch(const Problem& problem, const SolveOptions& options) {
  return RunSchedule(problem, options, {.eliminate = false, .search = true, .finish = false});
}

}  // namespace

extern const SolverDef kSearchSolver;
const SolverDef kSearchSolver = {
    "search",
    "reduction, then prices, local search and pruning; bounds in integer arithmetic",
    SolveSearch,
};

}  // namespace metadist
