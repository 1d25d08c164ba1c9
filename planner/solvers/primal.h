// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/solvers/links.h"
#include "planner/solvers/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Moves of one node at a time on a reduced problem.
class Primal {
 public:
  // `reduced` must outlive the object.
  explicit Primal(const Reduced& reduced);

  // Every node at its least usage x time, then least cost.
  Choice LeastMemory() const;
  // While over the limit, at the worst time, the move with the least cost increase per byte freed.
  // False if still over it after max_steps, or no move frees memory there.
  bool Repair(Choice& choice, int max_steps);
  // The same with a limit of the caller's; the reduced problem's plays no part.
  bool RepairTo(Choice& choice, int64_t limit, int max_steps);
  // Best-improvement moves in random order that keep the limit, until none improves.
  // The choice must fit.
  void Polish(Choice& choice, Random& random);

  const std::vector<std::vector<Link>>& links() const { return links_; }
  // Table entries touched so far.
  int64_t work() const { return work_; }

 private:
  const Reduced& reduced_;
  std::vector<std::vector<Link>> links_;
  int64_t rows_ = 0;
  int64_t work_ = 0;
};

}  // namespace metadist
