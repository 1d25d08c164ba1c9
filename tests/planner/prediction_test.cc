// SPDX-License-Identifier: Apache-2.0
// What the simulator predicts of a step, beside what the executor does.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "executor/run/run.h"
#include "planner/simulate/simulate.h"
#include "profiles/cost.h"
#include "profiles/factors.h"
#include "tests/executor/run/program_cases.h"
#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

const OpTable& BuiltIn() { return OpTable::BuiltIn(); }

RunResult Ran(const Program& program) {
  RunOptions options;
  options.random_weights = options.random_inputs = options.trace = true;
  options.fuse = false;
  options.timeout_seconds = 30;
  auto run = RunProgram(program, {}, {}, options);
  EXPECT_TRUE(run.ok()) << run.error().text();
  return std::move(run).value();
}

// Every rank, and the fullest one. Kernels' scratch is no part of the prediction.
void ExpectMemoryOf(const Program& program) {
  const RunResult run = Ran(program);
  int64_t fullest = 0;
  for (int64_t rank = 0; rank < program.ranks(); ++rank) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    const RankMemory& memory = run.memory[static_cast<size_t>(rank)];
    const MemoryUse predicted = MemoryOfRank(program, rank, BuiltIn());
    EXPECT_EQ(predicted.activations + predicted.gradients, memory.arena_bytes);
    EXPECT_EQ(predicted.parameters + predicted.optimizer + predicted.buffers,
              memory.parameter_bytes + memory.input_bytes);
    EXPECT_EQ(predicted.peak_bytes(), memory.peak() - memory.scratch_bytes);
    fullest = std::max(fullest, predicted.peak_bytes());
  }
  EXPECT_EQ(MemoryOf(program, BuiltIn()).peak_bytes(), fullest);
}

TEST(PredictedMemory, OfStagesIsWhatRanksAllocate) {
  for (const programs::PipelineCase& one : programs::PipelineCases()) {
    SCOPED_TRACE(programs::PipelineText(one));
    ExpectMemoryOf(ParseProgram(programs::PipelineText(one)).value());
  }
}

// Of one rank with both ends of the network: all micro-batches of %x and %y, beside one of each.
TEST(PredictedMemory, CountsAllMicroBatches) {
  const auto use = [](int micro_batches) {
    const programs::PipelineCase one{2, 3, micro_batches};
    return MemoryOfRank(ParseProgram(programs::PipelineText(one)).value(), 0, BuiltIn());
  };
  EXPECT_EQ(use(4).buffers, use(1).buffers + 4 * 6 * 16 * 4);
  EXPECT_EQ(use(4).activations, use(1).activations + 4 * 6 * 12 * 4);
  EXPECT_EQ(use(4).parameters, use(1).parameters);
}

std::string Repeated(std::string text, int micro_batches) {
  const std::string once = "schedule 0:0\n";
  text.resize(text.size() - once.size());
  text += "schedule";
  for (int batch = 0; batch < micro_batches; ++batch) text += " 0:" + std::to_string(batch);
  return text + "\n";
}

TEST(PredictedMemory, OfStatesIsWhatRanksAllocate) {
  for (int ranks : {1, 2, 4})
    for (int micro_batches : {1, 2, 4}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(micro_batches));
      const std::string text = Repeated(programs::TrainingText(ranks), micro_batches);
      ExpectMemoryOf(ParseProgram(text).value());
    }
}

// Both states are moved away before either is written, and both are outputs: kept before that.
TEST(PredictedMemory, CountsStatesThatChangePlaces) {
  const std::string text =
      "program\nstage ranks 0 mesh 1\ngraph swap opset 26 {\n"
      "  input %a: f32[100]\n  input %b: f32[100]\n"
      "  output %a\n  output %b\n"
      "  state %a -> %b\n  state %b -> %a\n}\nschedule 0:0\n";
  for (int micro_batches : {1, 2, 4})
    ExpectMemoryOf(ParseProgram(Repeated(text, micro_batches)).value());
  EXPECT_EQ(MemoryOf(ParseProgram(text).value(), BuiltIn()).activations, 4 * 400);
}

Timeline Predicted(const Program& program, const Cluster& cluster) {
  return PredictedTimeline(program, cluster, BuiltIn(), Simulate(program, cluster, BuiltIn()));
}

TEST(PredictedTimeline, RunsOneNodeAfterTheOtherUntilTheStepEnds) {
  for (int ranks : {2, 4}) {
    const Program program = ParseProgram(programs::TrainingText(ranks)).value();
    const Cluster cluster = TestCluster(ranks);
    const Prediction prediction = Simulate(program, cluster, BuiltIn());
    const Timeline timeline = PredictedTimeline(program, cluster, BuiltIn(), prediction);
    EXPECT_EQ(timeline.source(), Timeline::Source::kPredicted);
    double now = StepSeconds(cluster).seconds;
    std::vector<NodeId> nodes;
    for (const TimelineEvent& event : timeline.events()) {
      EXPECT_EQ(event.rank, TimelineEvent::kWholeStage);
      EXPECT_EQ(event.start_seconds, now);
      ASSERT_EQ(event.nodes.size(), 1u);
      const NodeId node = event.nodes[0];
      EXPECT_EQ(event.seconds, prediction.nodes[static_cast<size_t>(node)].seconds);
      EXPECT_EQ(event.stream == Stream::kCollectives,
                CollectiveOf(OnlyStage(program).graph.node(node)).has_value());
      EXPECT_EQ(event.what, OnlyStage(program).graph.node(node).op);
      now = event.end_seconds();
      nodes.push_back(node);
    }
    EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end()));
    const auto takes_time = [](const Priced& node) { return node.seconds > 0; };
    EXPECT_EQ(std::count_if(prediction.nodes.begin(), prediction.nodes.end(), takes_time),
              static_cast<int64_t>(nodes.size()));
    EXPECT_GT(nodes.size(), 20u);
    EXPECT_NEAR(timeline.end_seconds(), prediction.step.seconds, 1e-12);
  }
}

// They travel together, so one event is what all of them take.
TEST(PredictedTimeline, MembersOfABundleAreOneEvent) {
  const std::string text =
      "program\nstage ranks 0-1 mesh t=2\ngraph g opset 26 {\n"
      "  input %a: f32[8]\n  input %b: f32[8]\n"
      "  %c: f32[8] = metadist.AllGather(%a) {axes = [\"t\"], bundle = 0} @one\n"
      "  %d: f32[8] = metadist.AllGather(%b) {axes = [\"t\"], bundle = 0} @two\n"
      "  %e: f32[8] = metadist.AllGather(%b) {axes = [\"t\"], bundle = 1} @three\n"
      "  output %c\n  output %d\n  output %e\n}\n"
      "sharding %a [t]\nsharding %b [t]\nschedule 0:0\n";
  const Program program = ParseProgram(text).value();
  const Prediction prediction = Simulate(program, TestCluster(2), BuiltIn());
  const Timeline timeline = PredictedTimeline(program, TestCluster(2), BuiltIn(), prediction);
  const std::vector<TimelineEvent>& events = timeline.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].nodes, (std::vector<NodeId>{0, 1}));
  EXPECT_EQ(events[0].seconds, prediction.nodes[0].seconds + prediction.nodes[1].seconds);
  EXPECT_EQ(events[1].nodes, std::vector<NodeId>{2});
}

// Where the profile says that the device can, nodes of a group are one event.
TEST(PredictedTimeline, NodesThatRunAsOneAreOneEvent) {
  const std::string text =
      "program\nstage ranks 0-1 mesh t=2\ngraph g opset 26 {\n"
      "  input %a: f32[64]\n"
      "  %b: f32[64] = Relu(%a) @one\n"
      "  %c: f32[64] = Exp(%b) @two\n"
      "  %d: f32[64] = Tanh(%c) @three\n"
      "  output %c\n  output %d\n}\n"
      "sharding %a [t]\nsharding %b [t]\nsharding %c [t]\nsharding %d [t]\n"
      "fused @one @two\nschedule 0:0\n";
  const Program program = ParseProgram(text).value();
  Cluster cluster = TestCluster(2);
  EXPECT_EQ(Predicted(program, cluster).events().size(), 3u);
  Profile profile = *cluster.profile;
  profile.factors[kFusedBlockElements] = {1000, "h100"};
  cluster.profile = std::make_shared<Profile>(std::move(profile));
  const Prediction prediction = Simulate(program, cluster, BuiltIn());
  const Timeline timeline = PredictedTimeline(program, cluster, BuiltIn(), prediction);
  const std::vector<TimelineEvent>& events = timeline.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].nodes, (std::vector<NodeId>{0, 1}));
  EXPECT_EQ(events[0].what, "Relu+Exp");
  EXPECT_EQ(events[0].seconds, prediction.nodes[0].seconds + prediction.nodes[1].seconds);
  EXPECT_EQ(events[1].nodes, std::vector<NodeId>{2});
  EXPECT_EQ(events[1].start_seconds, events[0].end_seconds());
}

// Both traces: names and operators by process and thread, predicted threads as if measured.
TEST(PredictedTimeline, IsLaidOutAsTheMeasuredOne) {
  using Place = std::tuple<int, int, std::string, std::string>;
  const auto places = [](const std::string& text, int first_thread) {
    std::set<Place> out;
    const auto trace = nlohmann::json::parse(text);
    for (const auto& event : trace.at("traceEvents"))
      if (event.at("ph") == "X")
        out.insert({event.at("pid"),
                    event.at("tid").get<int>() - first_thread,
                    event.at("name"),
                    event.at("cat")});
    return out;
  };
  const Program program = ParseProgram(programs::TrainingText(4)).value();
  const std::set<Place> predicted =
      places(TraceJson(program, Predicted(program, TestCluster(4))), 2);
  const std::set<Place> measured = places(TraceJson(program, Ran(program).timeline), 0);
  EXPECT_EQ(predicted.size(), 4 * OnlyStage(program).graph.nodes.size());
  for (const Place& place : measured) {
    if (std::get<3>(place) == "CarryState" || std::get<3>(place) == "Keep") continue;
    EXPECT_TRUE(predicted.count(place)) << std::get<2>(place) << " of rank " << std::get<0>(place);
  }
  EXPECT_GT(measured.size(), predicted.size() / 2);
}

}  // namespace
}  // namespace metadist
