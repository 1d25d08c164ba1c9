// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/reduce.h"

#include <gtest/gtest.h>

#include <memory>

#include "planner/solvers/bounds/elimination.h"
#include "planner/solvers/bounds/links.h"
#include "planner/solvers/bounds/memory_profile.h"
#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/reduce/rules.h"
#include "tests/planner/solvers/brute_force.h"
#include "tests/planner/solvers/instances.h"

namespace metadist {
namespace {

// Best cost of the choices of a reduced problem that fit; each is checked with Evaluate.
std::optional<int64_t> TryAllReduced(const Problem& problem, const Reduced& reduced) {
  std::optional<int64_t> best;
  if (reduced.infeasible) return best;
  Choice choice(reduced.count(), 0);
  while (true) {
    const int64_t cost = ReducedCost(reduced, choice);
    if (!IsInfinite(cost) && MemoryProfile(reduced, choice).fits()) {
      const Evaluation judged = Evaluate(problem, reduced.Expand(choice));
      EXPECT_TRUE(judged.feasible());
      EXPECT_EQ(static_cast<int64_t>(judged.cost), cost);
      best = std::min(best.value_or(cost), cost);
    }
    int k = 0;
    while (k < reduced.count()) {
      if (++choice[k] < reduced.size(k)) break;
      choice[k++] = 0;
    }
    if (k == reduced.count()) return best;
  }
}

TEST(Reduce, KeepsTheOptimum) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const Problem problem = RandomProblem(seed, {});
    const Reduced reduced = Reduce(problem, ReduceMode::kFull);
    EXPECT_EQ(TryAllReduced(problem, reduced), TryAll(problem).cost) << "seed " << seed;
  }
}

TEST(Reduce, KeepsTheOptimumWithoutMemory) {
  InstanceShape shape;
  shape.limit = false;
  for (uint64_t seed = 0; seed < 700; ++seed) {
    const Problem problem = RandomProblem(seed, shape);
    const std::optional<int64_t> expected = TryAll(problem).cost;
    const Reduced reduced = Reduce(problem, ReduceMode::kFull);
    EXPECT_EQ(TryAllReduced(problem, reduced), expected) << "seed " << seed;
    if (reduced.infeasible) continue;
    const std::optional<ExactOptimum> exact = MinimizeWithoutMemory(reduced);
    ASSERT_TRUE(exact.has_value());
    EXPECT_EQ(IsInfinite(exact->cost), !expected.has_value());
    if (!expected) continue;
    EXPECT_EQ(exact->cost, *expected) << "seed " << seed;
    EXPECT_EQ(static_cast<int64_t>(Evaluate(problem, reduced.Expand(exact->choice)).cost),
              *expected);
  }
}

TEST(Reduce, KeepAllChoicesLosesNone) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Problem problem = RandomProblem(seed, {.most_nodes = 5, .most_strategies = 3});
    const Reduced reduced = Reduce(problem, ReduceMode::kKeepAllChoices);
    int64_t expected = 0;
    Choice choice(problem.nodes.size(), 0);
    for (size_t k = 0; k < choice.size();) {
      expected += Evaluate(problem, choice).feasible();
      for (k = 0; k < choice.size(); ++k) {
        if (++choice[k] < static_cast<int>(problem.nodes[k].costs.size())) break;
        choice[k] = 0;
      }
    }
    int64_t actual = 0;
    Choice small(reduced.count(), 0);
    for (int k = -1; !reduced.infeasible && k < reduced.count();) {
      actual += !IsInfinite(ReducedCost(reduced, small)) && MemoryProfile(reduced, small).fits();
      for (k = 0; k < reduced.count(); ++k) {
        if (++small[k] < reduced.size(k)) break;
        small[k] = 0;
      }
    }
    EXPECT_EQ(actual, expected) << "seed " << seed;
  }
}

TEST(Reduce, FollowersBecomeOneNode) {
  const Problem layered = LayeredProblem(1, 2, 6, 0);
  Problem problem = layered;
  // A second copy, tied to the first.
  const int count = static_cast<int>(layered.nodes.size());
  for (int i = 0; i < 2 * count; ++i) problem.tied.push_back(i % count);
  problem.nodes.insert(problem.nodes.end(), layered.nodes.begin(), layered.nodes.end());
  for (const ProblemEdge& edge : layered.edges) {
    problem.edges.push_back({edge.a + count, edge.b + count, edge.costs});
  }
  CostGraph graph = MakeCostGraph(WithTiesAsEdges(problem), /*without_memory=*/true);
  EXPECT_EQ(MergeFunctional(graph), count);
  // Ties are merged when the problem is read.
  const CostGraph merged = MakeCostGraph(problem, /*without_memory=*/true);
  EXPECT_EQ(merged.edges.size(), layered.edges.size());
  for (int i = 0; i < 2 * count; ++i) EXPECT_EQ(merged.root[i], i % count);
}

TEST(Reduce, StrategiesWithoutPartnerGoAndTakeOthersAlong) {
  Problem problem;
  for (int i = 0; i < 4; ++i) problem.nodes.push_back({{0, 0, 0}, {}});
  // Strategy 0 of node i requires 0 of node i + 1; node 3 does not have it.
  const auto chain = std::make_shared<const std::vector<int64_t>>(
      std::vector<int64_t>{0, kForbidden, kForbidden, kForbidden, 1, 5, kForbidden, 3, 2});
  for (int i = 0; i < 3; ++i) problem.edges.push_back({i, i + 1, chain});
  problem.nodes[3].costs[0] = kForbidden;
  CostGraph graph = MakeCostGraph(problem, /*without_memory=*/true);
  EXPECT_EQ(EnforceArcConsistency(graph), 4);
  EXPECT_FALSE(graph.infeasible);
  problem.nodes[3].costs = {kForbidden, kForbidden, kForbidden};
  CostGraph none = MakeCostGraph(problem, /*without_memory=*/true);
  EnforceArcConsistency(none);
  EXPECT_TRUE(none.infeasible);
}

TEST(Reduce, StrategiesThatFitNowhereGo) {
  Problem problem;
  // Node 0 uses at least 2, which leaves 4 for node 1.
  problem.nodes = {{{5, 0}, {{0, 5, {2, 6}}}}, {{5, 1, 0}, {{0, 3, {0, 5, 5}}, {3, 9, {0, 3, 4}}}}};
  const auto apart =
      std::make_shared<const std::vector<int64_t>>(std::vector<int64_t>{0, 9, 2, 7, 0, 1});
  problem.edges = {{0, 1, apart}};
  problem.usage_limit = 7;
  EXPECT_EQ(Reduce(problem, ReduceMode::kKeepAllChoices).deletions, 0);
  problem.usage_limit = 6;
  const Reduced full = Reduce(problem, ReduceMode::kFull);
  EXPECT_EQ(TryAllReduced(problem, full), TryAll(problem).cost);
  EXPECT_EQ(MakeCostGraph(problem, /*without_memory=*/false).nodes[1].costs.size(), 3u);
  CostGraph graph = MakeCostGraph(problem, /*without_memory=*/false);
  EXPECT_EQ(DropOversized(graph), 2);
  // Nothing is deleted if choices above the limit count as well.
  EXPECT_EQ(Reduce(problem, ReduceMode::kSoftLimit).deletions, 0);
}

TEST(Reduce, WideProblemIsSolvedByConditioningOnly) {
  std::vector<int> sizes(12, 8);
  std::vector<std::pair<int, int>> edges;
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < i; ++j) edges.emplace_back(i, j);
  }
  EXPECT_FALSE(PlanElimination(sizes, edges, EliminationRule::kMinFill, 1e6).has_value());
  Random random(1);
  const EliminationPlan plan = PlanConditioned(sizes, edges, 1e4, random);
  EXPECT_EQ(plan.steps.size(), sizes.size());
  EXPECT_LE(plan.largest, 1e4);
}

}  // namespace
}  // namespace metadist
