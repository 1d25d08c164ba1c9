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

  // The choices to be fused, not empty; they must outlive the calls of Run.
  void SetParents(std::vector<const Choice*> parents);
  // Whether the parents differ at all.
  bool any() const { return !region_.empty(); }

  // Minimises costs plus factor x penalties over the choices that take every node's strategy from
  // one of the parents (or from `choice`), tables up to `cap` entries: never worsens `choice`,
  // rounding apart. `choice` must equal the parents wherever these agree.
  MoveResult Run(
      const Jagged<double>& penalties, double factor, double cap, Random& random, Choice& choice);

 private:
  const Reduced& reduced_;
  BlockMover& block_;
  std::vector<const Choice*> parents_;
  // Nodes at which they differ.
  std::vector<int> region_;
  Jagged<double> narrowed_;
};

}  // namespace metadist
