// SPDX-License-Identifier: Apache-2.0
// Plans with block-cyclic layouts, run on thread ranks and compared with one device.
#include <gtest/gtest.h>

#include <cmath>

#include "executor/run/run.h"
#include "metair/ir/text.h"
#include "metair/ops/interpret.h"
#include "planner/planner.h"
#include "planner/space/strategies.h"
#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

// A fused product whose columns become heads that do not divide evenly over the ranks, a
// concatenation of two arrays, and a sum over the concatenated dim.
constexpr const char* kGraph = R"(graph blocks opset 26 {
  input %x: f32[4,8]
  input %w: f32[8,36]
  input %b: f32[36]
  input %u: f32[20,6]
  constant %sizes: i64[3] = [12, 12, 12]
  constant %heads: i64[3] = [4, 3, 4]
  constant %flat: i64[2] = [4, 12]
  %p: f32[4,36] = MatMul(%x, %w) {} @product
  %s: f32[4,36] = Add(%p, %b) {} @bias
  %q: f32[4,12], %k: f32[4,12], %v: f32[4,12] = Split(%s, %sizes) {axis = 1} @split
  %r: f32[4,12] = Tanh(%q) {} @tanh
  %h: f32[4,3,4] = Reshape(%r, %heads) {} @heads
  %n: f32[4,3,4] = Neg(%h) {} @neg
  %f: f32[4,12] = Reshape(%n, %flat) {} @flat
  %m: f32[4,12] = Mul(%f, %k) {} @mul
  %a: f32[4,12] = Add(%m, %v) {} @add
  %j: f32[4,20] = Concat(%a, %x) {axis = 1} @join
  %e: f32[4,20] = Tanh(%j) {} @both
  %y: f32[4,6] = MatMul(%e, %u) {} @last
  output %y
}
)";

Tensor Some(const Shape& shape, int seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < NumElements(shape); ++i)
    values.push_back(std::sin(static_cast<double>(seed * 1000 + i)));
  return Tensor::Of<double>(shape, values).Cast(ElementType::kF32);
}

// True for shardings of several blocks or of bundles that do not divide evenly.
bool HasBlocks(const Sharding& sharding) {
  for (const DimSharding& dim : sharding.dims)
    if (dim.parts.size() > 1 || (dim.parts.size() == 1 && dim.parts[0].sub.size() > 1)) return true;
  return false;
}

TEST(BlockCyclicRun, AnyChoiceIsRight) {
  const Graph graph = ParseGraph(kGraph).value();
  NamedTensors inputs;
  std::vector<Tensor> arguments;
  for (const ValueId id : graph.inputs) {
    arguments.push_back(Some(graph.value(id).type.shape, id));
    inputs[graph.value(id).name] = arguments.back();
  }
  const Tensor expected = Interpret(graph, OpTable::BuiltIn(), arguments).value()[0];
  RuleBook rules(OpTable::BuiltIn());
  PlanRequest request;
  request.graph = &graph;
  request.ops = &OpTable::BuiltIn();
  request.rules = &rules;
  request.solver = "random";
  request.alternatives = false;
  std::map<std::string, int> in_blocks;  // by node without a rule of its own that asks for blocks
  for (const char* text : {"a=2", "a=3", "a=2,b=2"}) {
    request.mesh = ParseMesh(text).value();
    request.cluster = TestCluster(static_cast<int>(request.mesh->ranks()));
    for (request.seed = 0; request.seed < 25; ++request.seed) {
      const Plan plan = MakePlan(request).value().plan;
      for (size_t n = 0; n < plan.graph.nodes.size(); ++n)
        in_blocks[plan.graph.nodes[n].name] +=
            HasBlocks(plan.assignment.nodes[n].outputs[0]) ? 1 : 0;
      const auto program = Lower(plan);
      ASSERT_TRUE(program.ok()) << program.error().text();
      const auto result = RunProgram(program.value(), {}, inputs);
      ASSERT_TRUE(result.ok()) << result.error().text();
      const std::vector<double> got = result.value().outputs[0].second.ToDoubles();
      const std::vector<double> want = expected.ToDoubles();
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < want.size(); ++i)
        ASSERT_NEAR(got[i], want[i], 1e-5) << text << ", seed " << request.seed;
    }
  }
  for (const char* node : {"product", "bias", "tanh", "both"})
    EXPECT_GT(in_blocks[node], 0) << node;
}

}  // namespace
}  // namespace metadist
