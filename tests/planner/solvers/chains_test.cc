// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/chains.h"

#include <gtest/gtest.h>

#include <memory>

#include "planner/solvers/bounds/elimination.h"
#include "planner/solvers/bounds/memory_profile.h"
#include "planner/solvers/bounds/priced_elimination.h"
#include "planner/solvers/problem/random_numbers.h"
#include "tests/planner/solvers/instances.h"

namespace metadist {
namespace {

// On a tree the messages are exact, so the chains agree on the best choice.
TEST(Chains, UsageIsThatOfTheMinimiserOnTrees) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Problem problem = TreeProblem(seed, 20, 4, 1.2);
    const Reduced reduced = Reduce(problem, ReduceMode::kKeepAllChoices);
    ASSERT_TRUE(reduced.limit.has_value()) << seed;
    Random random(seed);
    std::vector<double> prices(reduced.base.size());
    const double unit = 100.0 / static_cast<double>(*reduced.limit);
    for (double& price : prices) price = unit * random.Unit();
    Dual dual(reduced);
    dual.SetPrices(prices);
    for (int k = 0; k < 40; ++k) dual.Sweep();
    PricedElimination exact(reduced, *BestElimination(reduced));
    const PricedElimination::Answer answer = exact.Minimize(prices);
    ASSERT_NEAR(static_cast<double>(dual.SafeBound()), static_cast<double>(answer.bound), 1)
        << seed;
    EXPECT_EQ(ChainUsage(reduced, dual), UsageOf(reduced, answer.choice)) << seed;
  }
}

// Three nodes with two strategies each form a ring, and equal neighbours cost 1: the chain over the
// second node and the direct edge give the third node half of each strategy.
TEST(Chains, TakeStrategiesInPartWhereTheyDisagree) {
  Problem problem;
  const auto alike = std::make_shared<const std::vector<int64_t>>(std::vector<int64_t>{1, 0, 0, 1});
  for (int i = 0; i < 3; ++i) problem.nodes.push_back({{0, 0}, {{0, 1, {0, 10}}}});
  problem.edges = {{0, 1, alike}, {0, 2, alike}, {1, 2, alike}};
  problem.usage_limit = 20;
  const Reduced reduced = Reduce(problem, ReduceMode::kKeepAllChoices);
  ASSERT_EQ(reduced.count(), 3);
  Dual dual(reduced);
  EXPECT_EQ(dual.Sweep(), 0);
  EXPECT_EQ(ChainUsage(reduced, dual), (std::vector<int64_t>{0 + 10 + 5}));
}

}  // namespace
}  // namespace metadist
