// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/schedule.h"

namespace metadist {

// Prices, local search and pruning alone, without an external solver: incumbent and bound approach
// each other, and where they meet the proof is integer arithmetic. This is what `auto` does between
// elimination and branch and bound.

const SolverDef kSearchSolver = {
    "search",
    "reduction, then prices, local search and pruning; bounds in integer arithmetic",
    SolveBy<SuiteParts{.eliminate = false, .search = true, .finish = false}>,
};

}  // namespace metadist
