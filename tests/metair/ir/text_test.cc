// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/text.h"

#include <gtest/gtest.h>

#include <limits>

#include "metair/ir/canonical.h"
#include "metair/ir/verify.h"

namespace metadist {
namespace {

constexpr char kText[] = R"(graph "a graph" opset 26 {
  input %ids: i64[2,?]
  input %flag: bool[]
  parameter %w: f32[64,192] = ...
  constant %shape: i64[2] = [8, -24]
  constant %scale: f16[] = [0.125]
  constant %odd: f64[3] = [inf, nan, 1e-300]
  constant %mask: bool[2] = [true, false]
  constant %empty: f32[0] = []
  constant %"onnx::MatMul 1\n\"": u8[1] = [255]
  %h: f32[192,64] = Gemm(%w, _, %odd) {alpha = 0.1, "b c" = 0.1d, list = [1, 2], names = ["x", "y"], none = floats [], t = tensor i32[2] = [1, 2], text = "a\\b\tc", transB = 0} @"node name"
  %y: f32[], _, %z: bf16[4] = metadist.Pair(%h) @n.1/x
  %c: f32[] = If(%flag) then_branch(%y) graph then opset 26 {
    input %y: f32[]
    %t: f32[] = Neg(%y) @t
    output %t
  } else_branch() graph else opset 26 {
    constant %k: f32[] = [1.0]
    output %k
  } @if
  output %c
  output %z
  output %w
  state %w -> %w
}
)";

TEST(GraphText, ParsesBackToTheSameText) {
  const auto graph = ParseGraph(kText);
  ASSERT_TRUE(graph.ok()) << graph.error().text();
  EXPECT_EQ(GraphText(graph.value()), kText);
  EXPECT_EQ(GraphText(Renumbered(graph.value())), kText);
}

TEST(GraphText, KeepsWhatItSays) {
  const Graph graph = ParseGraph(kText).value();
  EXPECT_EQ(graph.name, "a graph");
  EXPECT_EQ(graph.value(graph.inputs[0]).type, (TensorType{ElementType::kI64, {2, kRunTimeSize}}));
  EXPECT_FALSE(graph.value(graph.FindValue("w")).data.has_data());
  EXPECT_EQ(graph.value(graph.FindValue("shape")).data.ToInts(), (std::vector<int64_t>{8, -24}));
  EXPECT_EQ(graph.value(graph.FindValue("odd")).data.ToDoubles()[2], 1e-300);
  const Node& gemm = graph.node(0);
  EXPECT_EQ(gemm.name, "node name");
  EXPECT_EQ(gemm.inputs[1], kNone);
  EXPECT_EQ(gemm.attributes.Float("alpha", 0), static_cast<double>(0.1F));
  EXPECT_EQ(gemm.attributes.Float("b c", 0), 0.1);
  EXPECT_EQ(gemm.attributes.String("text", ""), "a\\b\tc");
  EXPECT_EQ(graph.node(1).domain, "metadist");
  EXPECT_EQ(graph.node(1).outputs[1], kNone);
  EXPECT_EQ(graph.node(2).regions[0].captures.size(), 1u);
  ASSERT_EQ(graph.state.size(), 1u);
}

TEST(GraphText, LargeConstantsLoseTheirBytes) {
  Graph graph;
  graph.name = "g";
  Value value;
  value.name = "k";
  value.kind = ValueKind::kConstant;
  value.type = {ElementType::kI64, {17}};
  value.data = Tensor::Zeros(value.type);
  graph.outputs = {graph.AddValue(value)};
  EXPECT_EQ(GraphText(graph), "graph g opset 0 {\n  constant %k: i64[17] = ...\n  output %k\n}\n");
}

std::string ErrorOf(const std::string& body) {
  const auto graph = ParseGraph("graph g opset 1 {\n" + body + "\n}");
  return graph.ok() ? "" : graph.error().text();
}

TEST(ParseGraph, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(ParseGraph("").error().text(), "line 1: expected 'graph', got the end of the text");
  EXPECT_EQ(ErrorOf("input %x: f32[2"), "line 3: expected ',', got '}'");
  EXPECT_EQ(ErrorOf("input %x: f31[2]"), "line 2: expected an element type, got 'f31'");
  EXPECT_EQ(ErrorOf("input %x: f32[-2]"), "line 2: sizes must not be negative, got -2");
  EXPECT_EQ(ErrorOf("constant %x: f32[2] = [1.0]"), "line 2: f32[2] has 2 elements, got 1");
  EXPECT_EQ(ErrorOf("constant %x: i8[] = [128]"), "line 2: 128 is out of range for i8");
  EXPECT_EQ(ErrorOf("constant %x: i8[] = [1.5]"), "line 2: '1.5' is not an element of i8");
  EXPECT_EQ(ErrorOf("%y: f32[] = Neg(%x) @n"), "line 2: value 'x' is used before it is made");
  EXPECT_EQ(ErrorOf("%y: f32[] = Neg(%y) @n"), "line 2: value 'y' is used before it is made");
  EXPECT_EQ(ErrorOf("input %x: f32[]\ninput %x: f32[]"), "line 3: value 'x' is made twice");
  EXPECT_EQ(ErrorOf("input %x: f32[]\n%y: f32[] = Neg(%x)\noutput %y"),
            "line 4: expected '(', got '%'");
  EXPECT_EQ(ErrorOf("input %x: f32[]\n%y: f32[] = Neg(%x) {a = [1, 2.0]} @n"),
            "line 3: the values of a list must have one type");
  EXPECT_EQ(ErrorOf("input %\"x: f32[]"), "line 2: expected a name, got a malformed word");
  EXPECT_EQ(ErrorOf("input %x: f32[4611686018427387904,4]").substr(0, 6), "line 2");
}

TEST(Verify, ReportsAllProblems) {
  Graph graph;
  graph.name = "g";
  Value x;
  x.name = "x";
  x.kind = ValueKind::kInput;
  graph.inputs = {graph.AddValue(x)};
  Value y;
  y.name = "x";
  const ValueId a = graph.AddValue(y);
  y.name = "b";
  const ValueId b = graph.AddValue(y);
  Node node;
  node.name = "n";
  node.op = "Neg";
  node.inputs = {b};
  node.outputs = {a};
  graph.AddNode(node);
  node.name = "m";
  node.inputs = {a};
  node.outputs = {b};
  graph.AddNode(node);
  graph.outputs = {7};
  EXPECT_EQ(Verify(graph).error().text(),
            "value 'x': two values have this name\n"
            "node 'n' (Neg): value 'b' is used before it is made\n"
            "output 0: value 7 does not exist");
}

TEST(Verify, StateIsGivenAndItsNewValueIsAnOutputOfItsType) {
  EXPECT_EQ(ErrorOf("input %x: f32[2]\ninput %n: f32[3]\nparameter %w: f32[2] = ...\n"
                    "constant %k: f32[2] = [1.0, 2.0]\n%y: f32[2] = Neg(%x) @y\n"
                    "output %y\noutput %n\n"
                    "state %x -> %y\nstate %w -> %w\nstate %k -> %y\nstate %x -> %n"),
            "state 'w': its new value 'w' must be an output of the graph\n"
            "state 'k': it must be an input or a parameter\n"
            "state 'x': its new value must be f32[2], got f32[3]\n"
            "state 'x': it has two new values");
}

TEST(Verify, StoredTensorsHaveTheTypeOfTheirValue) {
  Graph graph;
  Value value;
  value.name = "k";
  value.kind = ValueKind::kConstant;
  value.type = {ElementType::kI64, {2}};
  value.data = Tensor::Of<int64_t>({3}, {1, 2, 3});
  graph.AddValue(value);
  EXPECT_EQ(Verify(graph).error().text(),
            "value 'k': its stored tensor must be i64[2], got i64[3]");
}

}  // namespace
}  // namespace metadist
