// SPDX-License-Identifier: Apache-2.0
// Every sharding of one call is lowered, run on thread ranks and compared with one device, for
// calls in which integers or indices depend on where a piece begins.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>

#include "executor/run/run.h"
#include "metair/ops/interpret.h"
#include "planner/lower/lower.h"
#include "planner/plan/plan_io.h"
#include "planner/planner.h"
#include "planner/space/strategies.h"
#include "tests/planner/rules/example_calls.h"
#include "tests/planner/rules/owned_call.h"
#include "tests/planner/test_cluster.h"

namespace metadist::testing {
namespace {

// A graph of one node. Floats are parameters, integers are inputs, literals are constants.
struct OneNode {
  Graph graph;
  NamedTensors weights, inputs;
  std::vector<Tensor> expected;

  OneNode(const OpDef& op, const OpExample& example, uint64_t seed) {
    const ExampleCall call(op, example);
    Generator random(seed);
    std::vector<Tensor> drawn = DrawInputs(OwnedCall(call.call), random).value();
    graph.name = "one";
    graph.opset = 26;
    Node node{"n", op.domain, op.name, example.attributes, {}, {}, {}};
    std::vector<Tensor> arguments;
    for (size_t i = 0; i < call.call.inputs.size(); ++i) {
      const OpCall::Input& in = call.call.inputs[i];
      if (!in.present) {
        node.inputs.push_back(kNone);
        continue;
      }
      metadist::Value value{fmt::format("in{}", i), in.type, ValueKind::kConstant, {}, kNone};
      if (in.constant != nullptr) {
        value.data = *in.constant;
      } else {
        const Tensor own = drawn[i].Cast(in.type.element);
        const bool weight = ClassOf(in.type.element) == ElementClass::kFloat;
        value.kind = weight ? ValueKind::kParameter : ValueKind::kInput;
        (weight ? weights : inputs)[value.name] = own;
        if (!weight) arguments.push_back(own);
      }
      node.inputs.push_back(graph.AddValue(value));
      if (value.kind == ValueKind::kInput) graph.inputs.push_back(node.inputs.back());
    }
    int output = 0;
    const std::vector<TensorType> types = InferTypes(call.call).value();
    for (const TensorType& type : types)
      node.outputs.push_back(
          graph.AddValue({fmt::format("out{}", output++), type, ValueKind::kResult, {}, kNone}));
    graph.outputs = node.outputs;
    graph.AddNode(std::move(node));
    Graph known = graph;
    for (const auto& [name, weight] : weights) known.value(known.FindValue(name)).data = weight;
    expected = Interpret(known, OpTable::BuiltIn(), arguments).value();
  }
};

// tolerance: relative above 1.
std::string RunAs(const OneNode& one,
                  const Mesh& mesh,
                  const Strategy& strategy,
                  double tolerance) {
  Assignment assignment;
  assignment.nodes = {strategy};
  const Node& node = one.graph.nodes[0];
  for (const metadist::Value& value : one.graph.values)
    assignment.values.push_back(Sharding::Replicated(value.type.shape.size()));
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i] != kNone) {
      Sharding stored = strategy.inputs[i].WithoutHalos();  // only this use needs halos
      stored.partial.clear();
      assignment.values[static_cast<size_t>(node.inputs[i])] = stored;
    }
  for (const ValueId output : one.graph.outputs)
    assignment.outputs.push_back(assignment.values[static_cast<size_t>(output)]);
  Redistributor routes(mesh, TestCluster(static_cast<int>(mesh.ranks())));
  const auto moves = RedistributionsOf(one.graph, assignment, routes);
  const auto program = Lower(one.graph, mesh, assignment, moves);
  if (!program.ok()) return program.error().text();
  // Runs the program parsed back from its text.
  const auto parsed = ParseProgram(ProgramText(program.value()));
  if (!parsed.ok()) return parsed.error().text();
  RunOptions options;
  options.timeout_seconds = 30;
  const auto result = RunProgram(parsed.value(), one.weights, one.inputs, options);
  if (!result.ok()) return result.error().text();
  for (size_t o = 0; o < one.expected.size(); ++o) {
    const std::vector<double> got = result.value().outputs[o].second.ToDoubles();
    const std::vector<double> want = one.expected[o].ToDoubles();
    if (got.size() != want.size()) return "sizes differ";
    for (size_t i = 0; i < want.size(); ++i)
      if (!(std::abs(got[i] - want[i]) <= tolerance * (1 + std::abs(want[i]))))
        return "values differ";
  }
  return "";
}

bool Moves(const Strategy& strategy) {
  for (const LocalLiteral& literal : strategy.literals)
    for (const LocalEntry& entry : literal.entries)
      if (entry.kind == LocalEntry::Kind::kShifted || entry.kind == LocalEntry::Kind::kBound)
        return true;
  return !strategy.indices.empty();
}

// Number of strategies run in which integers are adjusted, or indices count from the start of a
// piece.
int RunAll(const char* name, size_t example, double tolerance = 1e-4) {
  const OpDef& op = *OpTable::BuiltIn().Find("", name);
  int moved = 0;
  RuleBook rules(OpTable::BuiltIn());
  for (const char* text : {"x=2", "x=3", "x=4", "x=2,y=2"}) {
    const OneNode one(op, op.examples()[example], 1);
    const Mesh mesh = ParseMesh(text).value();
    const Cluster cluster = TestCluster(static_cast<int>(mesh.ranks()));
    const StrategySpace space{&one.graph, &OpTable::BuiltIn(), &mesh, &cluster};
    const Node& node = one.graph.nodes[0];
    for (const PricedStrategy& s : StrategiesOf(space, node, rules.For(one.graph, node))) {
      if (!Moves(s.strategy)) continue;
      ++moved;
      EXPECT_EQ(RunAs(one, mesh, s.strategy, tolerance), "")
          << name << " " << example << " on " << text << " by "
          << fmt::format("{}", fmt::join(s.strategy.axes, ","));
    }
  }
  return moved;
}

TEST(Offsets, TablesAreReadByRows) {
  for (size_t example : {0, 1}) EXPECT_GE(RunAll("Gather", example), 8);
  for (size_t example : {0, 1, 2}) EXPECT_GE(RunAll("GatherElements", example), 4);
  for (size_t example : {0, 1, 2}) EXPECT_GE(RunAll("GatherND", example), 8);
}

TEST(Offsets, PlacesAreWrittenByRows) {
  for (size_t example : {0, 1, 2}) EXPECT_GE(RunAll("ScatterElements", example), 4);
  for (size_t example : {0, 1, 2}) EXPECT_GE(RunAll("ScatterND", example), 4);
}

TEST(Offsets, ClassesAreSet) {
  for (size_t example : {0, 1, 2}) EXPECT_GE(RunAll("OneHot", example), 4);
}

// Compared bit for bit.
TEST(Offsets, RandomNumbersFollowTheirPlaces) {
  for (const size_t example : {1, 2}) {
    for (const char* name :
         {"Bernoulli", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"})
      EXPECT_GE(RunAll(name, example, 0), 8) << name;
  }
  for (const size_t example : {4, 5}) EXPECT_GE(RunAll("Dropout", example, 0), 8);
  EXPECT_GE(RunAll("Multinomial", 1, 0), 8);
}

TEST(Offsets, DiagonalsMoveWithRowsAndColumns) {
  for (size_t example : {1, 2}) EXPECT_GE(RunAll("Trilu", example), 8);
  for (size_t example : {1, 2}) EXPECT_GE(RunAll("EyeLike", example), 8);
}

TEST(Offsets, RangesMoveBothEnds) {
  for (size_t example : {0, 1, 2}) EXPECT_GE(RunAll("Range", example), example == 2 ? 2 : 6);
}

TEST(Offsets, PartsAreTakenFromAnywhere) {
  for (size_t example : {0, 1}) EXPECT_GE(RunAll("Slice", example), 4) << example;
}

TEST(Offsets, LossesFindTheirTargets) {
  for (size_t example : {0, 1, 2}) EXPECT_GE(RunAll("NegativeLogLikelihoodLoss", example), 4);
}

// A node's adjustments are kept in the plan file.
TEST(Offsets, PlansKeepThem) {
  const OpDef& op = *OpTable::BuiltIn().Find("", "ScatterElements");
  const OneNode one(op, op.examples()[0], 1);
  RuleBook rules(OpTable::BuiltIn());
  PlanRequest request;
  request.graph = &one.graph;
  request.ops = &OpTable::BuiltIn();
  request.rules = &rules;
  request.cluster = TestCluster(2);
  request.mesh = ParseMesh("x=2").value();
  request.solver = "random";
  request.alternatives = false;
  int found = 0;
  for (request.seed = 0; request.seed < 12; ++request.seed) {
    const Plan plan = MakePlan(request).value().plan;
    const auto back = ReadPlan(WritePlan(plan).value(), "p.json");
    ASSERT_TRUE(back.ok()) << back.error().text();
    EXPECT_EQ(back.value().assignment.nodes, plan.assignment.nodes);
    const Strategy& strategy = plan.assignment.nodes[0];
    if (strategy.indices.empty() || strategy.made.empty()) continue;
    ++found;
    std::string wrong = WritePlan(plan).value();
    wrong.replace(wrong.find("[x+]", wrong.find("\"made\"")), 4, "[]");
    const auto refused = ReadPlan(wrong, "p.json");
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().text().find("must be the outputs, with spare elements at most"),
              std::string::npos)
        << refused.error().text();
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace metadist::testing
