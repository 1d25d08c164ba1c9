// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/moves/conditional.h"
#include "planner/solvers/moves/relief.h"
#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Chooses for every node the strategy of least usage x time, then of least cost. O(strategies x
// rows).
Choice LeastMemoryChoice(const Reduced& reduced);

// Moves of one node at a time on a reduced problem.
class Primal {
 public:
  // Both must outlive the object. tables: used only for its edge entries in doubles.
  Primal(const Reduced& reduced, const Dual& tables);

  // While the choice exceeds the limit: takes the worst time and makes the moves with the least
  // cost increase per byte freed until the choice fits there. False if it still exceeds the limit
  // after max_steps moves, or if nothing frees memory.
  bool Repair(Choice& choice, int max_steps);
  // Best-improvement moves in random order that stay within the limit, until no move improves. The
  // choice must fit.
  void Polish(Choice& choice, Random& random);

  const Jagged<Link>& links() const { return tables_.links(); }
  // Table entries touched so far.
  int64_t work() const { return work_ + conditional_.work() + relief_.work(); }

 private:
  // Moves until the usage at `time` is at most the limit. Returns the number of moves.
  int Relieve(int time, int max_steps, class MemoryProfile& profile);
  // Makes the cheapest improving move of a node that fits, if there is one. `blocked`: a better one
  // did not fit.
  bool PolishNode(int node, class MemoryProfile& profile, bool& blocked);

  const Reduced& reduced_;
  const Dual& tables_;
  Conditional conditional_;
  Relief relief_;
  // Costs that differ by less count as equal, because of the rounding of doubles.
  double resolution_ = 0.5;
  int64_t rows_ = 0;
  int64_t work_ = 0;
  std::vector<int> better_;
};

}  // namespace metadist
