// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "planner/solvers/problem/solve.h"

namespace metadist {

// A solver.  solve: the problem must be valid; errors are internal ones only, "infeasible" is a
// status.
struct SolverDef {
  std::string_view name;
  std::string_view summary;
  Result<SolveResult> (*solve)(const Problem& problem, const SolveOptions& options);
  // False if it does not look for cheap choices. There is then no point in solving without the
  // limit first, improving its result, or computing a bound for it.
  bool optimizes = true;
  bool is_default = false;  // exactly one solver
};

// `solve` of a solver that is a class.
template <typename Solver>
Result<SolveResult> SolveWith(const Problem& problem, const SolveOptions& options) {
  return Solver(problem, options).Run();
}

#define SOLVER(constant) extern const SolverDef constant;
#include "planner/solvers/solvers.def"
#undef SOLVER

// All solvers of solvers.def, sorted by name.
std::span<const SolverDef* const> Solvers();

// nullptr if there is no solver of that name.
const SolverDef* FindSolver(std::string_view name);

// The solver used if none is named.
const SolverDef& DefaultSolver();

// "auto, beam, ...": all names, for messages and help.
std::string SolverNames();

}  // namespace metadist
