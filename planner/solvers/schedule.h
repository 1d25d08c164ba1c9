// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/solvers/solver.h"

namespace metadist {

// Which parts of the suite a solver uses, after exact reduction.
struct SuiteParts {
  // The optimum without the limit by elimination, where the graph is narrow.
  bool eliminate = true;
  // Prices, local search and pruning.
  bool search = true;
  // Branch and bound by CBC.
  bool finish = true;
};

// Runs the parts in their order until the problem is solved, a limit strikes, or nothing helps any
// more. The order depends on counted work and on the problem, never on the budget: a longer run
// begins with the steps of a shorter one, and its result is no worse.
Result<SolveResult> RunSchedule(const Problem& problem,
                                const SolveOptions& options,
                                const SuiteParts& parts);

}  // namespace metadist
