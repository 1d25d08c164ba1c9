// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "planner/solvers/problem/solve.h"

namespace metadist {

// One way to choose.  solve: the problem must be valid; errors are internal ones only, "infeasible"
// is a status.
struct SolverDef {
  std::string_view name;
  std::string_view summary;
  Result<SolveResult> (*solve)(const Problem& problem, const SolveOptions& options);
  // Whether it looks for cheap choices. Where it does not, there is nothing to gain from solving
  // without the limit first, from improving what it returned, or from setting a bound beside it.
  bool optimizes = true;
  bool is_default = false;  // of one solver
};

// All solvers of solvers.def, by name.
std::span<const SolverDef* const> Solvers();

// nullptr if there is none of that name.
const SolverDef* FindSolver(std::string_view name);

// The one for who names none.
const SolverDef& DefaultSolver();

// "auto, beam, ...": all names, for messages and help.
std::string SolverNames();

}  // namespace metadist
