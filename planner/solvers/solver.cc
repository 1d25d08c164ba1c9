// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/solver.h"

namespace metadist {

#define SOLVER(constant) extern const SolverDef constant;
#include "planner/solvers/solvers.def"
#undef SOLVER

namespace {

#define SOLVER(constant) &constant,
constexpr const SolverDef* kSolvers[] = {
#include "planner/solvers/solvers.def"
};
#undef SOLVER

}  // namespace

std::span<const SolverDef* const> Solvers() { return kSolvers; }

const SolverDef* FindSolver(std::string_view name) {
  for (const SolverDef* solver : kSolvers) {
    if (solver->name == name) return solver;
  }
  return nullptr;
}

}  // namespace metadist
