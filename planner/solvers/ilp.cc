// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/schedule.h"

namespace metadist {

// What an integer programming solver can do with an exactly reduced problem: the marginalised
// program (marginal.h) with lazy memory rows, and nothing that knows of prices or bounds of its
// own. Exact when it ends. For the problems of models the linear relaxation is nearly integral and
// this is quick; on wide problems under a tight limit it takes minutes where `auto` takes seconds.
// Every solver that plans with such a formulation (Alpa, OpenXLA, EasyDist) compares with this one.

namespace {

Result<SolveResult> SolveIlp(const Problem& problem, const SolveOptions& options) {
  return RunSchedule(problem, options, {.eliminate = false, .search = false, .finish = true});
}

}  // namespace

extern const SolverDef kIlpSolver;
const SolverDef kIlpSolver = {
    "ilp",
    "exact reduction, then the marginalised integer program by CBC",
    SolveIlp,
};

}  // namespace metadist
