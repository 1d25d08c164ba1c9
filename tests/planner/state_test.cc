// SPDX-License-Identifier: Apache-2.0
// State kept from step to step has one sharding at the start and at the end of a step, whatever is
// decided.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "executor/host/random_data.h"
#include "executor/run/run.h"
#include "metair/ir/text.h"
#include "metair/ir/verify.h"
#include "metair/passes/passes.h"
#include "planner/plan/plan_io.h"
#include "planner/solvers/solver.h"
#include "tests/planner/plan_request_for.h"
#include "tests/planner/same_as_one_device.h"
#include "tests/planner/training_step.h"

namespace metadist {
namespace {

const OpTable& Ops() { return OpTable::BuiltIn(); }

Graph Parsed(const std::string& text) {
  const Graph graph = ParseGraph(text).value();
  PassOptions options;
  options.verify = true;
  return RunPasses(graph, options, Ops()).value().graph;
}

struct Step {
  Graph graph = Parsed(TrainingStepText());
  RuleBook rules{Ops()};
};

Step& TheStep() {
  static Step step;
  return step;
}

// Checks both ends of every pair, in the plan and in its program.
void ExpectOneSharding(const Plan& plan, const std::string& what) {
  const Graph& graph = plan.graph;
  for (const StatePair& pair : graph.state)
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      if (graph.outputs[i] != pair.output) continue;
      EXPECT_EQ(plan.assignment.outputs[i], plan.assignment.values[static_cast<size_t>(pair.input)])
          << what << ": " << graph.value(pair.input).name;
    }
  const auto program = Lower(plan);
  ASSERT_TRUE(program.ok()) << what << ": " << program.error().text();
  const auto again = ParseProgram(ProgramText(program.value()));
  ASSERT_TRUE(again.ok()) << again.error().text();
  for (const Program& one : {program.value(), again.value()}) {
    const Stage& stage = one.stages[0];
    ASSERT_TRUE(Verify(stage.graph).ok()) << Verify(stage.graph).error().text();
    ASSERT_EQ(stage.graph.state.size(), graph.state.size());
    for (const StatePair& pair : stage.graph.state)
      EXPECT_EQ(stage.shardings[static_cast<size_t>(pair.input)],
                stage.shardings[static_cast<size_t>(pair.output)])
          << what << ": " << stage.graph.value(pair.input).name;
  }
}

void PlanAndCheck(const PlanRequest& request, const std::string& what) {
  const auto planned = MakePlan(request);
  ASSERT_TRUE(planned.ok()) << what << ": " << planned.error().text();
  ExpectOneSharding(planned.value().plan, what);
}

TEST(State, PassesKeepEveryPair) {
  const Graph& graph = TheStep().graph;
  ASSERT_EQ(graph.state.size(), 8u);
  EXPECT_EQ(graph.value(graph.state[0].input).name, "w1");
  EXPECT_EQ(graph.value(graph.state[0].output).name, "w1.next");
}

TEST(State, EverySolverGivesBothEndsOneSharding) {
  Step& step = TheStep();
  for (const char* mesh : {"1", "2", "4", "2x2"})
    for (const auto* solver : Solvers()) {
      PlanRequest request = RequestFor(step.graph, step.rules, mesh);
      request.solver = std::string(solver->name);
      request.time_limit_seconds = 20;
      PlanAndCheck(request, request.solver + " on " + mesh);
    }
}

TEST(State, RandomChoicesGiveBothEndsOneSharding) {
  Step& step = TheStep();
  for (const char* mesh : {"2", "4", "2x2"})
    for (uint64_t seed = 0; seed < 10; ++seed) {
      PlanRequest request = RequestFor(step.graph, step.rules, mesh);
      request.solver = "random";
      request.seed = seed;
      const auto planned = MakePlan(request);
      ASSERT_TRUE(planned.ok()) << planned.error().text();
      ExpectOneSharding(planned.value().plan, mesh);
      ExpectSameAsOneDevice(step.graph, Lower(planned.value().plan).value());
    }
}

TEST(State, TemplatesGiveBothEndsOneSharding) {
  Step& step = TheStep();
  for (const char* name : {"replicate", "dp"}) {
    PlanRequest request = RequestFor(step.graph, step.rules, "4");
    request.plan_template = ParseTemplate(name).value();
    const auto planned = MakePlan(request);
    ASSERT_TRUE(planned.ok()) << planned.error().text();
    ExpectOneSharding(planned.value().plan, "template");
    const size_t w1 = static_cast<size_t>(step.graph.FindValue("w1"));
    EXPECT_TRUE(planned.value().plan.assignment.values[w1].replicated());
  }
}

// A constraint on one end applies to the other.
TEST(State, ConstraintsHoldForBothEnds) {
  Step& step = TheStep();
  for (const char* name : {"w1", "w1.next"}) {
    PlanRequest request = RequestFor(step.graph, step.rules, "2x2");
    request.constraints = {{name, "[a][b]"}};
    const auto planned = MakePlan(request);
    ASSERT_TRUE(planned.ok()) << planned.error().text();
    const Plan& plan = planned.value().plan;
    ExpectOneSharding(plan, name);
    const Sharding& w1 = plan.assignment.values[static_cast<size_t>(step.graph.FindValue("w1"))];
    EXPECT_EQ(ShardingText(w1, plan.mesh), "[a][b]") << name;
  }
  PlanRequest request = RequestFor(step.graph, step.rules, "2x2");
  request.constraints = {{"w1", "[a][b]"}, {"w1.next", "[b][a]"}};
  const auto planned = MakePlan(request);
  ASSERT_FALSE(planned.ok());
  EXPECT_EQ(
      planned.error().text(),
      "--constrain: 'w1' and 'w1.next' are one state from step to step and need one sharding, "
      "not [a][b] and [b][a]");
}

// Passed on unchanged; swapped; the same new value for two; a constant.
TEST(State, PairsOfAllForms) {
  const Graph graph = Parsed(R"(graph forms opset 26 {
  input %x: f32[8,16]
  parameter %w: f32[16,16] = ...
  parameter %carried: f32[4] = ...
  parameter %left: f32[8,4] = ...
  parameter %right: f32[8,4] = ...
  parameter %one: f32[8,16] = ...
  parameter %two: f32[8,16] = ...
  parameter %reset: f32[2] = ...
  constant %zeros: f32[2] = [0.0, 0.0]
  %y: f32[8,16] = MatMul(%x, %w) @y
  %z: f32[8,16] = Add(%y, %one) @z
  %u: f32[8,16] = Relu(%two) @u
  %l: f32[8,4] = Exp(%left) @l
  output %z
  output %u
  output %l
  output %carried
  output %left
  output %right
  output %zeros
  state %carried -> %carried
  state %left -> %right
  state %right -> %left
  state %one -> %z
  state %two -> %z
  state %reset -> %zeros
}
)");
  RuleBook rules(Ops());
  for (const char* mesh : {"1", "2", "2x2"}) {
    PlanAndCheck(RequestFor(graph, rules, mesh), mesh);
    for (uint64_t seed = 0; seed < 10; ++seed) {
      PlanRequest request = RequestFor(graph, rules, mesh);
      request.solver = "random";
      request.seed = seed;
      const auto planned = MakePlan(request);
      ASSERT_TRUE(planned.ok()) << planned.error().text();
      ExpectOneSharding(planned.value().plan, mesh);
      ExpectSameAsOneDevice(graph, Lower(planned.value().plan).value());
    }
  }
}

// A plan file in which they differ is refused.
TEST(State, PlanFilesAreChecked) {
  Step& step = TheStep();
  PlanRequest request = RequestFor(step.graph, step.rules, "2");
  request.constraints = {{"w1", "[][a]"}};
  std::string text = WritePlan(MakePlan(request).value().plan).value();
  const auto good = ReadPlan(text, "p");
  ASSERT_TRUE(good.ok()) << good.error().text();
  EXPECT_EQ(good.value().graph.state.size(), 8u);
  const size_t at = text.find("\"w1\": \"[][a]\"");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 13, "\"w1\": \"[][]\"");
  EXPECT_FALSE(ReadPlan(text, "p").ok());
}

}  // namespace
}  // namespace metadist
