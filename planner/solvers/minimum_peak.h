// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "planner/solvers/problem/solve.h"

namespace metadist {

// The smallest usage limit for which a choice exists.
struct MinimumPeakResult {
  // False if ties and forbidden pairs alone rule out every choice; nothing else is set then.
  bool feasible = false;
  // A choice without forbidden pairs, and its peak: the problem is feasible with usage_limit =
  // peak.
  Choice choice;
  int64_t peak = 0;
  // Every choice has at least this peak; bound <= peak, equal if proven smallest.
  int64_t bound = 0;
};

// Minimises the peak usage. Costs and usage_limit of the problem are ignored, forbidden pairs are
// not. options: seed, limits and interrupt as in Solve. The problem must be valid. Errors:
// kTimeLimit or kInterrupted if no choice was found in time.
Result<MinimumPeakResult> MinimumPeak(const Problem& problem, const SolveOptions& options);

}  // namespace metadist
