// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/timeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace metadist {
namespace {

using Json = nlohmann::json;

// Two stages that share rank 1; node names need quotes in JSON.
Program TwoStages() {
  return ParseProgram(
             "program\nstage ranks 0-1 mesh t=2\ngraph a opset 26 {\n"
             "  input %x: f32[4]\n  %n: f32[4] = Neg(%x) @\"a\\\"b\"\n  %y: f32[4] = Abs(%n) @abs\n"
             "  output %y\n}\n"
             "stage ranks 1 mesh 1\ngraph b opset 26 {\n"
             "  input %y: f32[4]\n  %z: f32[4] = Neg(%y) @last\n  output %z\n}\n"
             "channel 0 %y to 1 %y\nschedule 0:0 1:0 0:1 1:1\n")
      .value();
}

std::vector<TimelineEvent> SomeEvents() {
  return {{1, Stream::kCompute, 1, 1, {0}, "Neg/loop", 3e-6, 0.5e-6},
          {0, Stream::kCollectives, 0, 1, {}, "Send", 2e-6, 1e-6},
          {0, Stream::kCompute, 0, 0, {0, 1}, "Neg/loop+Abs/loop", 0, 2e-6},
          {.nodes = {1}, .what = "Abs", .start_seconds = 0.25e-6, .seconds = 0.125e-6}};
}

TEST(Timeline, OrderDependsOnNothingButTheEvents) {
  std::vector<TimelineEvent> events = SomeEvents();
  events.push_back({0, Stream::kCompute, 0, 1, {}, "Load", 2e-6, 0});
  events.push_back({0, Stream::kCompute, 0, 1, {}, "Keep", 2e-6, 0});
  const Timeline timeline(Timeline::Source::kMeasured, events);
  std::reverse(events.begin(), events.end());
  EXPECT_EQ(Timeline(Timeline::Source::kMeasured, events), timeline);
  EXPECT_NE(Timeline(Timeline::Source::kPredicted, events), timeline);
  EXPECT_DOUBLE_EQ(timeline.end_seconds(), 3.5e-6);
  EXPECT_EQ(Timeline().end_seconds(), 0);
  std::vector<std::string> order;
  for (const TimelineEvent& event : timeline.events())
    order.push_back(fmt::format("{} {:.2f} {}", event.rank, event.start_seconds * 1e6, event.what));
  EXPECT_EQ(order,
            (std::vector<std::string>{"-1 0.25 Abs",
                                      "0 0.00 Neg/loop+Abs/loop",
                                      "0 2.00 Keep",
                                      "0 2.00 Load",
                                      "0 2.00 Send",
                                      "1 3.00 Neg/loop"}));
}

// "name" or "name of pid tid" of all entries that are no names.
std::vector<std::string> Shown(const Json& trace, std::vector<std::string>* names) {
  std::vector<std::string> shown;
  for (const Json& entry : trace.at("traceEvents")) {
    const std::string place = " on " + entry.at("pid").dump() + "." + entry.at("tid").dump();
    if (entry.at("ph") == "M")
      names->push_back(entry.at("args").at("name").get<std::string>() + place);
    else
      shown.push_back(entry.at("name").get<std::string>() + ", " +
                      entry.at("cat").get<std::string>() + place);
  }
  return shown;
}

TEST(Timeline, TraceHasAProcessForEachRankAndAThreadForEachStream) {
  const Timeline timeline(Timeline::Source::kMeasured, SomeEvents());
  const Json trace = Json::parse(TraceJson(TwoStages(), timeline));
  std::vector<std::string> names;
  EXPECT_EQ(Shown(trace, &names),
            (std::vector<std::string>{"abs, Abs on 0.0",
                                      "abs, Abs on 1.0",
                                      "a\"b + abs, Neg+Abs on 0.0",
                                      "Send 0:1, Send on 0.1",
                                      "last, Neg on 1.0"}));
  EXPECT_EQ(names,
            (std::vector<std::string>{"rank 0 on 0.0",
                                      "compute on 0.0",
                                      "collectives on 0.1",
                                      "rank 1 on 1.0",
                                      "compute on 1.0",
                                      "collectives on 1.1"}));
  const Json& first = trace.at("traceEvents").at(6);
  EXPECT_EQ(first.at("ph"), "X");
  EXPECT_DOUBLE_EQ(first.at("ts").get<double>(), 0.25);
  EXPECT_DOUBLE_EQ(first.at("dur").get<double>(), 0.125);
}

// So that one file can hold both.
TEST(Timeline, PredictionsHaveThreadsOfTheirOwn) {
  const Timeline timeline(Timeline::Source::kPredicted, SomeEvents());
  std::vector<std::string> names;
  const std::vector<std::string> shown =
      Shown(Json::parse(TraceJson(TwoStages(), timeline)), &names);
  EXPECT_EQ(shown[1], "abs, Abs on 1.2");
  EXPECT_EQ(shown[3], "Send 0:1, Send on 0.3");
  EXPECT_EQ(names[1], "predicted compute on 0.2");
  EXPECT_EQ(names[2], "predicted collectives on 0.3");
}

TEST(Timeline, OfNothingIsATrace) {
  std::vector<std::string> names;
  EXPECT_TRUE(Shown(Json::parse(TraceJson(TwoStages(), {})), &names).empty());
}

// Names come from model files, whose bytes need not be text.
TEST(Timeline, NamesThatAreNoTextAreShown) {
  Program program = TwoStages();
  program.stages[0].graph.nodes[1].name = "\xff";
  const std::string text = TraceJson(program, Timeline(Timeline::Source::kMeasured, SomeEvents()));
  EXPECT_TRUE(Json::accept(text));
}

}  // namespace
}  // namespace metadist
