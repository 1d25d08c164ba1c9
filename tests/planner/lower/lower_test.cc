// SPDX-License-Identifier: Apache-2.0
// Random choices of small graphs, formulated and lowered: the programs are consistent, cost as much
// as the problem states, and use at least the memory that it counts.
#include "planner/lower/lower.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "metair/ir/text.h"
#include "metair/spmd/buffer_plan.h"
#include "planner/rules/book/rule_book.h"
#include "planner/simulate/simulate.h"
#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/solver.h"
#include "planner/space/copies.h"
#include "planner/space/edge_costs.h"
#include "planner/space/expansion.h"
#include "planner/space/formulate.h"
#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

constexpr char kAttention[] = R"(graph attention opset 26 {
  input %x: f32[8,64]
  parameter %wq: f32[64,64] = ...
  parameter %wk: f32[64,64] = ...
  parameter %wv: f32[64,64] = ...
  parameter %wo: f32[64,64] = ...
  constant %heads: i64[3] = [8, 4, 16]
  constant %flat: i64[2] = [8, 64]
  %q: f32[8,64] = MatMul(%x, %wq) {} @q
  %k: f32[8,64] = MatMul(%x, %wk) {} @k
  %v: f32[8,64] = MatMul(%x, %wv) {} @v
  %qh: f32[8,4,16] = Reshape(%q, %heads) {} @qh
  %kh: f32[8,4,16] = Reshape(%k, %heads) {} @kh
  %vh: f32[8,4,16] = Reshape(%v, %heads) {} @vh
  %qt: f32[4,8,16] = Transpose(%qh) {perm = [1, 0, 2]} @qt
  %kt: f32[4,16,8] = Transpose(%kh) {perm = [1, 2, 0]} @kt
  %vt: f32[4,8,16] = Transpose(%vh) {perm = [1, 0, 2]} @vt
  %s: f32[4,8,8] = MatMul(%qt, %kt) {} @s
  %p: f32[4,8,8] = Softmax(%s) {axis = -1} @p
  %o: f32[4,8,16] = MatMul(%p, %vt) {} @o
  %ot: f32[8,4,16] = Transpose(%o) {perm = [1, 0, 2]} @ot
  %of: f32[8,64] = Reshape(%ot, %flat) {} @of
  %y: f32[8,64] = MatMul(%of, %wo) {} @y
  %z: f32[8,64] = Add(%x, %y) {} @z
  output %z
}
)";

// Overlapping windows over sizes that no mesh divides.
constexpr char kWindows[] = R"(graph windows opset 22 {
  input %x: f32[2,4,13,19]
  parameter %v: f32[4,4,5,5] = ...
  parameter %w: f32[4,4,3,3] = ...
  %a: f32[2,4,13,19] = Relu(%x) {} @a
  %b: f32[2,4,13,19] = Conv(%a, %v) {pads = [2, 2, 2, 2]} @b
  %c: f32[2,4,13,19] = Conv(%b, %w) {pads = [1, 1, 1, 1]} @c
  %d: f32[2,4,13,19] = Relu(%c) {} @d
  %e: f32[2,4,11,17] = AveragePool(%d) {kernel_shape = [3, 3]} @e
  output %e
}
)";

class Lowering : public testing::TestWithParam<const char*> {
 protected:
  explicit Lowering(const char* graph = kAttention)
      : graph_(ParseGraph(graph).value()),
        rules_(OpTable::BuiltIn()),
        mesh_(ParseMesh(GetParam()).value()),
        routes_(mesh_, TestCluster(static_cast<int>(mesh_.ranks()))) {}

  Formulation Formulated() {
    FormulateRequest request;
    request.graph = &graph_;
    request.ops = &OpTable::BuiltIn();
    request.rule_of = [this](const Node& node) -> const Rule& { return rules_.For(graph_, node); };
    request.inner_rules = [this](const Graph& graph, const Node& node) -> const Rule& {
      return rules_.For(graph, node);
    };
    return Formulate(request, routes_).value();
  }

  Expansion Decoded(const Formulation& formulation, const Choice& choice) const {
    return ExpandNodes(graph_, formulation.Decode(graph_, choice));
  }

  Choice RandomChoice(Problem problem, uint64_t seed) const {
    problem.tied.clear();
    SolveOptions options;
    options.seed = seed;
    return FindSolver("random")->solve(problem, options).value().choice;
  }

  Graph graph_;
  RuleBook rules_;
  Mesh mesh_;
  Redistributor routes_;
};

TEST_P(Lowering, RandomProgramsCostAndHoldWhatTheProblemSays) {
  const Formulation formulation = Formulated();
  EXPECT_TRUE(Validate(formulation.problem).ok());
  std::set<int64_t> peaks;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Choice choice = RandomChoice(formulation.problem, seed);
    const auto [graph, assignment] = Decoded(formulation, choice);
    const auto redistributions = RedistributionsOf(graph, assignment, routes_);
    const auto program = Lower(graph, mesh_, assignment, redistributions);
    ASSERT_TRUE(program.ok()) << program.error().text();
    const Prediction prediction = Simulate(program.value(), routes_.cluster(), OpTable::BuiltIn());
    const Evaluation evaluation = Evaluate(formulation.problem, choice);
    // Every price is rounded once to a picosecond.
    EXPECT_NEAR(
        static_cast<double>(evaluation.cost),
        prediction.step.seconds * 1e12,
        static_cast<double>(formulation.problem.nodes.size() + formulation.problem.edges.size()));
    EXPECT_LE(evaluation.peak, prediction.memory.peak_bytes()) << "seed " << seed;
    EXPECT_GE(3 * evaluation.peak, prediction.memory.peak_bytes()) << "seed " << seed;
    peaks.insert(evaluation.peak);
  }
  EXPECT_GT(peaks.size(), 5u);
}

class LoweringWindows : public Lowering {
 protected:
  LoweringWindows() : Lowering(kWindows) {}
};

TEST_P(LoweringWindows, MemoryIsThatOfTheFullestRank) {
  const Formulation formulation = Formulated();
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Choice choice = RandomChoice(formulation.problem, seed);
    const auto [graph, assignment] = Decoded(formulation, choice);
    const auto redistributions = RedistributionsOf(graph, assignment, routes_);
    const Program program = Lower(graph, mesh_, assignment, redistributions).value();
    int64_t fullest = 0;
    for (int64_t rank = 0; rank < mesh_.ranks(); ++rank) {
      const Graph local = Instantiate(program.stages[0], rank);
      fullest = std::max(fullest, PlanBuffers(local, OpTable::BuiltIn()).peak_bytes());
    }
    EXPECT_EQ(MemoryOf(program, OpTable::BuiltIn()).peak_bytes(), fullest) << "seed " << seed;
    EXPECT_LE(Evaluate(formulation.problem, choice).peak, fullest) << "seed " << seed;
  }
}

TEST_P(Lowering, CountedCopiesAreThoseThatProgramsHold) {
  Formulation formulation = Formulated();
  const Problem before = formulation.problem;
  std::vector<CountedCopy> counted;
  for (const UseCopy& copy : CopiesOf(graph_, mesh_, formulation))
    counted.push_back(CountCopy(copy, counted, formulation));
  ASSERT_GE(counted.size(), 7u);
  EXPECT_TRUE(Validate(formulation.problem).ok());
  int higher = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    // Drawn with the copies, or without them, in which case they are derived.
    const Choice choice =
        seed % 2 == 0 ? RandomChoice(formulation.problem, seed) : RandomChoice(before, seed);
    const Choice own(choice.begin(), choice.begin() + static_cast<int>(before.nodes.size()));
    const Choice all = WithCopies(choice, before.nodes.size(), counted);
    const Evaluation evaluation = Evaluate(formulation.problem, all);
    EXPECT_EQ(evaluation.forbidden, 0);
    EXPECT_EQ(evaluation.cost, Evaluate(before, own).cost);
    if (seed % 2 == 0) {
      EXPECT_LE(evaluation.peak, Evaluate(formulation.problem, choice).peak);
    }
    higher += evaluation.peak > Evaluate(before, own).peak;
    const auto [graph, assignment] = Decoded(formulation, all);
    const auto redistributions = RedistributionsOf(graph, assignment, routes_);
    const Program program = Lower(graph, mesh_, assignment, redistributions).value();
    EXPECT_LE(evaluation.peak, MemoryOf(program, OpTable::BuiltIn()).peak_bytes()) << seed;
  }
  EXPECT_GT(higher, 10);
}

TEST_P(Lowering, CollectivesAreNodesThatChain) {
  const Formulation formulation = Formulated();
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const auto [graph, assignment] = Decoded(formulation, RandomChoice(formulation.problem, seed));
    const auto redistributions = RedistributionsOf(graph, assignment, routes_);
    const Program program = Lower(graph, mesh_, assignment, redistributions).value();
    const Stage& stage = program.stages[0];
    ASSERT_EQ(stage.shardings.size(), stage.graph.values.size());
    std::set<std::string> names;
    for (const Value& value : stage.graph.values) EXPECT_TRUE(names.insert(value.name).second);
    size_t steps = 0;
    for (const Redistribution& r : redistributions) steps += r.steps.size();
    EXPECT_EQ(stage.graph.nodes.size(), graph.nodes.size() + steps);
    for (ValueId output : stage.graph.outputs)
      EXPECT_TRUE(stage.shardings[static_cast<size_t>(output)].partial.empty());
    // Inference accepts every call that a rank runs.
    for (int64_t rank : {int64_t{0}, mesh_.ranks() - 1}) {
      const Graph local = Instantiate(stage, rank);
      for (const Node& node : local.nodes) {
        if (CollectiveOf(node)) continue;
        const OpDef* op = OpTable::BuiltIn().Find(node);
        const auto types = InferTypes(CallOf(*op, local, node));
        ASSERT_TRUE(types.ok()) << types.error().text();
        EXPECT_EQ(types.value()[0], local.value(node.outputs[0]).type) << node.name;
      }
    }
  }
}

TEST_P(Lowering, AMissingRedistributionIsAnError) {
  const Formulation formulation = Formulated();
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const auto [graph, assignment] = Decoded(formulation, RandomChoice(formulation.problem, seed));
    auto redistributions = RedistributionsOf(graph, assignment, routes_);
    if (redistributions.empty()) continue;
    redistributions.pop_back();
    const auto program = Lower(graph, mesh_, assignment, redistributions);
    ASSERT_FALSE(program.ok());
    EXPECT_EQ(program.error().code, ErrorCode::kInternal);
    return;
  }
  FAIL() << "no choice needs a redistribution";
}

TEST_P(Lowering, ConstraintsHold) {
  FormulateRequest request;
  request.graph = &graph_;
  request.ops = &OpTable::BuiltIn();
  request.rule_of = [this](const Node& node) -> const Rule& { return rules_.For(graph_, node); };
  request.constraints = {{"w?", "[][a]"}, {"s", "[a][][]"}, {"z", "[a][]"}};
  const Formulation formulation = Formulate(request, routes_).value();
  const Assignment assignment = formulation.Decode(graph_, RandomChoice(formulation.problem, 3));
  const auto text = [&](const char* value) {
    return ShardingText(assignment.values[static_cast<size_t>(graph_.FindValue(value))], mesh_);
  };
  EXPECT_EQ(text("wq"), "[][a]");
  EXPECT_EQ(text("wo"), "[][a]");
  EXPECT_EQ(text("s"), "[a][][]");
  EXPECT_EQ(ShardingText(assignment.outputs[0], mesh_), "[a][]");

  request.constraints = {{"nothing*", "[a][]"}, {"x", "[c][]"}, {"wq", "[][] partial{sum: a}"}};
  const auto refused = Formulate(request, routes_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_EQ(refused.error().also.size(), 2u);
  EXPECT_NE(refused.error().text().find("--constrain: no value matches 'nothing*'"),
            std::string::npos);
}

// Outputs keep their names although other values are returned for them.
TEST(Lower, OutputsKeepTheirNames) {
  const Graph graph = ParseGraph(R"(graph names opset 26 {
  input %x: f32[8,6]
  %y: f32[8,6] = Relu(%x) {} @y
  %z: f32[8,6] = Exp(%y) {} @z
  output %y
  output %x
  output %z
  output %y
}
)")
                          .value();
  const Mesh mesh = ParseMesh("a=2").value();
  Redistributor routes(mesh, TestCluster(2));
  const Sharding whole = Sharding::Replicated(2);
  Sharding rows = whole;
  rows.dims[0] = {{DimPart{{SubDim{8, {0}}}}}};
  Assignment assignment;
  assignment.nodes.resize(2);
  for (Strategy& strategy : assignment.nodes) {
    strategy.axes = {"a"};
    strategy.inputs = strategy.outputs = {rows};
  }
  assignment.values = {rows, rows, rows};
  assignment.outputs = {whole, whole, rows, rows};
  const auto moves = RedistributionsOf(graph, assignment, routes);
  const auto program = Lower(graph, mesh, assignment, moves);
  ASSERT_TRUE(program.ok()) << program.error().text();
  const Stage& stage = program.value().stages[0];
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    EXPECT_EQ(stage.NameOfOutput(i), graph.value(graph.outputs[i]).name) << i;
}

// Without redistributions, the problem counts exactly the live buffers: a buffer with two views
// counts once, until its last view ends.
TEST(MemoryRows, AreExactWhereNothingIsCopied) {
  const char* graphs[] = {kAttention,
                          R"(graph views opset 26 {
  input %x: f32[64,64]
  parameter %w: f32[64,64] = ...
  constant %flat: i64[1] = [4096]
  constant %cube: i64[3] = [16, 16, 16]
  %m: f32[64,64] = MatMul(%x, %w) {} @m
  %a: f32[4096] = Reshape(%m, %flat) {} @a
  %b: f32[16,16,16] = Reshape(%m, %cube) {} @b
  output %a
  output %b
}
)"};
  for (const char* text : graphs) {
    const Graph graph = ParseGraph(text).value();
    Redistributor routes(ParseMesh("a=2").value(), TestCluster(2));
    FormulateRequest request;
    request.graph = &graph;
    request.ops = &OpTable::BuiltIn();
    const Rule none;
    request.rule_of = [&](const Node&) -> const Rule& { return none; };
    const Formulation formulation = Formulate(request, routes).value();
    const Choice choice(formulation.problem.nodes.size(), 0);
    const Program program =
        Lower(graph, routes.mesh(), formulation.Decode(graph, choice), {}).value();
    const BufferPlan plan = PlanBuffers(Instantiate(program.stages[0], 0), OpTable::BuiltIn());
    EXPECT_EQ(Evaluate(formulation.problem, choice).peak, plan.resident_bytes() + plan.live_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, Lowering, testing::Values("a=2", "a=4", "a=3", "2x2"));
INSTANTIATE_TEST_SUITE_P(Meshes, LoweringWindows, testing::Values("a=2", "a=4", "a=3", "2x2"));

}  // namespace
}  // namespace metadist
