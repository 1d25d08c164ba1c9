// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "planner/solvers/outcome.h"
#include "planner/solvers/search.h"

namespace metadist {

// Branch and bound on the problem that a search leaves: decides when to try it, below which cost
// and for how long.
class Branching {
 public:
  // outcome: must outlive the object.
  explicit Branching(Outcome& outcome) : out_(outcome) {}

  // Tries once, if the last try was long enough ago and the remaining problem is small enough. True
  // if the problem is solved or the budget is spent.
  bool Try(Search& search);
  // Tries the whole remaining problem, whatever its size, within `work` units. True as above.
  bool TryWhole(Search& search, int64_t work);

 private:
  // Tries the problem reduced to choices of at most `most`. If there is one, it finds the optimum;
  // if there is none, the bound rises above `most`. True as above.
  bool TryBelow(Search& search, int64_t most, int64_t work);
  // Records that no choice is better than `wanted` or, if a gap was requested, none by more than
  // the gap.
  void SettleNothingBelow(int64_t wanted, double gap);

  Outcome& out_;
  // Total work at the end of the last try.
  int64_t ended_at_ = 0;
  // The next guess exceeds the bound by this fraction of it.
  double guess_ = 0.0025;
};

}  // namespace metadist
