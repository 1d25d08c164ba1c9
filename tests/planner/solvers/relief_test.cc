// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/relief.h"

#include <gtest/gtest.h>

#include "planner/solvers/bounds/memory_profile.h"
#include "tests/planner/solvers/moves.h"

namespace metadist {
namespace {

// The least score over all nodes, by examining each.
std::optional<double> LeastScore(const Reduced& reduced,
                                 const Choice& choice,
                                 int time,
                                 int64_t excess) {
  const auto links = MakeLinks(reduced);
  std::optional<double> least;
  for (int i = 0; i < reduced.count(); ++i) {
    const std::vector<int64_t> costs = ConditionalCosts(reduced, links, i, choice);
    for (int q = 0; q < reduced.size(i); ++q) {
      const int64_t freed = UsageAt(reduced, i, choice[i], time) - UsageAt(reduced, i, q, time);
      if (freed <= 0 || IsInfinite(costs[q])) continue;
      const double useful = static_cast<double>(std::min(freed, excess));
      const double increase = static_cast<double>(costs[q]) - static_cast<double>(costs[choice[i]]);
      const double score = increase > 0 ? increase / useful : increase - useful;
      if (!least || score < *least) least = score;
    }
  }
  return least;
}

TEST(Relief, IsTheCheapestAtEveryTimeWhileTheChoiceChanges) {
  int moves = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Reduced reduced = ReducedForMoves(seed);
    if (reduced.count() == 0 || reduced.base.empty()) continue;
    const Dual tables(reduced);
    Conditional conditional(reduced, tables);
    Relief relief(reduced, tables, conditional);
    Random random(seed);
    for (int start = 0; start < 2; ++start) {
      const Choice choice = RandomChoice(reduced, random);
      if (IsInfinite(ReducedCost(reduced, choice))) continue;
      conditional.Reset(choice);
      relief.Begin();
      for (int visit = 0; visit < 6; ++visit) {
        const int time = random.Below(static_cast<int64_t>(reduced.base.size()));
        int64_t excess = 1 + random.Below(40);
        relief.Visit(time);
        for (int step = 0; step < 3 && excess > 0; ++step) {
          const auto least = LeastScore(reduced, conditional.choice(), time, excess);
          const ReliefMove move = relief.Cheapest(excess);
          ASSERT_EQ(move.node >= 0, least.has_value()) << seed;
          if (move.node < 0) break;
          EXPECT_DOUBLE_EQ(move.score, *least) << seed;
          const int from = conditional.choice()[move.node];
          excess -= UsageAt(reduced, move.node, from, time) -
                    UsageAt(reduced, move.node, move.strategy, time);
          conditional.Change(move.node, move.strategy);
          relief.Changed(move.node, excess);
          ++moves;
        }
      }
    }
  }
  EXPECT_GT(moves, 1000);
}

// Weights live at all times and activations live at a few: every time exceeds the limit, and its
// activation is cheaper than a weight.
int64_t WorkPerTime(int times) {
  Reduced reduced;
  for (int64_t t = 0; t < times; ++t) {
    reduced.costs.Add({0, 5 + t % 7});
    reduced.rows.Add({{t, t + 1, {10, 0}}});
    reduced.costs.Add({0, 1000 + t});
    reduced.rows.Add({{0, times, {100'000, 0}}});
  }
  reduced.limit = 1;
  reduced.base.assign(times, 0);
  const Dual tables(reduced);
  Conditional conditional(reduced, tables);
  Relief relief(reduced, tables, conditional);
  relief.Begin();
  for (int t = 0; t < times; ++t) {
    relief.Visit(t);
    const ReliefMove move = relief.Cheapest(10);
    EXPECT_EQ(move.node, 2 * t);
    conditional.Change(move.node, move.strategy);
    relief.Changed(move.node, 0);
  }
  return (relief.work() + conditional.work()) / times;
}

TEST(Relief, LooksAtFewOfManyThatLiveForLong) {
  EXPECT_LE(static_cast<double>(WorkPerTime(4000)), 1.5 * static_cast<double>(WorkPerTime(500)));
}

}  // namespace
}  // namespace metadist
