// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/solvers/moves/block.h"
#include "planner/solvers/moves/move_result.h"
#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Fusion moves on one reduced problem.
class FusionMover {
 public:
  // Both must outlive the object.
  FusionMover(const Reduced& reduced, BlockMover& block);

  // The choices to combine, not empty; they must outlive the calls of Run.
  void SetParents(std::vector<const Choice*> parents);
  // True if the parents differ.
  bool any() const { return !region_.empty(); }

  // Minimises costs plus factor x penalties over the choices that take every node's strategy from
  // one of the parents (or from `choice`), with tables of at most `cap` entries. Never raises that
  // sum for `choice`, apart from rounding. `choice` must equal the parents wherever they agree.
  MoveResult Run(
      const Jagged<double>& penalties, double factor, double cap, Random& random, Choice& choice);

 private:
  const Reduced& reduced_;
  BlockMover& block_;
  std::vector<const Choice*> parents_;
  // Nodes at which the parents differ.
  std::vector<int> region_;
  Jagged<double> narrowed_;
};

}  // namespace metadist
