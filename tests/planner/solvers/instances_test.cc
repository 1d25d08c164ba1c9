// SPDX-License-Identifier: Apache-2.0
#include "tests/planner/solvers/instances.h"

#include <gtest/gtest.h>

#include "planner/solvers/problem/evaluate.h"
#include "tests/planner/solvers/brute_force.h"

namespace metadist {
namespace {

TEST(Instances, CoverTheInterestingCases) {
  int infeasible = 0;
  int by_limit = 0;
  int bound_by_limit = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const BruteForce all = TryAll(RandomProblem(seed, {}));
    infeasible += !all.free_cost;
    by_limit += all.free_cost && !all.cost;
    bound_by_limit += all.cost && *all.cost > *all.free_cost;
  }
  EXPECT_GT(infeasible, 20);
  EXPECT_GT(by_limit, 20);
  EXPECT_GT(bound_by_limit, 20);
}

TEST(Instances, BruteForceAgreesWithTheJudge) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Problem problem = RandomProblem(seed, {});
    const BruteForce all = TryAll(problem);
    std::optional<int64_t> least;
    Choice choice(problem.nodes.size(), 0);
    for (size_t k = 0; k < choice.size();) {
      const Evaluation judged = Evaluate(problem, choice);
      const int64_t cost = static_cast<int64_t>(judged.cost);
      if (judged.feasible()) least = std::min(least.value_or(cost), cost);
      for (k = 0; k < choice.size(); ++k) {
        if (++choice[k] < static_cast<int>(problem.nodes[k].costs.size())) break;
        choice[k] = 0;
      }
    }
    EXPECT_EQ(all.cost, least) << "seed " << seed;
  }
}

}  // namespace
}  // namespace metadist
