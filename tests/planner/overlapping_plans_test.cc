// SPDX-License-Identifier: Apache-2.0
// Plans whose collectives overlap nodes: run on two streams, they give the results of one device in
// the memory that they say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "planner/lower/node_order.h"
#include "planner/plan/plan_io.h"
#include "planner/simulate/overlap_order.h"
#include "planner/space/templates.h"
#include "tests/planner/plan_request_for.h"
#include "tests/planner/trained_plans.h"

namespace metadist {
namespace {

using trained::ExpectTrue;
using trained::StepOf;

const OpTable& Ops() { return OpTable::BuiltIn(); }

class OverlappingPlans : public testing::Test {
 protected:
  PlanRequest RequestFor(const Graph& graph, const char* mesh) {
    PlanRequest request = metadist::RequestFor(graph, rules_, mesh);
    request.overlap = true;
    return request;
  }

  RuleBook rules_{Ops()};
};

Plan PlanFor(const PlanRequest& request) {
  auto planned = MakePlan(request);
  EXPECT_TRUE(planned.ok()) << planned.error().text();
  return planned.ok() ? std::move(planned).value().plan : Plan();
}

TEST_F(OverlappingPlans, OfTemplatesAreTrue) {
  for (const int batches : {1, 3}) {
    const Graph graph = StepOf({.optimizer = "adamw", .micro_batches = batches});
    for (const char* name : {"dp", "zero1", "zero2", "zero3", "megatron", "megatron+sp"})
      for (const char* mesh : {"2", "4"}) {
        SCOPED_TRACE(fmt::format("{} on {}, {} batches", name, mesh, batches));
        PlanRequest request = RequestFor(graph, mesh);
        request.plan_template = ParseTemplate(name).value();
        const Plan plan = PlanFor(request);
        ASSERT_FALSE(plan.order.empty());
        EXPECT_NEAR(plan.prediction.step.seconds, plan.prediction.overlap.step_seconds, 1e-12);
        const RunResult run = ExpectTrue(graph, plan, /*streams=*/2);
        ASSERT_TRUE(run.overlap.has_value());
        EXPECT_GT(run.overlap->exposed_seconds + run.overlap->hidden_seconds, 0);
        EXPECT_FALSE(ExpectTrue(graph, plan, /*streams=*/1).overlap.has_value());
      }
  }
}

// The tasks in an order that their needs allow.
std::vector<int> RandomOrder(const std::vector<StepTask>& tasks, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<size_t> needs;
  std::vector<int> ready, order;
  for (size_t t = 0; t < tasks.size(); ++t) {
    needs.push_back(tasks[t].needs.size());
    if (needs.back() == 0) ready.push_back(static_cast<int>(t));
  }
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    order.push_back(ready.back());
    ready.pop_back();
    for (const int reader : tasks[static_cast<size_t>(order.back())].readers)
      if (--needs[static_cast<size_t>(reader)] == 0) ready.push_back(reader);
  }
  return order;
}

TEST_F(OverlappingPlans, InAnyOrderAreTrue) {
  for (const int batches : {1, 2}) {
    const Graph graph = StepOf({.optimizer = "adamw", .clip = 1, .micro_batches = batches});
    for (const char* mesh : {"2", "3", "2x2"})
      for (uint64_t seed = 0; seed < 8; ++seed) {
        SCOPED_TRACE(fmt::format("seed {} on {}, {} batches", seed, mesh, batches));
        PlanRequest request = RequestFor(graph, mesh);
        request.solver = "random";
        request.seed = seed;
        Plan plan = PlanFor(request);
        plan.order.clear();
        const Program in_order = Lower(plan).value();
        const std::vector<Priced> nodes = Simulate(in_order, request.cluster, Ops()).nodes;
        const auto tasks = TasksOf(PartsOf(in_order, request.cluster, Ops(), nodes));
        plan.order = NodesOf(tasks, RandomOrder(tasks, seed));
        plan.prediction = Simulate(Lower(plan).value(), request.cluster, Ops());
        EXPECT_NEAR(plan.prediction.step.seconds, plan.prediction.overlap.step_seconds, 1e-12);
        ExpectTrue(graph, plan, /*streams=*/2);
      }
  }
}

TEST_F(OverlappingPlans, PredictWhatTheirTimelineShows) {
  const Graph graph = StepOf({.optimizer = "adamw", .micro_batches = 2});
  PlanRequest request = RequestFor(graph, "4");
  request.plan_template = ParseTemplate("zero3").value();
  const Plan plan = PlanFor(request);
  ASSERT_FALSE(plan.order.empty());
  EXPECT_DOUBLE_EQ(plan.prediction.step.seconds, plan.prediction.overlap.step_seconds);
  const Timeline timeline =
      PredictedTimeline(Lower(plan).value(), request.cluster, Ops(), plan.prediction);
  EXPECT_NEAR(timeline.end_seconds(), plan.prediction.step.seconds, 1e-12);
  double end[2] = {0, 0};  // of each stream
  bool together = false;
  for (const TimelineEvent& event : timeline.events()) {
    const size_t stream = event.stream == Stream::kCollectives ? 1 : 0;
    EXPECT_GE(event.start_seconds, end[stream] - 1e-12);
    together = together || event.start_seconds < end[1 - stream] - 1e-12;
    end[stream] = event.end_seconds();
  }
  EXPECT_TRUE(together);
}

// Without the request, the plan says what overlap would make of it.
TEST_F(OverlappingPlans, AreForetoldByOthers) {
  const Graph graph = StepOf({.optimizer = "adamw"});
  PlanRequest request = RequestFor(graph, "4");
  request.plan_template = ParseTemplate("dp").value();
  const Plan overlapping = PlanFor(request);
  request.overlap = false;
  const Plan in_order = PlanFor(request);
  EXPECT_TRUE(in_order.order.empty());
  EXPECT_EQ(in_order.prediction.overlap, overlapping.prediction.overlap);
  EXPECT_LT(overlapping.prediction.step.seconds, in_order.prediction.step.seconds);
}

// Ranks that share their cores have none for a second stream.
TEST_F(OverlappingPlans, NeedASecondCore) {
  const Graph graph = StepOf({.optimizer = "adamw"});
  PlanRequest request = RequestFor(graph, "4");
  request.plan_template = ParseTemplate("dp").value();
  for (const int64_t cores : {7, 8}) {
    request.cluster = TestCluster(4);
    auto profile = std::make_shared<Profile>(*request.cluster.profile);
    profile->header.kind = "cpu";
    profile->header.cores = cores;
    request.cluster.profile = profile;
    EXPECT_EQ(PlanFor(request).order.empty(), cores == 7);
  }
}

TEST_F(OverlappingPlans, FitTheLimit) {
  const Graph graph = StepOf({.optimizer = "adamw"});
  PlanRequest request = RequestFor(graph, "4");
  request.plan_template = ParseTemplate("zero3").value();
  const int64_t far = PlanFor(request).peak_bytes();
  request.overlap = false;
  const int64_t in_order = PlanFor(request).peak_bytes();
  ASSERT_LT(in_order, far);
  request.overlap = true;
  for (const int64_t limit : {far - 1, in_order}) {
    request.memory_limit_bytes = limit;
    const Plan plan = PlanFor(request);
    EXPECT_LE(plan.peak_bytes(), limit);
    ExpectTrue(graph, plan, /*streams=*/2);
  }
}

TEST_F(OverlappingPlans, AreFiles) {
  const Graph graph = StepOf({.optimizer = "adamw"});
  PlanRequest request = RequestFor(graph, "2");
  request.plan_template = ParseTemplate("zero1").value();
  Plan plan = PlanFor(request);
  const std::string text = WritePlan(plan).value();
  const auto read = ReadPlan(text, "p");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(WritePlan(read.value()).value(), text);
  EXPECT_EQ(ProgramText(Lower(read.value()).value()), ProgramText(Lower(plan).value()));
  const auto lowered = [&] { return Lower(plan); };
  std::swap(plan.order.front(), plan.order.back());
  EXPECT_FALSE(lowered().ok());
  plan.order.pop_back();
  EXPECT_EQ(lowered().error().message.substr(0, 13), "must list the") << lowered().error().text();
  plan.order.push_back(plan.order.front());
  EXPECT_FALSE(lowered().ok());
  plan.order.back() = 1 << 20;
  EXPECT_EQ(lowered().error().message, "the program has no node 1048576");
}

}  // namespace
}  // namespace metadist
