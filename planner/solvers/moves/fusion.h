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

  // Minimises costs plus penalties over the choices that take every node's strategy from `choice`
  // or from `other`, with tables of at most `cap` entries. Never raises that sum for `choice`,
  // apart from rounding.
  MoveResult Run(const Jagged<double>& penalties,
                 const Choice& other,
                 double cap,
                 Random& random,
                 Choice& choice);

 private:
  const Reduced& reduced_;
  BlockMover& block_;
  // Nodes at which the choices differ.
  std::vector<int> region_;
  Jagged<double> narrowed_;
};

}  // namespace metadist
