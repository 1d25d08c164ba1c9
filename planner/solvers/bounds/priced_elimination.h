// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/solvers/bounds/elimination.h"
#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// The exact optimum, in integers, of a reduced problem whose memory limit is priced.
class PricedElimination {
 public:
  struct Answer {
    // Minimises costs plus prices x usage.
    Choice choice;
    // Proven in integers: a lower bound of the cost of all choices within the limit, including the
    // problem's constant. kInfinite if no choice is allowed at all.
    int64_t bound = 0;
  };

  // `reduced` must outlive the object; the plan fixes no node.
  PricedElimination(const Reduced& reduced, EliminationPlan plan);

  // prices: costs per unit of usage, >= 0, one per kept time.
  Answer Minimize(const std::vector<double>& prices);
  // Table entries touched per call.
  int64_t work() const { return static_cast<int64_t>(plan_.total); }

 private:
  const Reduced& reduced_;
  EliminationPlan plan_;
  // Tables hold costs x 2^shift_.
  int shift_ = 0;
  // Upper limit of the sum of all penalties.
  double most_penalties_ = 0;
  // Scaled costs per edge.
  Jagged<int64_t> edge_costs_;
};

}  // namespace metadist
