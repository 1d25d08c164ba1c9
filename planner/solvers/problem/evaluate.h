// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "planner/solvers/problem/problem.h"

namespace metadist {

// Wide enough for any sum of entries, forbidden ones included.
__extension__ using WideCost = __int128;

// Cost and feasibility of a choice, as Evaluate alone determines them.
struct Evaluation {
  // Sum of all entries taken, forbidden ones at their face value.
  WideCost cost = 0;
  // Forbidden entries taken, broken ties included.
  int64_t forbidden = 0;
  // Largest total usage over all times, and the first time it is reached (nullopt: no row at all).
  int64_t peak = 0;
  std::optional<int64_t> peak_time;
  // First time at which the usage exceeds the limit.
  std::optional<int64_t> first_violated;

  // No forbidden entry, and within the limit if there is one.
  bool feasible() const { return forbidden == 0 && !first_violated; }
};

// choice: one valid index per node.  O(nodes + edges + rows log rows).
Evaluation Evaluate(const Problem& problem, const Choice& choice);

// Decimal text of a wide integer.
std::string WideText(WideCost value);

}  // namespace metadist
