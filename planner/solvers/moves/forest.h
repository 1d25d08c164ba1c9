// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/moves/move_result.h"
#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Forest moves on one reduced problem; keeps its buffers between calls.
class ForestMover {
 public:
  // Both must outlive the object. tables: used only for its edge entries in doubles.
  ForestMover(const Reduced& reduced, const Dual& tables);

  // Minimises costs plus penalties exactly over a random maximal induced forest, with all other
  // nodes as in `choice`. Never raises that sum, apart from rounding.
  MoveResult Run(const Jagged<double>& penalties, Random& random, Choice& choice);

 private:
  void GrowForest();
  void RootTrees();
  void GatherSums(const Jagged<double>& penalties, const Choice& choice, MoveResult& result);
  void SendUp(const Choice& choice, MoveResult& result);
  void ChooseDown(Choice& choice, MoveResult& result);

  const Reduced& reduced_;
  const Dual& tables_;
  std::vector<int> order_;
  std::vector<char> inside_;
  std::vector<int> set_;
  std::vector<int> roots_;
  // Forest nodes, parents first, and each one's link to its parent (edge -1 at a root).
  std::vector<int> top_down_;
  std::vector<Link> parent_;
  std::vector<char> placed_;
  std::vector<std::vector<double>> sums_;
  std::vector<double> message_;
};

}  // namespace metadist
