// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/schedule.h"

namespace metadist {

// All parts together: exact reduction, elimination where the graph is narrow, rounds of prices,
// local search and pruning, and branch and bound on the rest. The default solver: it proves
// optimality where that is possible, and otherwise returns the best incumbent and bound that the
// budget allows. The parts are described in their files.

const SolverDef kAutoSolver = {
    .name = "auto",
    .summary = "all parts: reduction, elimination, priced search, pruning, branch and bound",
    .solve = SolveBy<SuiteParts{}>,
    .is_default = true,
};

}  // namespace metadist
