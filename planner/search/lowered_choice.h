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

// A choice, lowered.
struct LoweredChoice {
  Choice choice;
  int64_t cost = 0;   // by the problem
  int64_t bound = 0;  // of the problem it was found in
  SolveStatus status = SolveStatus::kHeuristic;
  std::string stopped_by;
  ReducedSize reduced;                 // of the problem it was found in
  int64_t deletions = 0;               // in that problem
  bool tied = false;                   // found with repeated layers alike
  std::optional<int64_t> usage_limit;  // of the problem it was found in
  Graph graph;  // of the request, nodes that run as their decompositions replaced by these
  Assignment assignment;  // of `graph`
  std::vector<Redistribution> redistributions;
  Program program;
  MemoryUse memory;  // of the lowered program
};

// What came of solving one mesh.
struct Attempt {
  std::optional<LoweredChoice> candidate;  // none found, or none that is wanted
  // No plan on this mesh that fits the limit costs less; kNothingFits if that is proven.
  int64_t bound = 0;
  // What kept it from more, "" if nothing: a SolveResult's `stopped_by`, or kLowering.
  std::string stopped_by;
};
inline constexpr int64_t kNothingFits = std::numeric_limits<int64_t>::max();

// The program of least peak on one mesh that was found.
struct LeastPeak {
  LoweredChoice candidate;
  int64_t bound = 0;  // no program of this space, layers free, has a smaller peak
};

}  // namespace metadist
