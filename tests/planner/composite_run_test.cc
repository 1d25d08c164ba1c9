// SPDX-License-Identifier: Apache-2.0
// Every composite rule is lowered and run: on 2, 3, 4 and 8 ranks and on two axes at once, at sizes
// that discovery has not used and that do not divide, in f64 against the operator's kernel.
// Discovery's own test is not used.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "executor/host/random_data.h"
#include "executor/run/run.h"
#include "metair/spmd/collective.h"
#include "planner/cover.h"
#include "tests/planner/rules/composite_cases.h"
#include "tests/planner/test_cluster.h"

namespace metadist::testing {
namespace {

class CompositeRun : public ::testing::TestWithParam<CompositeCase> {};

void ExpectClose(const Tensor& got, const Tensor& want, const std::string& where) {
  ASSERT_EQ(got.type(), want.type()) << where;
  const std::vector<double> x = got.ToDoubles(), y = want.ToDoubles();
  double largest = 1e-300;
  for (const double v : y) largest = std::max(largest, std::abs(v));
  for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-9 * largest) << where;
}

// Every program of the cover gives the results of one rank.
void ExpectEqual(const Cover& cover,
                 const NamedTensors& inputs,
                 const RunResult& whole,
                 const std::string& mesh) {
  for (const CoverProgram& one : cover.programs) {
    const auto run = RunProgram(one.program, {}, inputs);
    ASSERT_TRUE(run.ok()) << mesh << " " << one.text << ": " << run.error().text();
    for (size_t o = 0; o < whole.outputs.size(); ++o)
      ExpectClose(run.value().outputs[o].second, whole.outputs[o].second, mesh + " " + one.text);
  }
}

CoverRequest RequestFor(const Graph& graph, RuleBook& rules, const char* mesh) {
  CoverRequest request;
  request.graph = &graph;
  request.ops = &OpTable::BuiltIn();
  request.rules = &rules;
  request.mesh = ParseMesh(mesh).value();
  request.cluster = TestCluster(static_cast<int>(request.mesh.ranks()));
  return request;
}

TEST_P(CompositeRun, EveryStrategyEqualsOneRank) {
  const Graph graph = GraphOf(GetParam());
  RuleBook rules(OpTable::BuiltIn());
  const NamedTensors inputs = RandomInputs(graph, 1, OpTable::BuiltIn());
  const RunResult whole = RunProgram(SingleDevice(graph), {}, inputs).value();
  int expanded = 0;
  for (const char* mesh : {"a=2", "a=3", "a=4", "a=8", "2x2", "2x3"}) {
    CoverRequest request = RequestFor(graph, rules, mesh);
    const auto cover = CoverStrategies(request);
    ASSERT_TRUE(cover.ok()) << cover.error().text();
    for (const CoverProgram& one : cover.value().programs)
      expanded += one.program.stages[0].graph.FindValue("n/v0") != kNone;
    ExpectEqual(cover.value(), inputs, whole, mesh);
  }
  EXPECT_GT(expanded, 2);
}

// A cluster with a high latency of collectives, whatever their size.
Cluster SlowToMeet(int devices) {
  auto profile = std::make_shared<Profile>(*BuiltinProfile("h100").value());
  for (auto& [key, series] : profile->collectives)
    for (auto& [bytes, sample] : series)
      for (double* time : {&sample.time_us, &sample.time_inplace_us})
        if (*time > 0) *time += 1e6;
  return MakeCluster("test", std::move(profile), 1, devices);
}

int Meetings(const Cover& cover) {
  int meetings = 0;
  for (const CoverProgram& one : cover.programs)
    for (const Node& node : one.program.stages[0].graph.nodes)
      if (const auto kind = CollectiveOf(node))
        meetings += *kind != CollectiveKind::kSlice && *kind != CollectiveKind::kPartial &&
                    *kind != CollectiveKind::kSpare;
  return meetings;
}

// If a factor has alternatives with fewer exchanges, they are used when that is faster, and give
// the right results.
TEST_P(CompositeRun, FewerExchangesEqualOneRank) {
  const Graph graph = GraphOf(GetParam());
  RuleBook rules(OpTable::BuiltIn());
  bool others = false;
  for (const Factor& factor : rules.For(graph, graph.nodes.back()).factors)
    others = others || !factor.others.empty();
  if (!others) return;
  const NamedTensors inputs = RandomInputs(graph, 1, OpTable::BuiltIn());
  const RunResult whole = RunProgram(SingleDevice(graph), {}, inputs).value();
  for (const char* mesh : {"a=2", "a=3", "a=4", "2x2"}) {
    CoverRequest request = RequestFor(graph, rules, mesh);
    const int usual = Meetings(CoverStrategies(request).value());
    request.cluster = SlowToMeet(static_cast<int>(request.mesh.ranks()));
    const Cover cover = CoverStrategies(request).value();
    EXPECT_LT(Meetings(cover), usual) << mesh;
    ExpectEqual(cover, inputs, whole, mesh);
  }
}

// Number of elements gathered inside the node on 4 ranks.
int64_t Gathered(const std::string& name) {
  for (const CompositeCase& one : JoinedCases()) {
    if (name != one.name) continue;
    const Graph graph = GraphOf(one);
    RuleBook rules(OpTable::BuiltIn());
    const CoverRequest request = RequestFor(graph, rules, "a=4");
    int64_t elements = 0;
    const Cover cover = CoverStrategies(request).value();
    for (const CoverProgram& made : cover.programs) {
      const Graph& lowered = made.program.stages[0].graph;
      for (const Node& node : lowered.nodes)
        if (CollectiveOf(node) == CollectiveKind::kAllGather &&
            lowered.value(node.inputs[0]).name.rfind("n/", 0) == 0)
          elements += NumElements(lowered.value(node.inputs[0]).type.shape);
    }
    return elements;
  }
  return -1;
}

TEST(JoinedRun, GathersNoMoreThanItMust) {
  EXPECT_EQ(Gathered("top_k"), 6 * 4 * 3 * 2);  // rows, ranks, results, values and indices
  EXPECT_EQ(Gathered("cum_sum"), 6 * 4);        // rows, totals
  EXPECT_EQ(Gathered("cum_sum_exclusive"), 3 * 4);
}

// Decompositions convert short floats and round constants to them; neither loses a rule. But sums
// of the attention over short floats end before the last conversion, which narrows.
TEST(CompositeElements, HaveTheSameRules) {
  RuleBook rules(OpTable::BuiltIn());
  for (const CompositeCase& one : CompositeCases()) {
    if (std::set<std::string>{"softmax", "layer_norm", "attention", "top_k"}.count(one.name) == 0)
      continue;
    std::map<std::string, int64_t> texts;
    for (const char* element : {"bf16", "f64", "f16", "f32"}) {
      std::string text = GraphText(GraphOf(one));
      for (size_t at = 0; (at = text.find("f64[", at)) != std::string::npos; ++at)
        text.replace(at, 3, element);
      const Graph graph = ParseGraph(text).value();
      CoverRequest request;
      request.graph = &graph;
      request.ops = &OpTable::BuiltIn();
      request.rules = &rules;
      request.mesh = ParseMesh("a=2").value();
      request.cluster = TestCluster(2);
      const Cover cover = CoverStrategies(request).value();
      ++texts[fmt::format("{} {}", rules.For(graph, graph.nodes.back()).text, cover.strategies)];
    }
    EXPECT_EQ(texts.size(), one.name == std::string("attention") ? 2u : 1u)
        << one.name << " " << fmt::format("{}", fmt::join(texts, "\n"));
  }
}

// The index of the highest element of a row, the last one of equal elements.
Result<std::vector<TensorType>> PlaceType(const OpCall& call) {
  return std::vector<TensorType>{{ElementType::kI64, {call.shape(0)[0], 1}}};
}
Result<void> PlaceOfHighest(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  for (int64_t i = 0; i < in[0].dim(0); ++i) {
    const double* row = in[0].data<double>() + i * in[0].dim(1);
    int64_t at = 0;
    for (int64_t k = 1; k < in[0].dim(1); ++k)
      if (row[k] >= row[at]) at = k;
    out[0].mutable_data<int64_t>()[i] = at;
  }
  return {};
}

// log(exp(x0) + exp(x1) + ... + exp(xk)) along a row.
Result<std::vector<TensorType>> SameType(const OpCall& call) {
  return std::vector<TensorType>{call.type(0)};
}
Result<void> LogSumSoFar(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  for (int64_t i = 0; i < in[0].size(); ++i) {
    const double x = in[0].data<double>()[i];
    double& y = out[0].mutable_data<double>()[i];
    y = x;
    if (i % in[0].dim(1) == 0) continue;
    const double before = out[0].data<double>()[i - 1];
    const double most = std::max(before, x);
    y = most + std::log(std::exp(before - most) + std::exp(x - most));
  }
  return {};
}

// Operators that are not in the table: their partial results are joined by the operators
// themselves, on ranks.
TEST(JoinedRun, NewOperatorsEqualOneRank) {
  OpTable table = OpTable::BuiltIn();
  table.Add({.domain = "test", .name = "Place", .infer = PlaceType, .reference = PlaceOfHighest});
  table.Add({.domain = "test", .name = "LogSum", .infer = SameType, .reference = LogSumSoFar});
  const Graph graph = ParseGraph(R"(graph g opset 26 {
  input %x: f64[6,27]
  %y: i64[6,1] = test.Place(%x) {} @n
  %z: f64[6,27] = test.LogSum(%x) {} @m
  output %y
  output %z
}
)")
                          .value();
  RuleBook rules(table);
  EXPECT_EQ(rules.For(graph, graph.nodes[0]).text,
            "([a,b])->([a,_]) combine={b:SELF index[a]} least={b:2}");
  EXPECT_EQ(rules.For(graph, graph.nodes[1]).text,
            "([a,b])->([a,b]) combine={b:SCAN[a]} least={b:2}");
  const NamedTensors inputs = RandomInputs(graph, 1, table);
  const RunOptions options{.ops = &table};
  const RunResult whole = RunProgram(SingleDevice(graph), {}, inputs, options).value();
  for (const char* mesh : {"a=2", "a=4", "2x2"}) {
    CoverRequest request;
    request.graph = &graph;
    request.ops = &table;
    request.rules = &rules;
    request.mesh = ParseMesh(mesh).value();
    request.cluster = TestCluster(static_cast<int>(request.mesh.ranks()));
    const Cover cover = CoverStrategies(request).value();
    int expanded = 0;
    for (const CoverProgram& one : cover.programs) {
      expanded += one.program.stages[0].graph.FindValue("n/v0") != kNone;
      const auto run = RunProgram(one.program, {}, inputs, options);
      ASSERT_TRUE(run.ok()) << mesh << " " << one.text << ": " << run.error().text();
      for (size_t o = 0; o < whole.outputs.size(); ++o)
        ExpectClose(run.value().outputs[o].second,
                    whole.outputs[o].second,
                    std::string(mesh) + " " + one.text);
    }
    EXPECT_GT(expanded, 0) << mesh;
  }
}

// Pieces of whole groups differ from the balanced pieces of an output without its first elements.
TEST(WindowRun, GroupsThatDoNotMakeUpTheirOutput) {
  const Graph graph = ParseGraph(R"(graph g opset 26 {
  input %x: f64[1,2,3]
  input %w: f64[2,1,3]
  %y: f64[1,1,7] = ConvTranspose(%x, %w) {kernel_shape = [3], strides = [3], pads = [2, 0]} @n
  output %y
}
)")
                          .value();
  RuleBook rules(OpTable::BuiltIn());
  const NamedTensors inputs = RandomInputs(graph, 1, OpTable::BuiltIn());
  const RunResult whole = RunProgram(SingleDevice(graph), {}, inputs).value();
  for (const char* mesh : {"a=2", "a=3"}) {
    const auto cover = CoverStrategies(RequestFor(graph, rules, mesh));
    ASSERT_TRUE(cover.ok()) << mesh << ": " << cover.error().text();
    ExpectEqual(cover.value(), inputs, whole, mesh);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases,
                         CompositeRun,
                         ::testing::ValuesIn(CompositeCases()),
                         [](const auto& at) { return std::string(at.param.name); });

}  // namespace
}  // namespace metadist::testing
