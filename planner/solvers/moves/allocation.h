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

// Moves that hand the memory out anew, on one reduced problem with a limit.
class AllocationMover {
 public:
  // All must outlive the object. tables: edge entries in doubles only.
  AllocationMover(const Reduced& reduced, const Dual& tables, BlockMover& block);

  // Takes memory from some nodes of `region`, gives what is free there to others, and minimises the
  // cost over the region with every node kept to its share, tables up to `cap` entries. The choice
  // must fit, and does so afterwards; its cost may rise.
  MoveResult Run(const std::vector<int>& region, double cap, Random& random, Choice& choice);

 private:
  void TakeAway(const std::vector<int>& region, Random& random, const Choice& choice);
  void HandOut(const std::vector<int>& region, Random& random);
  // Raises the node's share to what the strategy needs if that fits.
  bool Raise(int node, int strategy);
  bool Allowed(int node, int strategy) const;
  // A strategy within its share for every node that lost its own.
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
