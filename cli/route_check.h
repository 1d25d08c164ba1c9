// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metair/ir/result.h"
#include "planner/redistribute/baselines/algorithms.h"

namespace metadist::cli {

// Up to this many ranks run as threads; more are executed one after the other.
inline constexpr int64_t kMostThreadRanks = 16;

// What executing a route showed.
struct RouteCheck {
  bool threads = false;              // else one rank after the other: no times
  std::vector<int64_t> elements;     // by step: most that a rank's part holds
  int64_t peak_elements = 0;         // of those and both ends
  std::vector<double> step_seconds;  // by step
  double seconds = 0;                // of all steps, median
  std::vector<int64_t> wrong_ranks;  // whose part differs from placing the array directly
  std::string first_difference;      // "rank 3, element [0,5]: expected 7, got 9"

  // Every rank holds the right bits, and no step more elements than planned.
  bool passed(const PlannedRoute& route) const;
};

// Executes the route on integers that tell every element and operand apart, and compares what the
// ranks then hold with the array placed directly, bit by bit. extent: the request's shape (of a
// padded array, the elements). Errors: kUsage for an array too large to be run here.
Result<RouteCheck> RunAndCheck(const PlannedRoute& route, const Shape& extent, const Mesh& mesh);

}  // namespace metadist::cli
