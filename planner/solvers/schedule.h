// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/solvers/solver.h"

namespace metadist {

// The parts that a solver uses after exact reduction.
struct SuiteParts {
  // The optimum without the limit by elimination, where the graph is narrow.
  bool eliminate = true;
  // Prices, local search and pruning.
  bool search = true;
  // Branch and bound by CBC.
  bool finish = true;
};

// Runs the parts in order until the problem is solved, a limit is reached, or nothing improves any
// more. The steps depend on counted work and on the problem, never on the budget: a longer run
// begins with the steps of a shorter one, and its result is no worse.
Result<SolveResult> RunSchedule(const Problem& problem,
                                const SolveOptions& options,
                                const SuiteParts& parts);

// The same for the table of solvers.
template <SuiteParts parts>
Result<SolveResult> SolveBy(const Problem& problem, const SolveOptions& options) {
  return RunSchedule(problem, options, parts);
}

}  // namespace metadist
