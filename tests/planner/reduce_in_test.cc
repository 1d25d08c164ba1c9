// SPDX-License-Identifier: Apache-2.0
// Partial sums of f16 and bf16 values, stored and reduced in f32 or in their own type.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "executor/run/run.h"
#include "metair/ir/text.h"
#include "planner/plan/plan_io.h"
#include "planner/planner.h"
#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

// The product's halves are +-160,000 and its sum is 0: in f16 the halves are infinite.
constexpr const char* kProduct = R"(graph g opset 22 {
  input %x: f16[4,512]
  input %w: f16[512,6]
  input %s: f16[6]
  %y: f16[4,6] = MatMul(%x, %w) {} @product
  %z: f16[4,6] = Mul(%y, %s) {} @scale
  %t: f16[6,4] = Transpose(%z) {perm = [1, 0]} @turn
  %r: f16[6,4] = Relu(%t) {} @relu
  output %r
}
)";

struct Planned16 {
  Graph graph;
  Plan plan;
};

// The inputs of the product are sharded along the contracted dim, and partial sums remain until the
// end.
Planned16 PlanProduct(const std::string& element, ReduceIn reduce_in) {
  std::string text = kProduct;
  for (size_t at = 0; (at = text.find("f16", at)) != std::string::npos; at += element.size())
    text.replace(at, 3, element);
  Planned16 out{ParseGraph(text).value(), {}};
  RuleBook rules(OpTable::BuiltIn());
  PlanRequest request;
  request.graph = &out.graph;
  request.ops = &OpTable::BuiltIn();
  request.rules = &rules;
  request.cluster = TestCluster(2);
  request.mesh = Mesh{{{"a", 2}}};
  request.alternatives = false;
  request.reduce_in = reduce_in;
  request.constraints = {
      {"x", "[][a]"}, {"w", "[a][]"}, {"y", "[][] partial{sum: a}"}, {"t", "[][] partial{sum: a}"}};
  out.plan = MakePlan(request).value().plan;
  return out;
}

NamedTensors Cancelling(const Graph& graph) {
  NamedTensors inputs;
  for (const ValueId id : graph.inputs) {
    const Value& value = graph.value(id);
    std::vector<double> numbers(static_cast<size_t>(NumElements(value.type.shape)), 1.0);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (value.name == "x") numbers[i] = i % 512 < 256 ? 25 : -25;
      if (value.name == "w") numbers[i] = 25;
      if (value.name == "s") numbers[i] = 1 + static_cast<double>(i);
    }
    inputs[value.name] = Tensor::Of<double>(value.type.shape, numbers).Cast(value.type.element);
  }
  return inputs;
}

double LargestOf(const RunResult& result) {
  double largest = 0;
  for (const double v : result.outputs[0].second.ToDoubles())
    largest = std::isnan(v) ? v : std::max(largest, std::abs(v));
  return largest;
}

TEST(ReduceIn, F32KeepsWhatPartsInF16WouldLose) {
  for (const char* element : {"f16", "bf16"}) {
    const Planned16 made = PlanProduct(element, ReduceIn::kF32);
    const Program program = Lower(made.plan).value();
    const std::string text = ProgramText(program);
    EXPECT_NE(text.find("partial{sum in f32: a}"), std::string::npos) << text;
    const auto result = RunProgram(program, {}, Cancelling(made.graph));
    ASSERT_TRUE(result.ok()) << result.error().text();
    EXPECT_EQ(LargestOf(result.value()), 0) << element;
    const auto parsed = ParseProgram(text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().text();
    EXPECT_EQ(LargestOf(RunProgram(parsed.value(), {}, Cancelling(made.graph)).value()), 0);
  }
}

TEST(ReduceIn, TypeHoldsPartsInTheirOwn) {
  const Planned16 made = PlanProduct("f16", ReduceIn::kType);
  const Program program = Lower(made.plan).value();
  EXPECT_EQ(ProgramText(program).find("in f32"), std::string::npos);
  EXPECT_TRUE(std::isnan(LargestOf(RunProgram(program, {}, Cancelling(made.graph)).value())));
}

// Bytes of the reducing collectives.
int64_t Traffic(const Plan& plan) {
  int64_t bytes = 0;
  for (const char* kind : {"AllReduce", "ReduceScatter"})
    if (const auto at = plan.prediction.collectives.find(kind);
        at != plan.prediction.collectives.end())
      bytes += at->second.bytes;
  return bytes;
}

TEST(ReduceIn, IsPricedAndWritten) {
  const Plan wide = PlanProduct("f16", ReduceIn::kF32).plan;
  const Plan narrow = PlanProduct("f16", ReduceIn::kType).plan;
  EXPECT_EQ(Traffic(wide), 2 * Traffic(narrow));
  EXPECT_GT(Traffic(narrow), 0);
  EXPECT_GT(wide.peak_bytes(), narrow.peak_bytes());
  for (const Plan& plan : {wide, narrow}) {
    EXPECT_NEAR(plan.prediction.step.seconds * 1e12, static_cast<double>(plan.solver.cost), 1e4);
    const std::string file = WritePlan(plan).value();
    const auto back = ReadPlan(file, "plan");
    ASSERT_TRUE(back.ok()) << back.error().text();
    EXPECT_EQ(back.value().reduce_in, plan.reduce_in);
    EXPECT_EQ(WritePlan(back.value()).value(), file);
  }
}

TEST(ReduceIn, APlanCannotHoldWiderValuesInF32) {
  std::string file = WritePlan(PlanProduct("f64", ReduceIn::kF32).plan).value();
  const std::string partial = "partial{sum: a}";
  ASSERT_NE(file.find(partial), std::string::npos);
  file.replace(file.find(partial), partial.size(), "partial{sum in f32: a}");
  const auto read = ReadPlan(file, "plan");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().text().find("a value of f64 cannot be held in f32"), std::string::npos)
      << read.error().text();
}

// True if some plan of a product over all elements leaves partial products.
bool SplitsProducts(const std::string& element, ReduceIn reduce_in) {
  const Graph graph =
      ParseGraph("graph g opset 26 {\n  input %x: " + element + "[8,8]\n  %y: " + element +
                 "[1,1] = ReduceProd(%x) @n\n  output %y\n}\n")
          .value();
  RuleBook rules(OpTable::BuiltIn());
  PlanRequest request;
  request.graph = &graph;
  request.ops = &OpTable::BuiltIn();
  request.rules = &rules;
  request.cluster = TestCluster(2);
  request.mesh = Mesh{{{"a", 2}}};
  request.alternatives = false;
  request.solver = "random";
  request.reduce_in = reduce_in;
  bool splits = false;
  for (request.seed = 0; request.seed < 12; ++request.seed) {
    const Planned planned = MakePlan(request).value();
    for (const Strategy& node : planned.plan.assignment.nodes)
      splits = splits || !node.outputs[0].partial.empty();
  }
  return splits;
}

TEST(ReduceIn, PartsOfFloatProductsMayLeaveTheRange) {
  for (const char* element : {"f16", "f32", "f64"}) {
    EXPECT_FALSE(SplitsProducts(element, ReduceIn::kF32)) << element;
    EXPECT_TRUE(SplitsProducts(element, ReduceIn::kType)) << element;
  }
  EXPECT_TRUE(SplitsProducts("i64", ReduceIn::kF32));
}

}  // namespace
}  // namespace metadist
