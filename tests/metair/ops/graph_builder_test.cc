// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/graph_builder.h"

#include <gtest/gtest.h>

#include <memory>

#include "metair/ir/text.h"
#include "metair/ir/verify.h"
#include "metair/ops/interpret.h"

namespace metadist {
namespace {

const TensorType kMatrix{ElementType::kF32, {2, 3}};

TEST(GraphBuilder, WritesTypedNodes) {
  GraphBuilder b("scaled");
  const ValueId x = b.Input("x", kMatrix);
  const ValueId w = b.Parameter("w", Tensor::Absent({ElementType::kF32, {3, 4}}));
  const ValueId y = b.Add("Softmax", {b.Add("MatMul", {x, w})}, {{"axis", 1}});
  EXPECT_EQ(b.shape(y), (Shape{2, 4}));
  b.Output(b.Add("Mul", {y, b.Number(2, y)}));
  const auto graph = b.Done();
  ASSERT_TRUE(graph.ok()) << graph.error().text();
  EXPECT_TRUE(Verify(graph.value()).ok());
  EXPECT_EQ(GraphText(graph.value()), R"(graph scaled opset 0 {
  input %x: f32[2,3]
  parameter %w: f32[3,4] = ...
  constant %c4: f32[] = [2.0]
  %v0: f32[2,4] = MatMul(%x, %w) @MatMul0
  %v1: f32[2,4] = Softmax(%v0) {axis = 1} @Softmax1
  %v2: f32[2,4] = Mul(%v1, %c4) @Mul2
  output %v2
}
)");
}

TEST(GraphBuilder, NamesDiffer) {
  GraphBuilder b("names");
  const ValueId x = b.Input("v0", kMatrix);
  const ValueId y = b.Add("Neg", {x});
  Node node;
  node.name = "Neg0";
  node.op = "Neg";
  node.inputs = {y};
  const ValueId z = b.Append(node, {"v0"})[0];
  EXPECT_EQ(b.graph().value(y).name, "v0_2");
  EXPECT_EQ(b.graph().value(z).name, "v0_3");
  EXPECT_EQ(b.graph().nodes[1].name, "Neg0_2");
}

TEST(GraphBuilder, NamesDifferFromThoseThatItFoundBefore) {
  GraphBuilder b("names");
  const ValueId c = b.Integers({2, 3});
  const ValueId y = b.Add("Neg", {c});
  const ValueId x = b.Input("v0", kMatrix);
  const ValueId z = b.Input("c0", kMatrix);
  EXPECT_EQ(b.graph().value(c).name, "c0");
  EXPECT_EQ(b.graph().value(y).name, "v0");
  EXPECT_EQ(b.graph().value(x).name, "v0_2");
  EXPECT_EQ(b.graph().value(z).name, "c0_2");
  EXPECT_EQ(b.Fresh("Neg0"), "Neg0_2");
}

// Node 2 of an operator Neg1 and node 12 of Neg.
TEST(GraphBuilder, NamesOfOperatorsThatEndInADigitDiffer) {
  OpTable ops = OpTable::BuiltIn();
  OpDef other = *ops.Find("", "Neg");
  other.name = "Neg1";
  ops.Add(other);
  GraphBuilder b("names", ops);
  ValueId x = b.Integers({2, 3});
  for (int n = 0; n < 13; ++n) x = b.Add(n == 2 ? "Neg1" : "Neg", {x});
  EXPECT_EQ(b.graph().nodes[2].name, "Neg12");
  EXPECT_EQ(b.graph().nodes[12].name, "Neg12_2");
}

TEST(GraphBuilder, ReportsTheFirstErrorWithItsNode) {
  GraphBuilder b("bad");
  const ValueId x = b.Input("x", kMatrix);
  const ValueId y = b.Add("MatMul", {x, x});
  b.Output(b.Add("Softmax", {b.Add("Add", {y, b.Number(1, y)})}, {{"axis", 9}}));
  EXPECT_TRUE(b.failed());
  EXPECT_EQ(b.Done().error().text(),
            "node 'MatMul0': MatMul: inner sizes of [2,3] and [2,3] differ");
}

TEST(GraphBuilder, KnowsNoOtherOperators) {
  GraphBuilder b("bad");
  EXPECT_EQ(b.type(b.Add("Sofmax", {})).shape, Shape{});
  EXPECT_EQ(b.Done().error().text(),
            "node 'Sofmax0': no operator 'Sofmax'\n  hint: did you mean 'Softmax'?");
}

TEST(GraphBuilder, GoesOnWithAGraph) {
  GraphBuilder first("steps");
  const ValueId w = first.Parameter("w", Tensor::Absent(kMatrix));
  const ValueId x = first.Input("x", kMatrix);
  const ValueId y = first.Add("Add", {w, x});
  first.Output(y);
  GraphBuilder b(first.Done().value());
  const ValueId next = b.Add("Sub", {w, b.Add("Mul", {y, b.Number(0.5, y)})});
  b.Output(next);
  b.State(w, next);
  const Graph graph = b.Done().value();
  ASSERT_TRUE(Verify(graph).ok()) << Verify(graph).error().text();
  EXPECT_EQ(graph.nodes.size(), 3u);
  EXPECT_EQ(graph.outputs, (std::vector<ValueId>{y, next}));
  ASSERT_EQ(graph.state.size(), 1u);
  EXPECT_EQ(graph.state[0].output, next);
}

// x (1 + 2 + 3), by a loop that captures x.
TEST(GraphBuilder, WritesBodies) {
  GraphBuilder b("loops");
  const ValueId x = b.Input("x", kMatrix);
  GraphBuilder body("body");
  const ValueId round = body.Input("round", {ElementType::kI64, {}});
  const ValueId go_on = body.Input("go_on", {ElementType::kBool, {}});
  const ValueId sum = body.Input("sum", kMatrix);
  const ValueId factor = body.Add("Add", {body.As(ElementType::kF32, round), body.Number(1, sum)});
  const ValueId outer = body.Input("x", kMatrix);
  body.Output(go_on);
  body.Output(body.Add("Add", {sum, body.Add("Mul", {outer, factor})}));
  Node loop;
  loop.name = "loop";
  loop.op = "Loop";
  loop.inputs = {b.Integer(3), kNone, b.Constant(Tensor::Zeros(kMatrix))};
  loop.regions = {{"body", std::make_shared<const Graph>(body.Done().value()), {x}}};
  b.Output(b.Append(std::move(loop), {"total"})[0]);
  const auto graph = b.Done();
  ASSERT_TRUE(graph.ok()) << graph.error().text();
  ASSERT_TRUE(Verify(graph.value()).ok()) << Verify(graph.value()).error().text();
  const std::vector<Tensor> given{Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6})};
  const auto made = Interpret(graph.value(), OpTable::BuiltIn(), given);
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(made.value()[0].ToDoubles(), (std::vector<double>{6, 12, 18, 24, 30, 36}));
}

TEST(GraphBuilder, WritesACallWithItsInputs) {
  const OpDef& op = *OpTable::BuiltIn().Find("", "Reshape");
  const Tensor shape = Tensor::Of<int64_t>({1}, {6});
  const Attributes none;
  OpCall call;
  call.op = &op;
  call.attributes = &none;
  call.inputs = {{true, kMatrix, nullptr}, {true, shape.type(), &shape}};
  GraphBuilder b("call");
  const ValueId y = b.AddCall(call, "flat")[0];
  EXPECT_EQ(b.shape(y), Shape{6});
  EXPECT_EQ(b.graph().inputs.size(), 1u);
  EXPECT_EQ(b.graph().value(1).kind, ValueKind::kConstant);
  EXPECT_EQ(b.graph().value(y).name, "flat.out0");
}

}  // namespace
}  // namespace metadist
