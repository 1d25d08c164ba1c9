// SPDX-License-Identifier: Apache-2.0
// Sums of products of three or more arrays become chains of two.
#include <gtest/gtest.h>

#include "metair/ir/text.h"
#include "metair/ops/interpret.h"
#include "metair/passes/passes.h"

namespace metadist {
namespace {

Graph After(const Graph& graph) {
  PassOptions options = OnlyPasses({"pair_products"});
  options.verify = true;
  auto done = RunPasses(graph, options, OpTable::BuiltIn());
  EXPECT_TRUE(done.ok()) << done.error().text();
  return done.ok() ? done.value().graph : graph;
}

Graph GraphOf(const std::string& equation, const std::string& result) {
  auto graph = ParseGraph(
      "graph g opset 26 {\n"
      "  input %a: f32[2,3]\n  input %b: f32[4,3,5]\n  input %c: f32[2,5]\n"
      "  %y: f32" +
      result + " = Einsum(%a, %b, %c) {equation = \"" + equation + "\"} @e\n  output %y\n}\n");
  EXPECT_TRUE(graph.ok()) << graph.error().text();
  return graph.value();
}

// Outputs of both graphs on the same numbers.
void ExpectEqual(const Graph& a, const Graph& b) {
  std::vector<Tensor> inputs;
  for (const ValueId id : a.inputs) {
    const TensorType& type = a.value(id).type;
    std::vector<double> numbers;
    for (int64_t i = 0; i < NumElements(type.shape); ++i)
      numbers.push_back(static_cast<double>(i * 7 % 11 - 5));
    inputs.push_back(Tensor::Of(type.shape, numbers).Cast(type.element));
  }
  const auto left = Interpret(a, OpTable::BuiltIn(), inputs);
  const auto right = Interpret(b, OpTable::BuiltIn(), inputs);
  ASSERT_TRUE(left.ok() && right.ok());
  EXPECT_EQ(left.value()[0].ToDoubles(), right.value()[0].ToDoubles());
}

TEST(PairProducts, SumsAnIndexAsSoonAsNothingElseHasIt) {
  const Graph before = GraphOf("bi,oij,bj->bo", "[2,4]");
  const Graph out = After(before);
  ASSERT_EQ(out.nodes.size(), 2u);
  EXPECT_EQ(NodeText(out, out.nodes[0]),
            "%y/boj: f32[2,4,5] = Einsum(%a, %b) {equation = \"bi,oij->boj\"} @e/boj");
  EXPECT_EQ(NodeText(out, out.nodes[1]),
            "%y: f32[2,4] = Einsum(%y/boj, %c) {equation = \"boj,bj->bo\"} @e");
  ExpectEqual(before, out);
}

TEST(PairProducts, DerivesTheResult) {
  const Graph before = GraphOf("bi, oij, bj", "[4]");
  const Graph out = After(before);
  ASSERT_EQ(out.nodes.size(), 2u);
  ExpectEqual(before, out);
}

TEST(PairProducts, LeavesOthersAlone) {
  EXPECT_EQ(After(GraphOf("...i,oij,...j->...o", "[2,4]")).nodes.size(), 1u);
}

}  // namespace
}  // namespace metadist
