// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/block.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/planner/solvers/moves.h"

namespace metadist {
namespace {

TEST(BlockMover, IsExactOverItsRegionWhereTablesFit) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Reduced reduced = ReducedForMoves(seed);
    if (reduced.count() == 0) continue;
    const Dual tables(reduced);
    BlockMover mover(reduced, tables);
    Random random(seed);
    const auto penalties = RandomPenalties(reduced, random);
    Choice choice = RandomChoice(reduced, random);
    const double before = PricedCost(reduced, penalties, choice);
    const std::vector<int> all = RandomRegion(tables.links(), reduced.count(), random);
    const MoveResult result = mover.Run(penalties, all, 1e9, random, choice);
    EXPECT_DOUBLE_EQ(PricedCost(reduced, penalties, choice), LeastPricedCost(reduced, penalties))
        << seed;
    EXPECT_NEAR(result.gain, before - PricedCost(reduced, penalties, choice), 1e-6) << seed;
  }
}

TEST(BlockMover, NeverWorsensAndKeepsWhatIsOutside) {
  int gains = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Reduced reduced = ReducedForMoves(seed);
    if (reduced.count() == 0) continue;
    const Dual tables(reduced);
    BlockMover mover(reduced, tables);
    Random random(seed);
    const auto penalties = RandomPenalties(reduced, random);
    Choice choice = RandomChoice(reduced, random);
    for (int k = 0; k < 5; ++k) {
      const Choice start = choice;
      const double before = PricedCost(reduced, penalties, choice);
      const std::vector<int> region = RandomRegion(tables.links(), 1 + random.Below(4), random);
      // Tables of eight entries, so most nodes with two edges are fixed.
      const MoveResult result = mover.Run(penalties, region, 8, random, choice);
      EXPECT_LE(PricedCost(reduced, penalties, choice), before) << seed;
      EXPECT_NEAR(result.gain, before - PricedCost(reduced, penalties, choice), 1e-6) << seed;
      gains += result.gain > 0.5;
      const std::set<int> inside(region.begin(), region.end());
      EXPECT_EQ(inside.size(), region.size());
      for (int i = 0; i < reduced.count(); ++i) {
        EXPECT_TRUE(inside.contains(i) || choice[i] == start[i]) << seed;
      }
    }
  }
  EXPECT_GT(gains, 100);
}

TEST(BlockMover, TakesNoStrategyThatIsLeftOut) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Reduced reduced = ReducedForMoves(seed);
    if (reduced.count() == 0) continue;
    const Dual tables(reduced);
    BlockMover mover(reduced, tables);
    Random random(seed);
    auto penalties = RandomPenalties(reduced, random);
    Choice choice = RandomChoice(reduced, random);
    for (int i = 0; i < reduced.count(); ++i) {
      for (int p = 0; p < reduced.size(i); ++p) {
        if (p != choice[i] && random.Below(2) == 0) penalties[i][p] = kLeftOut;
      }
    }
    const std::vector<int> all = RandomRegion(tables.links(), reduced.count(), random);
    mover.Run(penalties, all, 1e9, random, choice);
    EXPECT_DOUBLE_EQ(PricedCost(reduced, penalties, choice), LeastPricedCost(reduced, penalties))
        << seed;
  }
}

}  // namespace
}  // namespace metadist
