// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "planner/solvers/outcome.h"
#include "planner/solvers/search.h"

namespace metadist {

// Branch and bound on what a search leaves: when it is tried, below which cost and how long.
class Branching {
 public:
  // outcome: must outlive the object.
  explicit Branching(Outcome& outcome) : out_(outcome) {}

  // One try, if the last is long enough ago and what is left looks small enough. True if that
  // settles the problem, or the budget is spent.
  bool Try(Search& search);
  // All of what is left, without regard to its size, within `work` units. True as above.
  bool TryWhole(Search& search, int64_t work);

 private:
  // What a choice of at most `most` may take. Such a choice is the best; if there is none, the
  // bound rises above `most`. True as above.
  bool TryBelow(Search& search, int64_t most, int64_t work);
  // Nothing is better than `wanted`, or (if a gap was asked for) nothing by more than the gap.
  void SettleNothingBelow(int64_t wanted, double gap);

  Outcome& out_;
  // The work that had been done when the last try ended.
  int64_t ended_at_ = 0;
  // Share of the bound above it at which a choice is looked for next.
  double guess_ = 0.0025;
};

}  // namespace metadist
