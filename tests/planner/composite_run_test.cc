// SPDX-License-Identifier: Apache-2.0
// Every composite rule is lowered and run: on 2, 3, 4 and 8 ranks and on two axes at once, at sizes
// that discovery has not seen and that do not divide, in f64 against the operator's kernel. Nothing
// of discovery's own test is used.
#include <gtest/gtest.h>

#include "executor/run.h"
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

TEST_P(CompositeRun, EveryStrategyEqualsOneRank) {
  const Graph graph = GraphOf(GetParam());
  RuleBook rules(OpTable::BuiltIn());
  const NamedTensors inputs = RandomInputs(graph, 1, OpTable::BuiltIn());
  const RunResult whole = RunProgram(SingleDevice(graph), {}, inputs).value();
  int expanded = 0;
  for (const char* mesh : {"a=2", "a=3", "a=4", "a=8", "2x2", "2x3"}) {
    CoverRequest request;
    request.graph = &graph;
    request.ops = &OpTable::BuiltIn();
    request.rules = &rules;
    request.mesh = ParseMesh(mesh).value();
    request.cluster = TestCluster(static_cast<int>(request.mesh.ranks()));
    const auto cover = CoverStrategies(request);
    ASSERT_TRUE(cover.ok()) << cover.error().text();
    for (const CoverProgram& one : cover.value().programs) {
      expanded += one.program.stages[0].graph.FindValue("n/v0") != kNone;
      const auto run = RunProgram(one.program, {}, inputs);
      ASSERT_TRUE(run.ok()) << mesh << " " << one.text << ": " << run.error().text();
      for (size_t o = 0; o < whole.outputs.size(); ++o)
        ExpectClose(run.value().outputs[o].second,
                    whole.outputs[o].second,
                    std::string(mesh) + " " + one.text);
    }
  }
  EXPECT_GT(expanded, 2);
}

INSTANTIATE_TEST_SUITE_P(Cases,
                         CompositeRun,
                         ::testing::ValuesIn(CompositeCases()),
                         [](const auto& at) { return std::string(at.param.name); });

}  // namespace
}  // namespace metadist::testing
