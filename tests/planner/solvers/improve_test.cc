// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/improve.h"

#include <gtest/gtest.h>

#include "planner/solvers/bounds/memory_profile.h"
#include "tests/planner/solvers/brute_force.h"
#include "tests/planner/solvers/moves.h"

namespace metadist {
namespace {

// An improver on a problem, guided by the prices after `prices` random rounds.
struct Setting {
  explicit Setting(Reduced problem, uint64_t seed)
      : reduced(std::move(problem)),
        tables(reduced),
        budget(options),
        improver(reduced, tables, seed, budget) {
    Random random(seed);
    for (size_t t = 0; t < reduced.base.size(); ++t) guide.prices.push_back(random.Unit());
    guide.bound = 0;
    guide.start = RandomChoice(reduced, random);
  }
  SolveOptions options;
  Reduced reduced;
  Dual tables;
  Budget budget;
  Improver improver;
  Guide guide;
};

TEST(Improver, ReachesTheOptimumOfSmallProblems) {
  int reached = 0;
  int tried = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const std::optional<int64_t> optimum = TryAll(RandomProblem(seed, kForMoves)).cost;
    Reduced reduced = ReducedForMoves(seed);
    if (!optimum || reduced.count() == 0 || !reduced.limit) continue;
    Setting setting(std::move(reduced), seed);
    setting.improver.Start();
    setting.improver.Improve(60, setting.guide);
    ++tried;
    if (!setting.improver.found()) continue;
    EXPECT_GE(setting.improver.cost(), *optimum) << seed;
    EXPECT_EQ(ReducedCost(setting.reduced, setting.improver.incumbent()), setting.improver.cost());
    EXPECT_LE(PeakOf(setting.reduced, setting.improver.incumbent()), *setting.reduced.limit);
    reached += setting.improver.cost() == *optimum;
  }
  EXPECT_GT(tried, 30);
  EXPECT_GE(reached, tried - 1);
}

TEST(Improver, RepairsAsManyTimesAsThereAre) {
  constexpr int kTimes = 2000;
  Setting setting(OneNodePerTime(kTimes), /*seed=*/0);
  Choice choice(kTimes, 0);
  EXPECT_TRUE(setting.improver.Finish(choice));
  EXPECT_EQ(setting.improver.cost(), 4 * kTimes);
}

TEST(Improver, ManyShortCallsDoWhatALongOneDoes) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const Reduced reduced = Reduce(LayeredProblem(seed, 6, 6, 1.1), ReduceMode::kFull);
    ASSERT_TRUE(reduced.limit.has_value());
    Setting once(reduced, seed);
    Setting often(reduced, seed);
    once.improver.Start();
    often.improver.Start();
    once.improver.Improve(30, once.guide);
    for (int k = 0; k < 30; ++k) often.improver.Improve(1, often.guide);
    ASSERT_TRUE(once.improver.found());
    EXPECT_EQ(once.improver.incumbent(), often.improver.incumbent());
    EXPECT_EQ(once.budget.work(), often.budget.work());
  }
}

TEST(Improver, MoreRoundsAreNeverWorse) {
  const Reduced reduced = Reduce(LayeredProblem(3, 10, 6, 1.1), ReduceMode::kFull);
  Setting setting(reduced, 1);
  setting.improver.Start();
  int64_t last = kInfinite;
  int fell = 0;
  for (int k = 0; k < 30; ++k) {
    setting.improver.Improve(2, setting.guide);
    if (!setting.improver.found()) continue;
    EXPECT_LE(setting.improver.cost(), last);
    fell += setting.improver.cost() < last;
    last = setting.improver.cost();
  }
  EXPECT_GT(fell, 0);
}

TEST(Improver, TellsOfBetterChoicesWhenItHasThem) {
  const Reduced reduced = Reduce(LayeredProblem(3, 10, 6, 1.1), ReduceMode::kFull);
  Setting setting(reduced, 1);
  int64_t last = kInfinite;
  int told = 0;
  setting.improver.OnImprovement([&](const Choice& choice) {
    const int64_t cost = ReducedCost(reduced, choice);
    EXPECT_LT(cost, last);
    EXPECT_LE(PeakOf(reduced, choice), *reduced.limit);
    EXPECT_EQ(cost, setting.improver.cost());
    last = cost;
    ++told;
  });
  setting.improver.Start();
  setting.improver.Improve(30, setting.guide);
  EXPECT_GT(told, 0);
}

}  // namespace
}  // namespace metadist
