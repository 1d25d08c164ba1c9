// SPDX-License-Identifier: Apache-2.0
// Runs every strategy of the cases that have a decomposition, exchange pieces, or have integers
// that depend on the piece of a window: lowered and run on ranks, at sizes that discovery has not
// used, in f64 against the operator's kernel. Discovery's own test is not used.
#include <gtest/gtest.h>

#include <algorithm>

#include "executor/host/random_data.h"
#include "executor/run/run.h"
#include "metair/ops/graph_builder.h"
#include "metair/spmd/collective.h"
#include "planner/cover.h"
#include "tests/planner/rules/example_calls.h"
#include "tests/planner/rules/family_calls.h"
#include "tests/planner/rules/reference/reference_case.h"
#include "tests/planner/rules/reference/whole_discovery.h"
#include "tests/planner/test_cluster.h"

namespace metadist::testing {
namespace {

class RankRun : public ::testing::TestWithParam<ReferenceCase> {};

// A graph of the one call, floats in f64.
Graph GraphOf(const OwnedCall& call) {
  GraphBuilder b("g");
  for (const ValueId output : b.AddCall(call.call(), "n")) b.Output(output);
  return b.Done().value();
}

void ExpectClose(const Tensor& got, const Tensor& want, const std::string& where) {
  ASSERT_EQ(got.shape(), want.shape()) << where;
  const std::vector<double> x = got.ToDoubles(), y = want.ToDoubles();
  double largest = 1e-300;
  for (const double v : y) largest = std::max(largest, std::abs(v));
  for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-9 * largest) << where;
}

// True if the node uses the factor on some axis: "n a,-".
bool WorksOn(const std::string& text, const std::string& factor) {
  const std::string axes = "," + text.substr(std::min<size_t>(2, text.size())) + ",";
  return axes.find("," + factor + ",") != std::string::npos;
}

// Runs all strategies of a mesh at these sizes. Returns the number of those that use the factor and
// run the decomposition or fetch another rank's elements.
int RunAll(const std::string& factor,
           const OwnedCall& call,
           const OpTable& table,
           RuleBook& rules,
           const char* mesh) {
  const Graph graph = GraphOf(call);
  const NamedTensors inputs = RandomInputs(graph, 1, table);
  CoverRequest request;
  request.graph = &graph;
  request.ops = &table;
  request.rules = &rules;
  request.mesh = ParseMesh(mesh).value();
  request.cluster = TestCluster(static_cast<int>(request.mesh.ranks()));
  RunOptions options;
  options.ops = &table;
  const auto whole = RunProgram(SingleDevice(graph), {}, inputs, options);
  EXPECT_TRUE(whole.ok()) << whole.error().text();
  const auto cover = CoverStrategies(request);
  EXPECT_TRUE(cover.ok()) << cover.error().text();
  int special = 0;
  for (const CoverProgram& one : cover.value().programs) {
    const Graph& local = one.program.stages[0].graph;
    special += WorksOn(one.text, factor) &&
               (local.FindValue("n/v0") != kNone ||
                std::any_of(local.nodes.begin(), local.nodes.end(), [](const Node& node) {
                  return CollectiveOf(node) == CollectiveKind::kHalo;
                }));
    const auto run = RunProgram(one.program, {}, inputs, options);
    EXPECT_TRUE(run.ok()) << mesh << " " << one.text << ": " << run.error().text();
    for (size_t o = 0; run.ok() && o < whole.value().outputs.size(); ++o)
      ExpectClose(run.value().outputs[o].second,
                  whole.value().outputs[o].second,
                  std::string(mesh) + " " + one.text);
  }
  return special;
}

// True if ranks read other positions of a dim than their own.
bool Trades(const SymbolicFactor& factor) {
  return std::any_of(factor.inputs.begin(), factor.inputs.end(), [](const SymbolicCut& cut) {
    return cut.window && cut.window->course != Halo::Course::kStraight;
  });
}

// True if an integer of the call depends on the rank's part of the dim, including its halo.
bool Follows(const SymbolicFactor& factor) {
  return std::any_of(factor.ends.begin(), factor.ends.end(), [](const EndLiteral& end) {
    return end.by_size != 0;
  });
}

TEST_P(RankRun, EveryStrategyEqualsOneRankOnUnseenShapes) {
  const ExampleCall example(GetParam().op, GetParam().example);
  const SymbolicRule found = DiscoverWhole(example.call);
  OpTable table = OpTable::BuiltIn();
  table.Add(example.op);
  RuleBook rules(table);
  Generator random(11);
  for (const SymbolicFactor& factor : found.factors) {
    const bool follows = Follows(factor);
    if (!factor.composite && !Trades(factor) && !follows) continue;
    int special = 0;
    for (const char* mesh : {"a=2", "a=3", "a=4", "a=8", "2x2", "2x4"}) {
      const int64_t ranks = ParseMesh(mesh).value().ranks();
      std::optional<OwnedCall> call;
      for (int attempt = 0; attempt < 40 && !call; ++attempt)
        call = RandomCall(example.call, found, factor.atoms, ranks, attempt, random);
      ASSERT_TRUE(call) << found.text << " factor " << factor.name << " on " << mesh;
      for (size_t i = 0; i < call->types.size(); ++i)
        if (call->types[i].element == ElementType::kF32) call->types[i].element = ElementType::kF64;
      special += RunAll(factor.name, *call, table, rules, mesh);
      if (HasFatalFailure()) return;
    }
    EXPECT_GE(special, follows ? 1 : 6) << found.text << " factor " << factor.name;
  }
}

std::vector<ReferenceCase> RunCases() {
  std::vector<ReferenceCase> cases = ReferenceCases();
  std::erase_if(cases, [](const ReferenceCase& one) {
    return one.op.decompose == nullptr && one.rule.find(" mirror={") == std::string::npos &&
           one.rule.find(" around={") == std::string::npos &&
           (one.rule.find(" attr={") == std::string::npos ||
            one.rule.find(" halo={") == std::string::npos);
  });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Rules, RankRun, ::testing::ValuesIn(RunCases()), [](const auto& at) {
  return at.param.id + "_" + at.param.name;
});

}  // namespace
}  // namespace metadist::testing
