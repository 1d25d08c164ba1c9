// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/evaluate.h"

#include <gtest/gtest.h>

#include <memory>

namespace metadist {
namespace {

CostMatrix Share(std::vector<int64_t> costs) {
  return std::make_shared<const std::vector<int64_t>>(std::move(costs));
}

Problem TwoNodes() {
  Problem problem;
  problem.nodes = {{{1, 2}, {{10, 20, {5, 7}}, {15, 15, {100, 100}}}},
                   {{3, 4}, {{19, 30, {4, 1}}}}};
  problem.edges = {{0, 1, Share({10, 20, 30, kForbidden})}, {1, 0, Share({0, 1, 2, 3})}};
  return problem;
}

TEST(Evaluate, AddsNodesAndEdgesOfBothDirections) {
  const Evaluation out = Evaluate(TwoNodes(), {0, 1});
  EXPECT_EQ(WideText(out.cost), "27");
  EXPECT_EQ(out.forbidden, 0);
  EXPECT_EQ(out.peak, 6);
  EXPECT_EQ(out.peak_time, 19);
  EXPECT_TRUE(out.feasible());
}

TEST(Evaluate, CountsForbiddenPairsInWideSums) {
  Problem problem = TwoNodes();
  for (int k = 0; k < 20; ++k) problem.edges.push_back(problem.edges[0]);
  const Evaluation out = Evaluate(problem, {1, 1});
  EXPECT_EQ(out.forbidden, 21);
  EXPECT_EQ(WideText(out.cost), "21000000000000000009");
  EXPECT_FALSE(out.feasible());
}

TEST(Evaluate, NamesTheFirstViolatedTime) {
  Problem problem = TwoNodes();
  problem.usage_limit = 7;
  EXPECT_TRUE(Evaluate(problem, {1, 1}).first_violated.has_value());
  EXPECT_EQ(*Evaluate(problem, {1, 1}).first_violated, 19);
  problem.usage_limit = 8;
  EXPECT_FALSE(Evaluate(problem, {1, 1}).first_violated.has_value());
}

TEST(Evaluate, IntervalsThatTouchDoNotOverlap) {
  Problem problem;
  problem.nodes = {{{0}, {{0, 5, {10}}}}, {{0}, {{5, 9, {10}}}}};
  EXPECT_EQ(Evaluate(problem, {0, 0}).peak, 10);
}

TEST(Evaluate, BrokenTiesAreForbidden) {
  Problem problem = TwoNodes();
  problem.tied = {0, 0};
  EXPECT_EQ(Evaluate(problem, {0, 1}).forbidden, 1);
  EXPECT_EQ(Evaluate(problem, {0, 0}).forbidden, 0);
}

TEST(Evaluate, WritesWideIntegers) {
  EXPECT_EQ(WideText(0), "0");
  EXPECT_EQ(WideText(-170), "-170");
  EXPECT_EQ(WideText(static_cast<WideCost>(kForbidden) * -1000), "-1000000000000000000000");
}

TEST(Validate, ReportsEverythingAtOnce) {
  Problem problem = TwoNodes();
  problem.nodes[0].rows[0].usage = {1};
  problem.nodes[1].rows[0].usage[0] = -1;
  problem.edges[0].b = 0;
  problem.edges[1].costs = Share({1});
  problem.tied = {7, 0};
  const Result<void> result = Validate(problem);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(result.error().text(),
            "node 0: memory row 0: expected 2 usages, got 1\n"
            "node 1: memory row 0: expected usages >= 0, got -1\n"
            "edge 0: expected two different nodes below 2, got 0 and 0\n"
            "edge 1: expected 4 costs, got 1\n"
            "node 0: tied to node 7, which is absent");
}

TEST(Validate, RefusesSumsThatCouldOverflow) {
  Problem problem;
  for (int i = 0; i < 7; ++i) problem.nodes.push_back({{kForbiddenFrom - 1, kForbidden}, {}});
  ASSERT_FALSE(Validate(problem).ok());
  problem.nodes.resize(5);
  EXPECT_TRUE(Validate(problem).ok());
}

}  // namespace
}  // namespace metadist
