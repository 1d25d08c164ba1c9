// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/schedule.h"

namespace metadist {

// What an integer programming solver achieves on an exactly reduced problem: the marginalised
// program (marginal.h) with lazy memory rows, without prices or other bounds. Exact if it finishes.
// For the problems of models the linear relaxation is nearly integral and this is quick; on wide
// problems under a tight limit it takes minutes where `auto` takes seconds. A baseline for solvers
// that plan with such a formulation (Alpa, OpenXLA, EasyDist).

const SolverDef kIlpSolver = {
    "ilp",
    "exact reduction, then the marginalised integer program by CBC",
    SolveBy<SuiteParts{.eliminate = false, .search = false, .finish = true}>,
};

}  // namespace metadist
