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
  enum class Status {
    kNothingBelow,  // proven to CBC's tolerances: no choice costs less than `upper` less the gap
    kOptimal,       // proven to CBC's tolerances: `choice` is the best
    kStopped,       // by the budget, or CBC gave up
    kCrashed,       // CBC did
  };
  Status status = Status::kStopped;
  // Feasible, below `upper`; empty if none was found.
  Choice choice;
  // No choice below `upper` costs less, to CBC's tolerances with a margin; -kInfinite if unknown.
  int64_t bound = -kInfinite;
};

// The exact finish: branch and bound by CBC on a reduced problem.
class Finish {
 public:
  // reduced: must outlive the object. prices: per kept time; the limit is held from the start at
  // the dearest times and at `times`.
  Finish(const Reduced& reduced, const std::vector<double>& prices, const std::set<int>& times);

  // Looks for choices that cost less than `upper` (kInfinite: any), at most `work` units and the
  // budget long. gap: absolute, stop when that near. Each call starts CBC anew, with the rows that
  // the calls before found necessary.
  FinishResult Run(int64_t upper, double gap, int64_t work, Budget& budget);

  // Kept times at which the limit is held.
  const std::set<int>& times() const { return times_; }

 private:
  void AddTime(int time);
  // True if the choice fits; otherwise its violated peaks are in the program now.
  bool AddViolated(const Choice& choice);

  const Reduced& reduced_;
  MarginalProgram program_;
  std::set<int> times_;
};

}  // namespace metadist
