// SPDX-License-Identifier: Apache-2.0
#include "executor/run/run_report.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "executor/run/report_text.h"
#include "metair/spmd/program.h"

namespace metadist {
namespace {

constexpr char kProgram[] = R"(program
stage ranks 0-1 mesh t=2
graph g opset 26 {
  input %x: f32[4,4]
  %y: f32[4,4] = Relu(%x) @relu
  output %y
}
sharding %x [t][]
sharding %y [t][]
schedule 0:0
)";

RankReport ReportOf(const std::string& machine, double start, double end) {
  RankReport report;
  report.site = {machine, {0, 1}};
  CallName call;
  call.node = 0;
  call.kernel = "Relu/loop";
  report.calls = {call};
  report.steps = {{start, {start}, {end}}};
  return report;
}

RunResult ResultOf(std::vector<RankReport> reports) {
  RunOptions options;
  options.trace = true;
  return ReportRun(ParseProgram(kProgram).value(), std::move(reports), options);
}

TEST(RunReport, OneMachineHasOneClock) {
  const RunResult result = ResultOf({ReportOf("a", 100, 102), ReportOf("a", 101, 104)});
  EXPECT_DOUBLE_EQ(result.step_seconds.at(0), 4);
  EXPECT_DOUBLE_EQ(result.nodes.at(0).seconds, 3);
  EXPECT_DOUBLE_EQ(result.timeline.events().at(1).start_seconds, 1);
}

TEST(RunReport, RanksOfSeveralMachinesTellDurations) {
  const RunResult result = ResultOf({ReportOf("a", 100, 102), ReportOf("b", 7001, 7004)});
  EXPECT_DOUBLE_EQ(result.step_seconds.at(0), 3);
  EXPECT_DOUBLE_EQ(result.nodes.at(0).seconds, 3);
  EXPECT_DOUBLE_EQ(result.timeline.events().at(1).start_seconds, 0);
}

// On the first rank, 5 s of communication of which 4 s run beside 6 s of kernels; on the second
// nothing runs beside anything.
TEST(RunReport, CommunicationIsExposedOrHidden) {
  const auto report = [](std::vector<double> begins, std::vector<double> ends) {
    RankReport out = ReportOf("a", begins[0], ends[0]);
    out.steps = {{begins[0], begins, ends}};
    out.calls.resize(3, out.calls[0]);
    out.calls[1].collective = out.calls[1].beside = true;
    out.calls[1].kernel = "AllReduce";
    return out;
  };
  const RunResult result = ResultOf({report({0, 2, 2}, {2, 7, 6}), report({0, 1, 3}, {1, 3, 7})});
  ASSERT_TRUE(result.overlap.has_value());
  EXPECT_DOUBLE_EQ(result.overlap->exposed_seconds, (1 + 2) / 2.0);
  EXPECT_DOUBLE_EQ(result.overlap->hidden_seconds, (4 + 0) / 2.0);
  EXPECT_DOUBLE_EQ(result.step_seconds.at(0), 7);
  EXPECT_FALSE(ResultOf({ReportOf("a", 0, 1), ReportOf("a", 0, 1)}).overlap.has_value());
}

TEST(RunReport, TextAndBack) {
  const Program program = ParseProgram(kProgram).value();
  RankReport report = ReportOf("a", 1, 2);
  report.scalars = {{0, 3, {0.5, 0.25}}};
  const auto back = ReportFromText(ReportText(report), program, 1);
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(back.value().site.machine, "a");
  EXPECT_EQ(back.value().site.cores, (std::vector<int>{0, 1}));
  EXPECT_EQ(back.value().steps.at(0).begins, std::vector<double>{1});
  EXPECT_EQ(back.value().steps.at(0).ends, std::vector<double>{2});
  EXPECT_EQ(back.value().scalars.at(0).position, 3);
  EXPECT_EQ(back.value().scalars.at(0).values, (std::vector<double>{0.5, 0.25}));
  std::string cut = ReportText(ReportOf("a", 1, 2));
  cut.pop_back();
  EXPECT_FALSE(ReportFromText(cut, program, 1).ok());
}

}  // namespace
}  // namespace metadist
