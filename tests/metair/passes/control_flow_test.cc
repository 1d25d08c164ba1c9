// SPDX-License-Identifier: Apache-2.0
// Control flow: typed, inlined if its conditions and trip counts are known, run otherwise.
#include <gtest/gtest.h>

#include "metair/ir/text.h"
#include "metair/ops/interpret.h"
#include "metair/passes/infer_types.h"

namespace metadist {
namespace {

Graph Read(const std::string& body) {
  auto graph = ParseGraph("graph g opset 26 {\n" + body + "}\n");
  EXPECT_TRUE(graph.ok()) << graph.error().text();
  return std::move(graph).value();
}

struct Ran {
  size_t bodies = 0;  // nodes that still run one
  std::vector<std::vector<double>> outputs;
};

Ran RunGraph(const std::string& body, const std::vector<Tensor>& inputs) {
  Ran ran;
  const auto typed = InferTypesAndFold(Read(body), OpTable::BuiltIn());
  EXPECT_TRUE(typed.ok()) << typed.error().text();
  if (!typed.ok()) return ran;
  const Graph& graph = typed.value();
  EXPECT_TRUE(VerifyTypes(graph, OpTable::BuiltIn()).ok());
  for (const Node& node : graph.nodes) ran.bodies += node.regions.empty() ? 0 : 1;
  const auto results = Interpret(graph, OpTable::BuiltIn(), inputs);
  EXPECT_TRUE(results.ok()) << results.error().text();
  if (!results.ok()) return ran;
  for (const Tensor& result : results.value()) ran.outputs.push_back(result.ToDoubles());
  return ran;
}

std::string ErrorOf(const std::string& body) {
  const auto typed = InferTypesAndFold(Read(body), OpTable::BuiltIn());
  return typed.ok() ? "" : typed.error().text();
}

Tensor Floats(const std::vector<float>& values) {
  return Tensor::Of<float>({static_cast<int64_t>(values.size())}, values);
}

using Values = std::vector<std::vector<double>>;

std::string Branches(const std::string& condition) {
  return condition +
         "  input %x: f32[2]\n"
         "  %y: f32[2] = If(%c) {} then_branch(%x) graph t opset 26 {\n"
         "    input %v: f32[]\n"
         "    %r: f32[] = Neg(%v) @n\n"
         "    output %r\n"
         "  } else_branch(%x) graph e opset 26 {\n"
         "    input %w: f32[]\n"
         "    %s: f32[] = Abs(%w) @a\n"
         "    output %s\n"
         "  } @choose\n"
         "  output %y\n";
}

TEST(ControlFlow, IfRunsOneBranch) {
  const std::string body = Branches("  input %c: bool[]\n");
  const Ran yes = RunGraph(body, {Tensor::Scalar<bool>(true), Floats({-1, 2})});
  EXPECT_EQ(yes.bodies, 1u);
  EXPECT_EQ(yes.outputs, (Values{{1, -2}}));
  EXPECT_EQ(RunGraph(body, {Tensor::Scalar<bool>(false), Floats({-1, 2})}).outputs,
            (Values{{1, 2}}));
}

TEST(ControlFlow, AKnownConditionChoosesBeforeRunning) {
  const Ran ran = RunGraph(Branches("  constant %c: bool[] = [false]\n"), {Floats({-1, 2})});
  EXPECT_EQ(ran.bodies, 0u);
  EXPECT_EQ(ran.outputs, (Values{{1, 2}}));
}

TEST(ControlFlow, BranchesMustAgree) {
  const std::string error = ErrorOf(
      "  input %c: bool[]\n"
      "  %y: f32[2] = If(%c) {} then_branch() graph t opset 26 {\n"
      "    constant %r: f32[2] = [1.0, 2.0]\n"
      "    output %r\n"
      "  } else_branch() graph e opset 26 {\n"
      "    constant %s: f32[3] = [1.0, 2.0, 3.0]\n"
      "    output %s\n"
      "  } @choose\n"
      "  output %y\n");
  EXPECT_EQ(error,
            "node 'choose': If: output 0 must be of one type whatever the condition, got f32[2] "
            "and f32[3]");
}

// Adds x to the state until `count` iterations are done or the sum of the state reaches the limit;
// also returns every state.
std::string Rounds(const std::string& count, const std::string& go_on) {
  return count +
         "  input %x: f32[2]\n"
         "  %y: f32[2], %z: f32[?,2] = Loop(%m, _, %x) {} body(%x) graph b opset 26 {\n"
         "    input %i: i64[]\n"
         "    input %c: bool[]\n"
         "    input %s: f32[]\n"
         "    input %v: f32[]\n"
         "    constant %limit: f32[] = [10.0]\n"
         "    %t: f32[] = Add(%s, %v) @add\n"
         "    %n: f32[] = ReduceSum(%t) {keepdims = 0} @sum\n" +
         go_on +
         "    output %go\n"
         "    output %t\n"
         "    output %t\n"
         "  } @loop\n"
         "  output %y\n"
         "  output %z\n";
}

TEST(ControlFlow, CountedLoopsAreSpelledOut) {
  const Ran ran =
      RunGraph(Rounds("  constant %m: i64[] = [3]\n", "    %go: bool[] = Identity(%c) @go\n"),
               {Floats({1, 2})});
  EXPECT_EQ(ran.bodies, 0u);
  EXPECT_EQ(ran.outputs, (Values{{4, 8}, {2, 4, 3, 6, 4, 8}}));
}

TEST(ControlFlow, LoopsThatRoundsEndAreSpelledOut) {
  const Ran ran = RunGraph(Rounds("  constant %m: i64[] = [9]\n",
                                  "    constant %two: i64[] = [1]\n"
                                  "    %go: bool[] = Less(%i, %two) @less\n"),
                           {Floats({1, 2})});
  EXPECT_EQ(ran.bodies, 0u);
  EXPECT_EQ(ran.outputs, (Values{{3, 6}, {2, 4, 3, 6}}));
}

TEST(ControlFlow, LongLoopsRun) {
  const Ran ran =
      RunGraph(Rounds("  constant %m: i64[] = [5000]\n", "    %go: bool[] = Identity(%c) @go\n"),
               {Floats({1, 2})});
  EXPECT_EQ(ran.bodies, 1u);
  ASSERT_EQ(ran.outputs.size(), 2u);
  EXPECT_EQ(ran.outputs[0], (std::vector<double>{5001, 10002}));
  EXPECT_EQ(ran.outputs[1].size(), 10000u);
}

TEST(ControlFlow, ResultsWithoutAKnownSizeSaySo) {
  const auto typed = InferTypesAndFold(
      Read(Rounds("  constant %m: i64[] = [9]\n", "    %go: bool[] = Less(%n, %limit) @less\n")),
      OpTable::BuiltIn());
  ASSERT_TRUE(typed.ok()) << typed.error().text();
  const Graph& graph = typed.value();
  EXPECT_EQ(graph.value(graph.outputs[0]).type, (TensorType{ElementType::kF32, {2}}));
  EXPECT_EQ(graph.value(graph.outputs[1]).type, (TensorType{ElementType::kF32, {kRunTimeSize, 2}}));
}

TEST(ControlFlow, StatesKeepTheirType) {
  EXPECT_EQ(
      ErrorOf("  input %m: i64[]\n"
              "  input %x: f32[2]\n"
              "  %y: f32[2] = Loop(%m, _, %x) {} body() graph b opset 26 {\n"
              "    input %i: i64[]\n"
              "    input %c: bool[]\n"
              "    input %s: f32[]\n"
              "    %t: f32[] = Concat(%s, %s) {axis = 0} @twice\n"
              "    output %c\n"
              "    output %t\n"
              "  } @loop\n"
              "  output %y\n"),
      "node 'loop': Loop: state 0 must keep its type: it is f32[2] before the body and f32[4] "
      "after");
}

// Running sums of the columns of x, from the last to the first, stacked as columns.
std::string Columns(int64_t count) {
  return "  input %s: f32[2]\n  input %x: f32[2," + std::to_string(count) +
         "]\n"
         "  %y: f32[2], %z: f32[2,?] = Scan(%s, %x) {num_scan_inputs = 1, scan_input_axes = [1], "
         "scan_input_directions = [1], scan_output_axes = [-1], scan_output_directions = [1]} "
         "body() graph b opset 26 {\n"
         "    input %a: f32[]\n"
         "    input %b: f32[]\n"
         "    %t: f32[] = Add(%a, %b) @add\n"
         "    output %t\n"
         "    output %t\n"
         "  } @scan\n"
         "  output %y\n"
         "  output %z\n";
}

TEST(ControlFlow, ScansRunForwardAndBack) {
  const Tensor x = Tensor::Of<float>({2, 3}, {1, 2, 3, 10, 20, 30});
  const Ran ran = RunGraph(Columns(3), {Floats({0, 100}), x});
  EXPECT_EQ(ran.bodies, 0u);
  EXPECT_EQ(ran.outputs, (Values{{6, 160}, {6, 5, 3, 160, 150, 130}}));
}

TEST(ControlFlow, LongScansRunAsTheyAre) {
  constexpr int64_t kCount = 3000;
  const Tensor x = Tensor::Of<float>({2, kCount}, std::vector<float>(2 * kCount, 1));
  const Ran ran = RunGraph(Columns(kCount), {Floats({0, 100}), x});
  EXPECT_EQ(ran.bodies, 1u);
  ASSERT_EQ(ran.outputs.size(), 2u);
  EXPECT_EQ(ran.outputs[0], (std::vector<double>{kCount, 100 + kCount}));
  EXPECT_EQ(ran.outputs[1].front(), kCount);
  EXPECT_EQ(ran.outputs[1][kCount - 1], 1);
}

TEST(ControlFlow, UnknownOperatorsInsideAreErrors) {
  EXPECT_EQ(ErrorOf("  input %c: bool[]\n"
                    "  input %x: f32[2]\n"
                    "  %y: f32[2] = If(%c) {} then_branch(%x) graph t opset 26 {\n"
                    "    input %v: f32[2]\n"
                    "    %r: f32[2] = Frobnicate(%v) @n\n"
                    "    output %r\n"
                    "  } else_branch(%x) graph e opset 26 {\n"
                    "    input %w: f32[2]\n"
                    "    output %w\n"
                    "  } @choose\n"
                    "  output %y\n"),
            "node 'choose': If: then_branch: node 'n': Frobnicate: the operator is unknown, and "
            "inside of control flow");
}

}  // namespace
}  // namespace metadist
