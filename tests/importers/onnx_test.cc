// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "importers/onnx/model.h"
#include "importers/onnx/symbolic_size.h"
#include "metair/ir/text.h"
#include "tests/importers/onnx_fixture.h"

namespace metadist {
namespace {

using Onnx = OnnxTest;

TEST_F(Onnx, UnboundSizesAreListed) {
  Input("x", {"batch", "4*seq"});
  Input("z", {"batch"});
  Node("Neg", {"x"}, "y");
  Output("y");
  const auto imported = Import();
  EXPECT_EQ(ErrorOf(imported),
            "m.onnx: the sizes of 'batch', 'seq' are not known\n"
            "  hint: give them: --bind batch=8 --bind seq=8");
  EXPECT_EQ(imported.error().code, ErrorCode::kUsage);
  EXPECT_EQ(ErrorOfImport({.binds = {{"batch", 2}, {"sek", 3}}}),
            "m.onnx: the size of 'seq' is not known\n"
            "  hint: give it: --bind seq=8\n"
            "m.onnx: --bind sek=3: the model has no size 'sek'\n"
            "  hint: did you mean 'seq'?");
  EXPECT_EQ(ErrorOfImport({.binds = {{"batch", 0}, {"seq", 3}}}),
            "m.onnx: --bind batch=0: a size must be at least 1");
  const auto bound = Import({.binds = {{"batch", 2}, {"seq", 3}}});
  ASSERT_TRUE(bound.ok()) << bound.error().text();
  EXPECT_EQ(bound.value().graph.value(bound.value().graph.outputs[0]).type,
            (TensorType{ElementType::kF32, {2, 12}}));
}

TEST_F(Onnx, SmallWeightsAreParametersOfTraining) {
  Input("x", {"6", "4"});
  const auto weight = [&](const char* name, const std::vector<int64_t>& dims) {
    onnx::TensorProto* tensor = Weight(name, dims);
    int64_t count = 1;
    for (const int64_t dim : dims) count *= dim;
    for (int64_t i = 0; i < count; ++i)
      tensor->add_float_data(0.3179931F + 0.0719F * static_cast<float>(i * i));
  };
  weight("w", {4, 1});
  weight("bias", {1});
  weight("scale", {});
  Weight("half", {})->add_float_data(0.5F);
  Node("Gemm", {"x", "w", "bias"}, "h");
  Node("Exp", {"scale"}, "factor");
  Node("Mul", {"h", "factor"}, "scaled");
  Node("Mul", {"scaled", "half"}, "y");
  Output("y");
  const auto parameters = [&](const ImportOptions& options) {
    std::vector<std::string> names;
    const auto imported = Import(options);
    if (!imported.ok()) return names;
    const Graph& g = imported.value().graph;
    for (const ValueId id : g.OfKind(ValueKind::kParameter)) names.push_back(g.value(id).name);
    std::sort(names.begin(), names.end());
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(parameters({}), Names{});
  EXPECT_EQ(parameters({.trainable = Names{}}), (Names{"bias", "scale", "w"}));
  EXPECT_EQ(parameters({.trainable = Names{"half"}}), (Names{"bias", "half", "scale", "w"}));
}

TEST_F(Onnx, SizeExpressions) {
  const std::map<std::string, int64_t> sizes = {{"b", 7}, {"odd name", 3}};
  const auto value = [&](const char* text) {
    std::set<std::string> unbound;
    return EvaluateSize(text, sizes, &unbound).value_or(-1);
  };
  EXPECT_EQ(value("1024*b"), 7168);
  EXPECT_EQ(value("floor((b + 1)/3) - 2"), 0);
  EXPECT_EQ(value("b//2 % 2"), 1);
  EXPECT_EQ(value("Max(1, b, 3)"), 7);
  EXPECT_EQ(value("odd name"), 3);
  EXPECT_EQ(value("2*b + 1"), 15);
  EXPECT_EQ(value("floor(b/2 - 1/2) + 1"), 4);
  EXPECT_EQ(value("ceiling(b/2)"), 4);
  EXPECT_EQ(value("CeilToInt(IntTrueDiv(b, 2))"), 4);
  EXPECT_EQ(value("-b + 10"), 3);
  EXPECT_EQ(value("-(b - 9)**3"), 8);
  EXPECT_EQ(value("Mod(b, 4) + FloorDiv(b, 4)"), 4);
  EXPECT_EQ(value("Min(b, 2*b, 9 - b)"), 2);
  EXPECT_EQ(value("(b*(b + 1))/2"), 28);
  EXPECT_EQ(value("b/2"), -1);
  EXPECT_EQ(value("b**b**b"), -1);
  EXPECT_EQ(value("b**64"), -1);
  EXPECT_EQ(value("nothing(b)"), -1);
  EXPECT_EQ(value("b/0"), -1);
  EXPECT_EQ(value("9223372036854775807*b"), -1);
  EXPECT_EQ(value("unknown"), -1);
  EXPECT_EQ(value("b +"), -1);
  EXPECT_EQ(value(std::string(1000, '(').c_str()), -1);
}

TEST_F(Onnx, MissingWeightsAreAbsent) {
  External("none.bin", "1048576", "16");
  const auto imported = Import();
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  const Graph& g = imported.value().graph;
  EXPECT_EQ(g.value(g.FindValue("w")).kind, ValueKind::kParameter);
  EXPECT_FALSE(g.value(g.FindValue("w")).data.has_data());
  EXPECT_EQ(imported.value().absent_bytes, 16);
  EXPECT_EQ(imported.value().warnings,
            (std::vector<std::string>{"weights of 1 parameter are absent: none.bin not found"}));
}

TEST_F(Onnx, PresentWeightsAreRead) {
  std::string bytes(3, 'x');
  const float values[4] = {1, 2, 3, 4};
  bytes.append(reinterpret_cast<const char*>(values), sizeof values);
  Write("w.bin", bytes);
  External("w.bin", "3", "");
  const auto imported = Import();
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  const Graph& g = imported.value().graph;
  EXPECT_EQ(g.value(g.FindValue("w")).data.ToDoubles(), (std::vector<double>{1, 2, 3, 4}));
}

TEST_F(Onnx, UnknownOperatorsAreOpaqueOrRefused) {
  Input("x", {"4"});
  Node("Softmaxx", {"x"}, "a")->set_name("s");
  onnx::NodeProto* custom = Node("Frob", {"a"}, "b");
  custom->set_domain("com.example");
  auto* import = model_.add_opset_import();
  import->set_domain("com.example");
  import->set_version(1);
  Node("Neg", {"b"}, "y");
  Output("y");
  SetType(graph()->add_value_info(), "a", {"4"});
  SetType(graph()->add_value_info(), "b", {"4"});
  const auto imported = Import();
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  EXPECT_EQ(GraphText(imported.value().graph),
            "graph g opset 26 {\n"
            "  input %x: f32[4]\n"
            "  %a: f32[4] = Softmaxx(%x) @s\n"
            "  %b: f32[4] = com.example.Frob(%a) @Frob_1\n"
            "  %y: f32[4] = Neg(%b) @Neg_2\n"
            "  output %y\n"
            "}\n");
  EXPECT_EQ(imported.value().opaque,
            (std::map<std::string, int>{{"Softmaxx", 1}, {"com.example.Frob", 1}}));
  EXPECT_EQ(imported.value().warnings[0],
            "operator 'Softmaxx' is unknown: 1 node is kept as opaque");
  const auto strict = Import({.strict = true});
  EXPECT_EQ(ErrorOf(strict),
            "m.onnx: operator 'Softmaxx' is unknown: 1 node\n"
            "  hint: did you mean 'Softmax'?\n"
            "m.onnx: operator 'com.example.Frob' is unknown: 1 node");
  EXPECT_EQ(strict.error().code, ErrorCode::kBadInput);
  graph()->clear_value_info();
  EXPECT_EQ(ErrorOfImport(),
            "m.onnx: node 's': Softmaxx: the operator is unknown and the model does not state the "
            "type of 'a'\n"
            "  hint: operators unknown to metadist: Softmaxx com.example.Frob; `--op-library` adds "
            "operators");
}

TEST_F(Onnx, StrayAttributesAreNamed) {
  Input("x", {"4"});
  auto* attribute = Node("Softmax", {"x"}, "y")->add_attribute();
  attribute->set_name("axes");
  attribute->set_type(onnx::AttributeProto::INT);
  Output("y");
  const auto imported = Import();
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  EXPECT_EQ(imported.value().warnings,
            (std::vector<std::string>{"Softmax has no attribute 'axes': it is ignored at 1 node"}));
}

TEST_F(Onnx, OutputsStatedOtherwiseAreNamed) {
  Input("x", {"4"});
  Node("Neg", {"x"}, "y");
  SetType(graph()->add_output(), "y", {"batch", "4"});
  const auto imported = Import();
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  EXPECT_EQ(imported.value().warnings,
            (std::vector<std::string>{"output 'y' is stated as f32[?,4] but is f32[4]"}));
}

// A body reads a large weight (which the importer takes out of the file's graph), a small one and a
// result of the enclosing graph; its own value may share a name with one that is defined later
// outside.
TEST_F(Onnx, BodiesCaptureWhatLiesAroundThem) {
  Input("x", {"64", "64"});
  auto* condition = graph()->add_input();
  SetType(condition, "c", {});
  condition->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::BOOL);
  Weight("large", {64, 64})->set_raw_data(std::string(64 * 64 * 4, '\0'));
  Weight("small", {1})->add_float_data(2);
  Node("Neg", {"x"}, "made");
  onnx::NodeProto* choice = Node("If", {"c"}, "y");
  choice->set_name("choice");
  for (const char* branch : {"then_branch", "else_branch"}) {
    auto* attribute = choice->add_attribute();
    attribute->set_name(branch);
    attribute->set_type(onnx::AttributeProto::GRAPH);
    auto* node = attribute->mutable_g()->add_node();
    const bool then = branch[0] == 't';
    node->set_op_type(then ? "MatMul" : "Mul");
    node->add_input("made");
    node->add_input(then ? "large" : "small");
    node->add_output("later");
    SetType(attribute->mutable_g()->add_output(), "later", {"64", "64"});
    attribute->mutable_g()->set_name(branch);
  }
  Node("Exp", {"y"}, "later");
  SetType(graph()->add_output(), "later", {"64", "64"});
  const auto imported = Import();
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  const Graph& g = imported.value().graph;
  const metadist::Node& node = g.node(1);
  ASSERT_EQ(node.regions.size(), 2u);
  const auto names = [&](const Region& region) {
    std::vector<std::string> captured;
    for (ValueId id : region.captures) captured.push_back(g.value(id).name);
    return captured;
  };
  EXPECT_EQ(names(node.regions[0]), (std::vector<std::string>{"made", "large"}));
  EXPECT_EQ(names(node.regions[1]), (std::vector<std::string>{"made"}));
  EXPECT_EQ(node.regions[1].graph->OfKind(ValueKind::kConstant).size(), 1u);  // small
  const Graph& body = *node.regions[0].graph;
  EXPECT_EQ(TypeText(body.value(body.outputs[0]).type), "f32[64,64]");
}

TEST_F(Onnx, UnsortedNodesAreSorted) {
  Input("x", {"4"});
  Node("Neg", {"a"}, "y");
  Node("Exp", {"x"}, "a");
  Output("y");
  const auto imported = Import();
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  EXPECT_EQ(imported.value().graph.node(0).op, "Exp");
}

TEST_F(Onnx, ModelFunctionsAreInlinedAndNamesKept) {
  model_.mutable_opset_import(0)->set_version(17);
  auto* import = model_.add_opset_import();
  import->set_domain("local");
  import->set_version(1);
  onnx::FunctionProto* function = model_.add_functions();
  function->set_name("Twice");
  function->set_domain("local");
  function->add_input("a");
  function->add_output("b");
  function->add_opset_import()->set_version(17);
  onnx::NodeProto* add = function->add_node();
  add->set_op_type("Add");
  add->add_input("a");
  add->add_input("a");
  add->add_output("b");
  Input("x", {"4"});
  Node("Twice", {"x"}, "t")->set_domain("local");
  Node("Neg", {"t"}, "y")->set_name("the negative");
  Output("y");
  const auto imported = Import();
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  const Graph& g = imported.value().graph;
  ASSERT_EQ(g.nodes.size(), 2u);
  EXPECT_EQ(g.node(0).op, "Add");
  EXPECT_EQ(g.node(1).name, "the negative");
  EXPECT_TRUE(imported.value().opaque.empty());
}

TEST_F(Onnx, InitializersBeforeIr4AreInputsAsWell) {
  model_.set_ir_version(3);
  model_.mutable_opset_import(0)->set_version(8);
  Input("x", {"2"});
  Input("w", {"2"});
  onnx::TensorProto* w = Weight("w", {2});
  w->add_float_data(1);
  w->add_float_data(2);
  Node("Add", {"x", "w"}, "y");
  Output("y");
  const auto imported = Import();
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  EXPECT_EQ(imported.value().graph.inputs.size(), 1u);
}

TEST_F(Onnx, HashFollowsTheBytes) {
  Input("x", {"4"});
  Node("Neg", {"x"}, "y");
  Output("y");
  const std::string before = Import().value().hash;
  EXPECT_EQ(before, Import().value().hash);
  model_.set_producer_name("p");
  EXPECT_NE(before, Import().value().hash);
}

}  // namespace
}  // namespace metadist
