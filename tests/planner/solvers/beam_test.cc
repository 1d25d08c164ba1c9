// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>

#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/solver.h"
#include "tests/planner/solvers/instances.h"

namespace metadist {
namespace {

CostMatrix Share(std::vector<int64_t> costs) {
  return std::make_shared<const std::vector<int64_t>>(std::move(costs));
}

SolveResult Beam(const Problem& problem, const SolveOptions& options = {}) {
  return FindSolver("beam")->solve(problem, options).value();
}

TEST(Beam, IsExactWhereNothingIsCutOff) {
  const Problem problem = TreeProblem(1, 12, 2, 0);
  const SolveResult result = Beam(problem);
  EXPECT_EQ(result.status, SolveStatus::kOptimal);
  EXPECT_EQ(result.cost, FindSolver("ilp")->solve(problem, {}).value().cost);
}

TEST(Beam, TellsItsGapOtherwise) {
  const Problem problem = GridProblem(1, 30, 8, 6, 0);
  const SolveResult result = Beam(problem);
  EXPECT_EQ(result.status, SolveStatus::kGap);
  EXPECT_TRUE(Evaluate(problem, result.choice).feasible());
  const int64_t best = FindSolver("auto")->solve(problem, {}).value().cost;
  EXPECT_LE(result.bound, best);
  EXPECT_LT(best, result.cost);
  EXPECT_LT(static_cast<double>(result.cost), 1.3 * static_cast<double>(result.bound));
}

TEST(Beam, RepairsWhatDoesNotFit) {
  const Problem problem = LayeredProblem(2, 20, 8, 1.1);
  const SolveResult result = Beam(problem);
  EXPECT_EQ(result.status, SolveStatus::kGap);
  EXPECT_LE(result.peak, *problem.usage_limit);
}

// All strategies of node a except the most expensive one require b and c in the same half, which
// the edge (b, c) forbids; no single edge shows this.
TEST(Beam, WidensWhereAllEndDead) {
  constexpr int kSize = 150;
  Problem problem;
  problem.nodes = {{{}, {}}, {{0, 0, 0, 0}, {}}, {{0, 0, 0, 0}, {}}};
  std::vector<int64_t> to_b;
  std::vector<int64_t> to_c;
  for (int p = 0; p < kSize; ++p) {
    problem.nodes[0].costs.push_back(p);
    const bool last = p == kSize - 1;
    for (int q = 0; q < 4; ++q) {
      to_b.push_back(q / 2 == (last ? 0 : p % 2) ? 0 : kForbidden);
      to_c.push_back(q / 2 == (last ? 1 : p % 2) ? 0 : kForbidden);
    }
  }
  std::vector<int64_t> halves;
  for (int q = 0; q < 16; ++q) halves.push_back(q / 8 == q % 4 / 2 ? kForbidden : 0);
  problem.edges = {{0, 1, Share(to_b)}, {0, 2, Share(to_c)}, {1, 2, Share(halves)}};
  const SolveResult result = Beam(problem);
  ASSERT_FALSE(result.choice.empty());
  EXPECT_EQ(result.choice[0], kSize - 1);
}

TEST(Beam, SameProblemSameChoice) {
  const Problem problem = GridProblem(3, 20, 8, 6, 1.2);
  EXPECT_EQ(Beam(problem).choice, Beam(problem, {.seed = 7}).choice);
}

}  // namespace
}  // namespace metadist
