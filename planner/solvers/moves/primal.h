// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/moves/conditional.h"
#include "planner/solvers/moves/relief.h"
#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Every node at its least usage x time, then least cost. O(strategies x rows).
Choice LeastMemoryChoice(const Reduced& reduced);

// Moves of one node at a time on a reduced problem.
class Primal {
 public:
  // Both must outlive the object. tables: edge entries in doubles only.
  Primal(const Reduced& reduced, const Dual& tables);
  // The same with tables of its own.
  explicit Primal(const Reduced& reduced);

  // While over the limit, at the worst time, moves with the least cost increase per byte freed
  // until it fits there. False if still over it after max_steps moves, or nothing frees memory.
  bool Repair(Choice& choice, int max_steps);
  // The same with a limit of the caller's; the reduced problem's plays no part.
  bool RepairTo(Choice& choice, int64_t limit, int max_steps);
  // Best-improvement moves in random order that keep the limit, until none improves.
  // The choice must fit.
  void Polish(Choice& choice, Random& random);

  const std::vector<std::vector<Link>>& links() const { return tables_.links(); }
  // Table entries touched so far.
  int64_t work() const { return work_ + conditional_.work() + relief_.work(); }

 private:
  Primal(const Reduced& reduced, std::unique_ptr<const Dual> tables);

  // Sets rows_ and resolution_.
  void Measure();
  // Moves until the usage at `time` is at most the limit. Returns the number of moves.
  int Relieve(int time, int64_t limit, int max_steps, class MemoryProfile& profile);
  // The cheapest move of a node that fits, if that improves. `blocked`: a better one did not fit.
  bool PolishNode(int node, class MemoryProfile& profile, bool& blocked);

  const std::unique_ptr<const Dual> own_tables_;
  const Reduced& reduced_;
  const Dual& tables_;
  Conditional conditional_;
  Relief relief_;
  // Costs closer than this are equal: the rounding of doubles.
  double resolution_ = 0.5;
  int64_t rows_ = 0;
  int64_t work_ = 0;
  std::vector<int> better_;
};

}  // namespace metadist
