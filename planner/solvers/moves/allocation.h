// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/bounds/memory_profile.h"
#include "planner/solvers/moves/block.h"
#include "planner/solvers/moves/move_result.h"
#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Moves that reallocate memory, on one reduced problem with a limit.
class AllocationMover {
 public:
  // All must outlive the object. tables: used only for its edge entries in doubles.
  AllocationMover(const Reduced& reduced, const Dual& tables, BlockMover& block);

  // Takes memory from some nodes of `region`, gives the freed memory to others, and minimises the
  // cost over the region with every node within its share; tables have at most `cap` entries. The
  // choice must fit and still does afterwards; its cost may rise.
  MoveResult Run(const std::vector<int>& region, double cap, Random& random, Choice& choice);

 private:
  void TakeAway(const std::vector<int>& region, Random& random, const Choice& choice);
  void HandOut(const std::vector<int>& region, Random& random);
  // Raises the node's share to the usage of the strategy if that fits.
  bool Raise(int node, int strategy);
  bool Allowed(int node, int strategy) const;
  // Chooses a strategy within its share for every node whose own one exceeds it.
  void Settle(const std::vector<int>& region, Choice& choice);

  const Reduced& reduced_;
  const Dual& tables_;
  BlockMover& block_;
  std::optional<MemoryProfile> shares_total_;
  // Bytes per node and row.
  std::vector<std::vector<int64_t>> shares_;
  Jagged<double> penalties_;
  int64_t work_ = 0;
};

}  // namespace metadist
