// SPDX-License-Identifier: Apache-2.0
// Plans of steps of several micro-batches: run, priced, and held in memory as they say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "metair/passes/passes.h"
#include "metair/training/training.h"
#include "planner/plan/plan_io.h"
#include "planner/solvers/solver.h"
#include "planner/space/templates.h"
#include "tests/planner/gpt_model.h"
#include "tests/planner/plan_request_for.h"
#include "tests/planner/trained_plans.h"

namespace metadist {
namespace {

using trained::ExpectTrue;

const OpTable& Ops() { return OpTable::BuiltIn(); }

constexpr int64_t kMicroBatches = 3;

Graph StepOf(TrainingOptions options) {
  options.micro_batches = kMicroBatches;
  return trained::StepOf(std::move(options));
}

class MicroBatchedPlans : public testing::Test {
 protected:
  PlanRequest RequestFor(const Graph& graph, const char* mesh) {
    return metadist::RequestFor(graph, rules_, mesh);
  }

  RuleBook rules_{Ops()};
};

TEST_F(MicroBatchedPlans, OfSolversAreTrue) {
  for (const TrainingOptions& options :
       {TrainingOptions{.optimizer = "adamw"},
        TrainingOptions{.optimizer = "sgd", .learning_rate = 0.1, .momentum = 0.9, .clip = 0.1}}) {
    const Graph graph = StepOf(options);
    for (const char* mesh : {"1", "2", "2x2"}) {
      SCOPED_TRACE(options.optimizer + " on " + mesh);
      const auto planned = MakePlan(RequestFor(graph, mesh));
      ASSERT_TRUE(planned.ok()) << planned.error().text();
      const Plan& plan = planned.value().plan;
      // What the solver minimised is what the simulator adds up.
      EXPECT_NEAR(
          static_cast<double>(plan.solver.cost) * 1e-12,
          plan.prediction.step.seconds - StepSeconds(RequestFor(graph, mesh).cluster).seconds,
          1e-9 + 1e-3 * plan.prediction.step.seconds);
      const Program program = Lower(plan).value();
      const Cluster cluster = RequestFor(graph, mesh).cluster;
      const Timeline timeline = PredictedTimeline(program, cluster, Ops(), plan.prediction);
      EXPECT_NEAR(timeline.end_seconds(), plan.prediction.step.seconds, 1e-12);
      ExpectTrue(graph, plan);
    }
  }
}

TEST_F(MicroBatchedPlans, AtRandomAreTrue) {
  const Graph graph = StepOf({.optimizer = "adamw", .clip = 1});
  for (const char* mesh : {"2", "3", "2x2"})
    for (uint64_t seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(fmt::format("seed {} on {}", seed, mesh));
      PlanRequest request = RequestFor(graph, mesh);
      request.solver = "random";
      request.seed = seed;
      const auto planned = MakePlan(request);
      ASSERT_TRUE(planned.ok()) << planned.error().text();
      ExpectTrue(graph, planned.value().plan);
    }
}

TEST_F(MicroBatchedPlans, OfTemplatesAreTrue) {
  const Graph graph = StepOf({.optimizer = "adamw"});
  for (const char* name : {"dp", "zero1", "zero2", "zero3", "megatron", "megatron+sp"}) {
    SCOPED_TRACE(name);
    PlanRequest request = RequestFor(graph, "4");
    request.plan_template = ParseTemplate(name).value();
    const auto planned = MakePlan(request);
    ASSERT_TRUE(planned.ok()) << planned.error().text();
    ExpectTrue(graph, planned.value().plan);
  }
}

TEST_F(MicroBatchedPlans, AreFiles) {
  const Graph graph = StepOf({.optimizer = "adamw"});
  PlanRequest request = RequestFor(graph, "2");
  request.plan_template = ParseTemplate("dp").value();
  const Plan plan = MakePlan(request).value().plan;
  const std::string text = WritePlan(plan).value();
  const auto read = ReadPlan(text, "p");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(WritePlan(read.value()).value(), text);
  EXPECT_EQ(ProgramText(Lower(read.value()).value()), ProgramText(Lower(plan).value()));
}

// Gradients of data parallelism are reduced once a step if they are summed on every rank, and those
// of ZeRO 2 once a micro-batch, which spares their sums.
TEST_F(MicroBatchedPlans, TemplatesReduceSumsOnceOrGradientsEveryTime) {
  GptSize size{.layers = 2};
  const TrainingStep step =
      GptTrainingStep(size, {.optimizer = "adamw", .micro_batches = kMicroBatches});
  const Graph graph = RunPasses(step.graph, PassOptions{}, Ops()).value().graph;
  const int64_t trained = static_cast<int64_t>(step.trained.size());
  int64_t bytes = 0;
  for (const Trained& one : step.trained) bytes += step.graph.value(one.parameter).type.bytes();
  const auto plan_of = [&](const char* name) {
    PlanRequest request = RequestFor(graph, "8");
    request.memory_limit_bytes = int64_t{1} << 50;
    request.plan_template = ParseTemplate(name).value();
    return MakePlan(request).value().plan;
  };
  const Plan dp = plan_of("dp");
  EXPECT_EQ(dp.prediction.collectives.at("AllReduce").count, trained + 1);
  EXPECT_GE(dp.prediction.memory.gradients, bytes);
  const Plan zero1 = plan_of("zero1");
  EXPECT_EQ(zero1.prediction.collectives.at("ReduceScatter").count, trained);
  EXPECT_EQ(zero1.prediction.collectives.at("AllGather").count, trained);
  const Plan zero2 = plan_of("zero2");
  EXPECT_EQ(zero2.prediction.collectives.at("ReduceScatter").count, kMicroBatches * trained);
  EXPECT_EQ(zero2.prediction.collectives.at("AllGather").count, trained);
  EXPECT_LT(zero2.prediction.memory.gradients, bytes / 4);
  const Plan zero3 = plan_of("zero3");
  EXPECT_EQ(zero3.prediction.collectives.at("ReduceScatter").count, kMicroBatches * trained);
  EXPECT_EQ(zero3.prediction.collectives.at("AllGather").count % kMicroBatches, 0);
}

}  // namespace
}  // namespace metadist
