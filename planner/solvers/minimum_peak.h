// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "planner/solvers/problem/solve.h"

namespace metadist {

// The smallest usage limit for which a choice exists.
struct MinimumPeakResult {
  // False if ties and forbidden pairs alone leave no choice; nothing else is set then.
  bool feasible = false;
  // A choice without forbidden pairs, and its peak: usage_limit = peak works.
  Choice choice;
  int64_t peak = 0;
  // No choice has a smaller peak; bound <= peak, equal if proven smallest.
  int64_t bound = 0;
};

// Minimises the peak usage; costs and usage_limit of the problem play no part, forbidden pairs do.
// options: seed, limits and interrupt as in Solve. The problem must be valid.
// Errors: kTimeLimit or kInterrupted if nothing was found in time.
Result<MinimumPeakResult> MinimumPeak(const Problem& problem, const SolveOptions& options);

}  // namespace metadist
