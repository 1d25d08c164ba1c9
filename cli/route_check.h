// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metair/ir/result.h"
#include "planner/redistribute/baselines/algorithms.h"

namespace metadist::cli {

// Up to this many ranks run as threads; more are executed sequentially.
inline constexpr int64_t kMostThreadRanks = 16;

// The result of executing a route.
struct RouteCheck {
  bool passed = false;   // every rank holds the right bits, and no step uses more elements than
                         // planned
  bool threads = false;  // otherwise one rank after the other, without times
  std::vector<int64_t> elements;     // by step: elements of the largest part on a rank
  int64_t peak_elements = 0;         // largest of those and of both ends
  std::vector<double> step_seconds;  // by step
  double seconds = 0;                // of all steps, median
  std::vector<int64_t> wrong_ranks;  // ranks whose part differs from that of the array placed
                                     // directly
  std::string first_difference;      // "rank 3, element [0,5]: expected 7, got 9"
};

// Executes the route on integers that identify every element and operand, and compares the ranks'
// parts bit by bit with those of the array placed directly. extent: the request's shape (for a
// padded array, that of its elements). Errors: kUsage for an array too large to run here.
Result<RouteCheck> RunAndCheck(const PlannedRoute& route, const Shape& extent, const Mesh& mesh);

}  // namespace metadist::cli
