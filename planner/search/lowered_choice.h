// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/spmd/program.h"
#include "planner/simulate/simulate.h"
#include "planner/solvers/solver.h"
#include "planner/space/assignment.h"
#include "planner/space/redistribution.h"

namespace metadist {

// A choice and its program.
struct LoweredChoice {
  Choice choice;
  int64_t cost = 0;   // according to the problem
  int64_t bound = 0;  // of the problem in which it was found
  SolveStatus status = SolveStatus::kHeuristic;
  std::string stopped_by;
  ReducedSize reduced;                 // of the problem in which it was found
  int64_t deletions = 0;               // in that problem
  bool tied = false;                   // found with repeated layers tied
  std::optional<int64_t> usage_limit;  // of the problem in which it was found
  Graph graph;  // of the request, with nodes that run as their decompositions replaced by these
  Assignment assignment;  // of `graph`
  std::vector<Redistribution> redistributions;
  Program program;
  MemoryUse memory;  // of the lowered program
};

// The result of solving one mesh.
struct Attempt {
  std::optional<LoweredChoice> candidate;  // nullopt: none found, or none below the cutoff
  // Lower bound of all plans on this mesh within the limit; kNothingFits if there are provably
  // none.
  int64_t bound = 0;
  // Why the search stopped early, "" if it did not: a SolveResult's `stopped_by`, or kLowering.
  std::string stopped_by;
};
inline constexpr int64_t kNothingFits = std::numeric_limits<int64_t>::max();

// The program of least peak found on one mesh.
struct LeastPeak {
  LoweredChoice candidate;
  int64_t bound = 0;  // lower bound of the peak of all programs of this space, with layers free
};

}  // namespace metadist
