// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/run/program_cases.h"

#include <fmt/format.h>

#include <utility>

#include "metair/ir/text.h"

namespace metadist::programs {
namespace {

constexpr int kRows = 6;  // of a micro-batch

// One stage of the pipeline: its ranks, and whether it is the first or last of the network. What it
// receives and sends is sharded by columns.
struct Part {
  int first_rank = 0;
  int ranks = 1;
};

std::string Header(const Part& part, const std::string& name) {
  const std::string ranks =
      part.ranks == 1 ? fmt::format("{}", part.first_rank)
                      : fmt::format("{}-{}", part.first_rank, part.first_rank + part.ranks - 1);
  return fmt::format("stage ranks {} mesh t={}\ngraph {} opset 26 {{\n", ranks, part.ranks, name);
}

// h = gelu(x a), columns sharded.
std::string FirstStage(const Part& part) {
  return Header(part, "first") + fmt::format(
                                     "  input %x: f32[{0},16]\n"
                                     "  parameter %a: f32[16,24] = ...\n"
                                     "  %xa: f32[{0},24] = MatMul(%x, %a) @first\n"
                                     "  %h: f32[{0},24] = Gelu(%xa) @gelu1\n"
                                     "  output %h\n}}\n"
                                     "sharding %a [][t]\nsharding %xa [][t]\nsharding %h [][t]\n",
                                     kRows);
}

// g = gelu(h b), summed over the rows of b that each rank holds.
std::string MiddleNodes() {
  return fmt::format(
      "  %hb: f32[{0},24] = MatMul(%h, %b) @second\n"
      "  %sum: f32[{0},24] = metadist.AllReduce(%hb) {{axes = [\"t\"]}} @reduce\n"
      "  %g: f32[{0},24] = Gelu(%sum) @gelu2\n",
      kRows);
}
constexpr char kMiddleShardings[] =
    "sharding %h [][t]\nsharding %b [t][]\nsharding %hb [][] partial{sum: t}\n";

std::string MiddleStage(const Part& part) {
  return Header(part, "middle") + fmt::format("  input %h: f32[{},24]\n", kRows) +
         "  parameter %b: f32[24,24] = ...\n" + MiddleNodes() + "  output %g\n}\n" +
         kMiddleShardings;
}

std::string LastNodes() { return fmt::format("  %y: f32[{},12] = MatMul(%g, %c) @third\n", kRows); }

std::string LastStage(const Part& part) {
  return Header(part, "last") + fmt::format("  input %g: f32[{},24]\n", kRows) +
         "  parameter %c: f32[24,12] = ...\n" + LastNodes() +
         "  output %y\n}\nsharding %c [][t]\nsharding %y [][t]\n";
}

std::string SecondHalf(const Part& part) {
  return Header(part, "half") + fmt::format("  input %h: f32[{},24]\n", kRows) +
         "  parameter %b: f32[24,24] = ...\n  parameter %c: f32[24,12] = ...\n" + MiddleNodes() +
         LastNodes() +
         "  output %y\n}\n"
         "sharding %h [][t]\nsharding %b [t][]\nsharding %c [][t]\n"
         "sharding %hb [][] partial{sum: t}\nsharding %y [][t]\n";
}

// The ranks of each stage. Three stages on two ranks share one rank.
std::vector<Part> PartsOf(const PipelineCase& one) {
  if (one.stages == 2) {
    const int first = one.ranks == 6 ? 2 : one.ranks / 2;
    return {{0, first}, {first, one.ranks - first}};
  }
  if (one.ranks == 2) return {{0, 1}, {1, 1}, {0, 1}};
  if (one.ranks == 4) return {{0, 1}, {1, 1}, {2, 2}};
  return {{0, 1}, {1, 2}, {3, 3}};
}

std::string Schedule(const PipelineCase& one) {
  std::string text = "batched %x %y\nschedule";
  for (const ScheduleStep& step : InOrder(one.stages, one.micro_batches))
    text += fmt::format(" {}:{}", step.stage, step.micro_batch);
  return text + "\n";
}

// One line of a stage's graph, and the sharding of its value on a mesh d x t.
struct Line {
  const char* text;
  const char* name = nullptr;
  const char* sharding = nullptr;
};

const Line kTraining[] = {
    {"input %x: f32[8,6]", "x", "[d][]"},
    {"input %target: f32[8,4]", "target", "[d][]"},
    {"parameter %w1: f32[6,12] = ...", "w1", "[][t]"},
    {"parameter %w2: f32[12,4] = ...", "w2", "[t][]"},
    {"input %v1: f32[6,12]", "v1", "[][t]"},
    {"input %v2: f32[12,4]", "v2", "[t][]"},
    {"constant %mu: f32[] = [0.875]"},
    {"constant %rate: f32[] = [0.125]"},
    {"constant %scale: f32[] = [0.0625]"},
    {"constant %zero: f32[] = [0.0]"},
    {"%h: f32[8,12] = MatMul(%x, %w1) @h", "h", "[d][t]"},
    {"%r: f32[8,12] = Relu(%h) @r", "r", "[d][t]"},
    {"%yp: f32[8,4] = MatMul(%r, %w2) @yp", "yp", "[d][] partial{sum: t}"},
    {"%y: f32[8,4] = metadist.AllReduce(%yp) {axes = [\"t\"]} @ry", "y", "[d][]"},
    {"%e: f32[8,4] = Sub(%y, %target) @e", "e", "[d][]"},
    {"%ee: f32[8,4] = Mul(%e, %e) @ee", "ee", "[d][]"},
    {"%lp: f32[] = ReduceSum(%ee) {keepdims = 0} @lp", "lp", " partial{sum: d}"},
    {"%loss: f32[] = metadist.AllReduce(%lp) {axes = [\"d\"]} @rl", "loss", ""},
    {"%gy: f32[8,4] = Mul(%e, %scale) @gy", "gy", "[d][]"},
    {"%rt: f32[12,8] = Transpose(%r) {perm = [1, 0]} @rt", "rt", "[t][d]"},
    {"%gp2: f32[12,4] = MatMul(%rt, %gy) @gp2", "gp2", "[t][] partial{sum: d}"},
    {"%g2: f32[12,4] = metadist.AllReduce(%gp2) {axes = [\"d\"]} @rg2", "g2", "[t][]"},
    {"%wt: f32[4,12] = Transpose(%w2) {perm = [1, 0]} @wt", "wt", "[][t]"},
    {"%gr: f32[8,12] = MatMul(%gy, %wt) @gr", "gr", "[d][t]"},
    {"%on: bool[8,12] = Greater(%h, %zero) @on", "on", "[d][t]"},
    {"%gh: f32[8,12] = Where(%on, %gr, %zero) @gh", "gh", "[d][t]"},
    {"%xt: f32[6,8] = Transpose(%x) {perm = [1, 0]} @xt", "xt", "[][d]"},
    {"%gp1: f32[6,12] = MatMul(%xt, %gh) @gp1", "gp1", "[][t] partial{sum: d}"},
    {"%g1: f32[6,12] = metadist.AllReduce(%gp1) {axes = [\"d\"]} @rg1", "g1", "[][t]"},
    {"%m1: f32[6,12] = Mul(%v1, %mu) @m1", "m1", "[][t]"},
    {"%v1n: f32[6,12] = Add(%m1, %g1) @v1n", "v1n", "[][t]"},
    {"%m2: f32[12,4] = Mul(%v2, %mu) @m2", "m2", "[t][]"},
    {"%v2n: f32[12,4] = Add(%m2, %g2) @v2n", "v2n", "[t][]"},
    {"%s1: f32[6,12] = Mul(%v1n, %rate) @s1", "s1", "[][t]"},
    {"%w1n: f32[6,12] = Sub(%w1, %s1) @w1n", "w1n", "[][t]"},
    {"%s2: f32[12,4] = Mul(%v2n, %rate) @s2", "s2", "[t][]"},
    {"%w2n: f32[12,4] = Sub(%w2, %s2) @w2n", "w2n", "[t][]"},
    {"output %loss"},
    {"output %w1n"},
    {"output %w2n"},
    {"output %v1n"},
    {"output %v2n"},
    {"state %w1 -> %w1n"},
    {"state %w2 -> %w2n"},
    {"state %v1 -> %v1n"},
    {"state %v2 -> %v2n"},
};

Graph WithoutCollectives(Graph graph) {
  for (Node& node : graph.nodes)
    if (CollectiveOf(node)) {
      node.domain = "";
      node.op = "Identity";
      node.attributes = {};
    }
  return graph;
}

}  // namespace

std::vector<PipelineCase> PipelineCases() {
  std::vector<PipelineCase> cases;
  for (int ranks : {2, 4, 6})
    for (int stages : {2, 3})
      for (int micro_batches : {1, 2, 4}) cases.push_back({ranks, stages, micro_batches});
  return cases;
}

std::string PipelineText(const PipelineCase& one) {
  const std::vector<Part> parts = PartsOf(one);
  std::string text = "program\n" + FirstStage(parts[0]);
  if (one.stages == 2)
    text += SecondHalf(parts[1]) + "channel 0 %h to 1 %h\n";
  else
    text += MiddleStage(parts[1]) + LastStage(parts[2]) +
            "channel 0 %h to 1 %h\nchannel 1 %g to 2 %g\n";
  return text + Schedule(one);
}

Graph WholePipeline(const PipelineCase& one) {
  const int rows = kRows * one.micro_batches;
  const std::string text = fmt::format(
      "graph whole opset 26 {{\n"
      "  input %x: f32[{0},16]\n"
      "  parameter %a: f32[16,24] = ...\n"
      "  parameter %b: f32[24,24] = ...\n"
      "  parameter %c: f32[24,12] = ...\n"
      "  %xa: f32[{0},24] = MatMul(%x, %a) @first\n"
      "  %h: f32[{0},24] = Gelu(%xa) @gelu1\n"
      "  %hb: f32[{0},24] = MatMul(%h, %b) @second\n"
      "  %g: f32[{0},24] = Gelu(%hb) @gelu2\n"
      "  %y: f32[{0},12] = MatMul(%g, %c) @third\n"
      "  output %y\n}}\n",
      rows);
  return ParseGraph(text).value();
}

std::string TrainingText(int ranks) {
  const int columns = ranks == 4 ? 2 : 1;
  std::string text = fmt::format("program\nstage ranks {} mesh d={},t={}\ngraph step opset 26 {{\n",
                                 ranks == 1 ? "0" : fmt::format("0-{}", ranks - 1),
                                 ranks / columns,
                                 columns);
  for (const Line& line : kTraining) text += fmt::format("  {}\n", line.text);
  text += "}\n";
  for (const Line& line : kTraining)
    if (line.sharding != nullptr)
      text += fmt::format("sharding %{} {}\n", line.name, line.sharding);
  return text + "schedule 0:0\n";
}

Graph TrainingStep() {
  return WithoutCollectives(OnlyStage(ParseProgram(TrainingText(1)).value()).graph);
}

}  // namespace metadist::programs
