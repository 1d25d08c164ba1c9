// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "planner/solvers/bounds/marginal.h"
#include "planner/solvers/problem/budget.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

struct FinishResult {
  // Proven to CBC's tolerances. kInfeasible: no choice costs less than `upper` minus the gap.
  using Status = MipResult::Status;
  Status status = Status::kStopped;
  // Feasible, below `upper`; empty if none was found.
  Choice choice;
  // A lower bound of all choices below `upper`, to CBC's tolerances with a margin; -kInfinite if
  // unknown.
  int64_t bound = -kInfinite;
};

// The exact finish: branch and bound by CBC on a reduced problem.
class Finish {
 public:
  // reduced: must outlive the object. prices: per kept time. From the start, the limit is enforced
  // at the times with the highest prices and at `times`.
  Finish(const Reduced& reduced, const std::vector<double>& prices, const std::set<int>& times);

  // Searches for choices that cost less than `upper` (kInfinite: any), for at most `work` units and
  // within the budget. gap: absolute; stops when the gap is this small. Each call restarts CBC,
  // with the rows that earlier calls found necessary.
  FinishResult Run(int64_t upper, double gap, int64_t work, Budget& budget);

  // Kept times at which the limit is enforced.
  const std::set<int>& times() const { return program_.times(); }

 private:
  // True if the choice fits; otherwise adds its violated peaks to the program.
  bool AddViolated(const Choice& choice);

  const Reduced& reduced_;
  MarginalProgram program_;
};

}  // namespace metadist
