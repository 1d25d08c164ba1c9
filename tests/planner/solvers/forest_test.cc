// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/forest.h"

#include <gtest/gtest.h>

#include "tests/planner/solvers/moves.h"

namespace metadist {
namespace {

TEST(ForestMover, NeverWorsensThePricedCostAndTellsTheGain) {
  int gains = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Reduced reduced = ReducedForMoves(seed);
    if (reduced.count() == 0) continue;
    const Dual tables(reduced);
    ForestMover mover(reduced, tables);
    Random random(seed);
    const auto penalties = RandomPenalties(reduced, random);
    Choice choice = RandomChoice(reduced, random);
    for (int k = 0; k < 5; ++k) {
      const double before = PricedCost(reduced, penalties, choice);
      const MoveResult result = mover.Run(penalties, random, choice);
      const double after = PricedCost(reduced, penalties, choice);
      EXPECT_LE(after, before) << seed;
      EXPECT_NEAR(result.gain, before - after, 1e-6) << seed;
      EXPECT_GT(result.work, 0) << seed;
      gains += after < before;
    }
  }
  EXPECT_GT(gains, 100);
}

TEST(ForestMover, IsExactOnTrees) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Reduced reduced;
    const int count = 1 + random.Below(7);
    for (int i = 0; i < count; ++i) {
      std::vector<int64_t> costs(2 + random.Below(3));
      for (int64_t& cost : costs) cost = random.Below(30);
      reduced.costs.Add(costs);
      reduced.rows.Add({});
      if (i == 0 || random.Below(5) == 0) continue;
      Reduced::Edge edge{random.Below(i), i, {}};
      if (random.Below(2) == 0) std::swap(edge.a, edge.b);
      for (int k = 0; k < reduced.size(edge.a) * reduced.size(edge.b); ++k) {
        edge.costs.push_back(random.Below(60) - 20);
      }
      reduced.edges.push_back(edge);
    }
    const Dual tables(reduced);
    ForestMover mover(reduced, tables);
    const auto penalties = RandomPenalties(reduced, random);
    Choice choice = RandomChoice(reduced, random);
    mover.Run(penalties, random, choice);
    EXPECT_DOUBLE_EQ(PricedCost(reduced, penalties, choice), LeastPricedCost(reduced, penalties))
        << seed;
  }
}

}  // namespace
}  // namespace metadist
