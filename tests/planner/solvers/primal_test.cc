// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/primal.h"

#include <gtest/gtest.h>

#include "planner/solvers/bounds/memory_profile.h"
#include "tests/planner/solvers/moves.h"

namespace metadist {
namespace {

TEST(Primal, RepairFitsWhenItSaysSo) {
  int repaired = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Reduced reduced = ReducedForMoves(seed);
    if (reduced.count() == 0 || !reduced.limit) continue;
    const Dual tables(reduced);
    Primal primal(reduced, tables);
    Random random(seed);
    for (int k = 0; k < 4; ++k) {
      Choice choice = RandomChoice(reduced, random);
      const bool fitted = PeakOf(reduced, choice) <= *reduced.limit;
      const Choice before = choice;
      const bool fits = primal.Repair(choice, 100);
      EXPECT_EQ(fits, PeakOf(reduced, choice) <= *reduced.limit) << seed;
      EXPECT_TRUE(!fitted || choice == before) << seed;
      repaired += fits && !fitted;
    }
  }
  EXPECT_GT(repaired, 50);
}

TEST(Primal, RepairTakesTheLeastCostPerByteFreed) {
  // Together both nodes exceed the limit; the first frees 8 for 4, the second 10 for 6, of which 2
  // are not needed.
  Reduced reduced;
  reduced.costs = {{0, 4}, {0, 6}};
  reduced.rows = {{{0, 1, {8, 0}}}, {{0, 1, {10, 0}}}};
  reduced.limit = 10;
  reduced.base = {0};
  const Dual tables(reduced);
  Primal primal(reduced, tables);
  Choice choice{0, 0};
  EXPECT_TRUE(primal.Repair(choice, 10));
  EXPECT_EQ(choice, (Choice{1, 0}));
  // No moves are allowed.
  choice = {0, 0};
  EXPECT_FALSE(primal.Repair(choice, 0));
}

int64_t WorkOfRepair(int times) {
  const Reduced reduced = OneNodePerTime(times);
  const Dual tables(reduced);
  Primal primal(reduced, tables);
  Choice choice(times, 0);
  EXPECT_TRUE(primal.Repair(choice, times));
  EXPECT_EQ(choice, Choice(times, 1));
  return primal.work();
}

TEST(Primal, RepairOfTwiceAsManyTimesTakesTwiceTheWork) {
  EXPECT_LE(WorkOfRepair(4000), 2.1 * WorkOfRepair(2000));
}

TEST(Primal, PolishKeepsTheLimitAndEndsInALocalOptimum) {
  int improved = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Reduced reduced = ReducedForMoves(seed);
    if (reduced.count() == 0 || !reduced.limit) continue;
    const Dual tables(reduced);
    Primal primal(reduced, tables);
    Random random(seed);
    for (int k = 0; k < 4; ++k) {
      Choice choice = RandomChoice(reduced, random);
      if (!primal.Repair(choice, 100)) continue;
      const int64_t before = ReducedCost(reduced, choice);
      primal.Polish(choice, random);
      const int64_t cost = ReducedCost(reduced, choice);
      EXPECT_LE(cost, before) << seed;
      EXPECT_LE(PeakOf(reduced, choice), *reduced.limit) << seed;
      improved += cost < before;
      for (int i = 0; i < reduced.count(); ++i) {
        for (int p = 0; p < reduced.size(i); ++p) {
          Choice other = choice;
          other[i] = p;
          if (PeakOf(reduced, other) > *reduced.limit) continue;
          EXPECT_GE(ReducedCost(reduced, other), cost) << seed;
        }
      }
    }
  }
  EXPECT_GT(improved, 50);
}

// The usage at every time: what makes that time the peak.
std::vector<int64_t> UsageIn(MemoryProfile& profile, int64_t times) {
  constexpr int64_t kMost = 1'000'000;
  std::vector<int64_t> out;
  for (int64_t t = 0; t < times; ++t) {
    profile.AddRange(t, t + 1, kMost);
    out.push_back(profile.peak() - kMost);
    profile.AddRange(t, t + 1, -kMost);
  }
  return out;
}

TEST(MemoryProfile, FollowsMovesAndRanges) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Reduced reduced = ReducedForMoves(seed);
    if (reduced.base.empty()) continue;
    Random random(seed);
    Choice choice = RandomChoice(reduced, random);
    MemoryProfile profile(reduced, choice);
    const auto times = static_cast<int64_t>(reduced.base.size());
    std::vector<int64_t> more(times, 0);
    for (int k = 0; k < 20; ++k) {
      const int node = random.Below(reduced.count());
      const int to = random.Below(reduced.size(node));
      profile.Move(node, choice[node], to);
      choice[node] = to;
      const int64_t lo = random.Below(times + 1);
      const int64_t hi = random.Below(times + 1);
      const int64_t change = random.Below(50) - 20;
      profile.AddRange(lo, hi, change);
      for (int64_t t = lo; t < hi; ++t) more[t] += change;
      std::vector<int64_t> usage = UsageOf(reduced, choice);
      for (int64_t t = 0; t < times; ++t) usage[t] += more[t];
      EXPECT_EQ(UsageIn(profile, times), usage) << seed;
      const auto worst = std::max_element(usage.begin(), usage.end());
      EXPECT_EQ(profile.peak(), *worst) << seed;
      EXPECT_EQ(profile.peak_time(), worst - usage.begin()) << seed;
    }
  }
}

}  // namespace
}  // namespace metadist
