// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/fusion.h"

#include <gtest/gtest.h>

#include "tests/planner/solvers/moves.h"

namespace metadist {
namespace {

TEST(FusionMover, FindsTheBestMixtureOfTwoChoices) {
  int better_than_both = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Reduced reduced = ReducedForMoves(seed);
    if (reduced.count() == 0) continue;
    const Dual tables(reduced);
    BlockMover block(reduced, tables);
    FusionMover mover(reduced, block);
    Random random(seed);
    const auto penalties = RandomPenalties(reduced, random);
    const Choice first = RandomChoice(reduced, random);
    const Choice second = RandomChoice(reduced, random);
    Choice choice = second;
    const MoveResult result = mover.Run(penalties, first, 1e9, random, choice);
    const double from_first = PricedCost(reduced, penalties, first);
    const double from_second = PricedCost(reduced, penalties, second);
    const double reached = PricedCost(reduced, penalties, choice);
    EXPECT_NEAR(result.gain, from_second - reached, 1e-6) << seed;
    double least = 1e300;
    for (int mask = 0; mask < 1 << reduced.count(); ++mask) {
      Choice mixed = first;
      for (int i = 0; i < reduced.count(); ++i) {
        if (mask >> i & 1) mixed[i] = second[i];
      }
      least = std::min(least, PricedCost(reduced, penalties, mixed));
    }
    EXPECT_DOUBLE_EQ(reached, least) << seed;
    better_than_both += reached < std::min(from_first, from_second);
  }
  EXPECT_GT(better_than_both, 40);
}

}  // namespace
}  // namespace metadist
