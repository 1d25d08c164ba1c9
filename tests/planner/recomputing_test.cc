// SPDX-License-Identifier: Apache-2.0
#include "planner/recomputing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "metair/passes/passes.h"
#include "metair/training/recompute.h"
#include "planner/plan/plan_io.h"
#include "planner/planner.h"
#include "planner/space/edge_costs.h"
#include "planner/space/templates.h"
#include "tests/planner/gpt_model.h"
#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

const OpTable& Ops() { return OpTable::BuiltIn(); }

constexpr int kLayers = 4;
constexpr double kGap = 0.03;

class Recomputing : public testing::Test {
 protected:
  void SetUp() override {
    const GptSize size{.layers = kLayers,
                       .batch = 8,
                       .sequence = 128,
                       .width = 64,
                       .heads = 4,
                       .head = 16,
                       .vocabulary = 128};
    step_ = RunPasses(GptTrainingStep(size).graph, PassOptions{}, Ops()).value().graph;
    request_.graph = &step_;
    request_.ops = &Ops();
    request_.rules = &rules_;
    request_.mesh = Mesh{{{"a", 2}}};
    request_.cluster = TestCluster(2);
    request_.alternatives = false;
    request_.gap = kGap;
  }

  Result<RecomputingPlan> PlanWithin(int64_t bytes) {
    request_.memory_limit_bytes = bytes;
    return PlanRecomputing(request_);
  }

  // The least budget that works with so many blocks.
  int64_t Least(int64_t blocks) {
    const Graph step = Recomputed(step_, blocks);
    PlanRequest request = request_;
    request.graph = &step;
    request.memory_limit_bytes = 1;
    LeastMemory least;
    request.least = &least;
    EXPECT_FALSE(MakePlan(request).ok());
    return least.bytes;
  }

  Graph step_;
  RuleBook rules_{Ops()};
  PlanRequest request_;
};

TEST_F(Recomputing, NothingRunsAgainWithoutNeed) {
  const auto plan = PlanWithin(int64_t{1} << 40);
  ASSERT_TRUE(plan.ok()) << plan.error().text();
  EXPECT_EQ(plan.value().blocks, 0);
  EXPECT_TRUE(plan.value().planned.plan.alternatives.empty());
  EXPECT_TRUE(std::ranges::none_of(plan.value().planned.plan.graph.nodes, RunsAgain));
}

// Less memory never gives a faster plan, and asks for more blocks.
TEST_F(Recomputing, AsManyBlocksAsTheLimitAsksFor) {
  const int64_t most = Least(0), least = Least(kLayers);
  ASSERT_LT(least, most);
  int64_t last = 0;
  double cost = 0;
  for (const int part : {4, 2, 0}) {
    const int64_t limit = least + (most - least) * part / 4;
    const auto found = PlanWithin(limit);
    ASSERT_TRUE(found.ok()) << part << ": " << found.error().text();
    const Plan& plan = found.value().planned.plan;
    EXPECT_LE(plan.peak_bytes(), limit);
    EXPECT_GE(static_cast<double>(plan.solver.cost), (1 - kGap) * cost) << part;
    EXPECT_GE(found.value().blocks, last) << part;
    EXPECT_EQ(std::ranges::count(plan.graph.nodes, true, RunsAgain) > 0, found.value().blocks > 0);
    cost = static_cast<double>(plan.solver.cost);
    last = found.value().blocks;
  }
  EXPECT_GE(last, kLayers - 1);  // the last layer's activations are read at once
}

TEST_F(Recomputing, WhatWasTriedIsShown) {
  request_.alternatives = true;
  const auto found = PlanWithin((Least(0) + Least(kLayers)) / 2);
  ASSERT_TRUE(found.ok()) << found.error().text();
  ASSERT_GT(found.value().blocks, 0);
  const auto& rows = found.value().planned.plan.alternatives;
  const auto none = std::ranges::find(rows, "no recomputation", &Alternative::name);
  ASSERT_NE(none, rows.end());
  EXPECT_EQ(none->note, "no plan fits");
  EXPECT_FALSE(none->feasible);
  for (const Alternative& row : rows)
    if (row.name.starts_with("recompute ") && row.note.empty()) {
      EXPECT_LE(row.peak_bytes, *request_.memory_limit_bytes);
      EXPECT_GE(row.step_seconds, found.value().planned.plan.prediction.step.seconds);
    }
}

// A template needs another number of blocks than the solver's plan, and none is faster with its
// own.
TEST_F(Recomputing, TemplatesHaveBlocksOfTheirOwn) {
  request_.alternatives = true;
  request_.overlap = true;
  const auto found = PlanWithin((Least(0) + Least(kLayers)) / 2);
  ASSERT_TRUE(found.ok()) << found.error().text();
  const Plan& plan = found.value().planned.plan;
  int templates = 0;
  for (const Alternative& row : plan.alternatives) {
    if (row.name.find(", recompute ") == row.name.npos) continue;
    ++templates;
    EXPECT_LE(row.peak_bytes, *request_.memory_limit_bytes) << row.name;
    EXPECT_GE(row.step_seconds, plan.prediction.step.seconds) << row.name;
  }
  EXPECT_GT(templates, 0);
}

// Costs of edges that other steps, meshes and templates left behind.
TEST_F(Recomputing, SharedEdgeCostsChangeNothing) {
  EdgeCostsOfMeshes shared;
  request_.cluster = TestCluster(4);
  request_.mesh.reset();
  for (const PlanTemplate& one : {PlanTemplate{}, ParseTemplate("zero3").value(), PlanTemplate{}}) {
    request_.plan_template = one;
    for (const int64_t blocks : {0, 2}) {
      const Graph step = Recomputed(step_, blocks);
      PlanRequest request = request_;
      request.graph = &step;
      const std::string alone = WritePlan(MakePlan(request).value().plan).value();
      request.edge_costs = &shared;
      EXPECT_EQ(WritePlan(MakePlan(request).value().plan).value(), alone) << blocks;
    }
  }
}

TEST_F(Recomputing, IfNothingFitsTheLeastBudgetIsNamed) {
  LeastMemory least;
  request_.least = &least;
  const auto none = PlanWithin(1000);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kInfeasible);
  EXPECT_EQ(least.bytes, Least(kLayers));
  const auto some = PlanWithin(least.bytes);
  ASSERT_TRUE(some.ok()) << some.error().text();
  EXPECT_GE(some.value().blocks, kLayers - 1);
}

TEST_F(Recomputing, AnInterruptKeepsTheBestSoFar) {
  std::atomic<bool> interrupted = false;
  request_.interrupted = &interrupted;
  request_.progress = [&](const PlanProgress& p) {
    if (p.detail.find("recompute") != p.detail.npos && p.phase == "lower") interrupted = true;
  };
  const auto found = PlanWithin((Least(0) + Least(kLayers)) / 2);
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found.value().blocks, kLayers);  // all blocks are tried first
}

// In the last search, which begins anew, no plan is found at once that is as cheap as one that was
// tried; before it, templates were.
TEST_F(Recomputing, AnInterruptedPlanIsTheCheapestThatWasTried) {
  request_.alternatives = true;
  request_.overlap = true;  // a template is the fastest then
  const int64_t limit = (Least(0) + Least(kLayers)) / 2;
  int events = 0, last = 0;
  request_.progress = [&](const PlanProgress& p) {
    ++events;
    if (p.phase == "formulate") last = events;
  };
  ASSERT_TRUE(PlanWithin(limit).ok());
  for (const int stop : {last - 2, last + 1, last + 5}) {
    SCOPED_TRACE(stop);
    std::atomic<bool> interrupted = false;
    request_.interrupted = &interrupted;
    events = 0;
    request_.progress = [&](const PlanProgress&) { interrupted = ++events >= stop; };
    const auto found = PlanWithin(limit);
    if (!found.ok()) continue;
    const Plan& plan = found.value().planned.plan;
    EXPECT_LE(plan.solver.bound, plan.solver.cost);
    for (const Alternative& row : plan.alternatives) {
      if (row.name.find("recompute ") == row.name.npos || !row.feasible) continue;
      EXPECT_GE(row.step_seconds, plan.prediction.step.seconds) << row.name;
    }
    EXPECT_TRUE(found.value().planned.interrupted);
  }
}

}  // namespace
}  // namespace metadist
