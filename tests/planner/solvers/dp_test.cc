// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "planner/solvers/bounds/priced_elimination.h"
#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/solver.h"
#include "tests/planner/solvers/instances.h"

namespace metadist {
namespace {

SolveResult SolveBy(std::string_view name,
                    const Problem& problem,
                    const SolveOptions& options = {}) {
  return FindSolver(name)->solve(problem, options).value();
}

TEST(Dp, IsExactWithoutALimit) {
  for (const Problem& problem : {LayeredProblem(1, 40, 8, 0), TreeProblem(1, 400, 6, 0)}) {
    const SolveResult result = SolveBy("dp", problem);
    EXPECT_EQ(result.status, SolveStatus::kOptimal);
    EXPECT_EQ(result.cost, SolveBy("ilp", problem).cost);
  }
}

TEST(Dp, IsExactWhereTheLimitDoesNotBind) {
  Problem problem = TreeProblem(2, 400, 6, 0);
  const SolveResult free = SolveBy("dp", problem);
  problem.usage_limit = free.peak;
  const SolveResult result = SolveBy("dp", problem);
  EXPECT_EQ(result.status, SolveStatus::kOptimal);
  EXPECT_EQ(result.cost, free.cost);
}

TEST(Dp, TellsItsGapUnderALimit) {
  const Problem problem = LayeredProblem(3, 6, 8, 1.15);
  const SolveResult exact = SolveBy("ilp", problem);
  ASSERT_EQ(exact.status, SolveStatus::kOptimal);
  const SolveResult result = SolveBy("dp", problem);
  EXPECT_TRUE(Evaluate(problem, result.choice).feasible());
  EXPECT_GE(result.cost, exact.cost);
  EXPECT_LE(result.bound, exact.cost);
  EXPECT_LT(static_cast<double>(result.cost - result.bound),
            0.02 * static_cast<double>(result.cost));
}

TEST(Dp, GraphsTooWideForTablesGetABoundToo) {
  const Problem problem = GridProblem(1, 24, 14, 6, 1.2);
  ASSERT_FALSE(BestElimination(Reduce(problem, ReduceMode::kFull)).has_value());
  // The same however early the run ends.
  for (int64_t work : {100'000, 10'000'000}) {
    const SolveResult result = SolveBy("dp", problem, {.work_limit = work});
    EXPECT_EQ(result.status, SolveStatus::kGap) << work;
    EXPECT_GT(result.bound, 0) << work;
    EXPECT_TRUE(Evaluate(problem, result.choice).feasible()) << work;
  }
}

TEST(Dp, SameSeedSameResult) {
  const Problem problem = TreeProblem(5, 200, 6, 1.2);
  const SolveResult a = SolveBy("dp", problem, {.seed = 4, .work_limit = 5'000'000});
  const SolveResult b = SolveBy("dp", problem, {.seed = 4, .work_limit = 5'000'000});
  EXPECT_EQ(a.choice, b.choice);
  EXPECT_EQ(a.bound, b.bound);
  EXPECT_EQ(a.work, b.work);
}

TEST(PricedElimination, PricesBeyondAllCostsDoNoHarm) {
  const Problem problem = TreeProblem(3, 60, 4, 1.3);
  const int64_t cost = SolveBy("ilp", problem).cost;
  const Reduced reduced = Reduce(problem, ReduceMode::kFull);
  PricedElimination exact(reduced, *BestElimination(reduced));
  int64_t best = exact.Minimize(std::vector<double>(reduced.base.size(), 0)).bound;
  for (double price : {1e-12, 1e-6, 1e-3, 1.0, 1e6, 1e12, 1e18, 1e30}) {
    const int64_t bound = exact.Minimize(std::vector<double>(reduced.base.size(), price)).bound;
    EXPECT_LE(bound, cost) << price;
    best = std::max(best, bound);
  }
  EXPECT_GT(best, cost / 2);
}

}  // namespace
}  // namespace metadist
