// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// An edge of a reduced problem seen from one of its ends.
struct Link {
  int edge = 0;
  int other = 0;
  // True at end a.
  bool first = false;
};

// Per node, its edges in the problem's order.
std::vector<std::vector<Link>> MakeLinks(const Reduced& reduced);

// Cost of each strategy of `node` with all others at `choice` (kInfinite if forbidden).
std::vector<int64_t> ConditionalCosts(const Reduced& reduced,
                                      const std::vector<std::vector<Link>>& links,
                                      int node,
                                      const Choice& choice);

// Node and edge costs of a choice plus the constant; kInfinite if a forbidden entry is taken.
int64_t ReducedCost(const Reduced& reduced, const Choice& choice);

}  // namespace metadist
