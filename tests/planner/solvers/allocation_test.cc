// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/allocation.h"

#include <gtest/gtest.h>

#include "planner/solvers/moves/primal.h"
#include "tests/planner/solvers/moves.h"

namespace metadist {
namespace {

TEST(AllocationMover, WhatFitsFitsAfterwards) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Reduced reduced = ReducedForMoves(seed);
    if (reduced.count() == 0 || !reduced.limit) continue;
    const Dual tables(reduced);
    Primal primal(reduced, tables);
    BlockMover block(reduced, tables);
    AllocationMover mover(reduced, tables, block);
    Random random(seed);
    Choice choice = RandomChoice(reduced, random);
    if (!primal.Repair(choice, 100)) continue;
    for (int k = 0; k < 10; ++k) {
      const Choice before = choice;
      const std::vector<int> region = RandomRegion(tables.links(), 1 + random.Below(6), random);
      mover.Run(region, 64, random, choice);
      EXPECT_LE(PeakOf(reduced, choice), *reduced.limit) << seed;
      changed += choice != before;
    }
  }
  EXPECT_GT(changed, 100);
}

TEST(AllocationMover, FindsWhatNoPriceExpresses) {
  // A knapsack of capacity 10: the densest tensor (6 for 9) leaves no room for another, the two of
  // size 5 are worth 7 each. At any price at which one of size 5 is taken, so is the one of size 6.
  Reduced reduced;
  reduced.costs = {{9, 0}, {7, 0}, {7, 0}};
  reduced.rows = {{{0, 1, {0, 6}}}, {{0, 1, {0, 5}}}, {{0, 1, {0, 5}}}};
  reduced.limit = 10;
  reduced.base = {0};
  const Dual tables(reduced);
  BlockMover block(reduced, tables);
  AllocationMover mover(reduced, tables, block);
  Random random(1);
  const std::vector<int> all{0, 1, 2};
  int found = 0;
  for (int k = 0; k < 40; ++k) {
    Choice choice{1, 0, 0};
    mover.Run(all, 64, random, choice);
    found += choice == Choice{0, 1, 1};
  }
  EXPECT_GT(found, 3);
}

}  // namespace
}  // namespace metadist
