// SPDX-License-Identifier: Apache-2.0
//
// Operators with another meaning or name in older opsets; and functions.
#include <cmath>

#include "metair/ir/text.h"
#include "metair/ops/interpret.h"
#include "tests/importers/onnx_fixture.h"

namespace metadist {
namespace {

class OldMeaning : public OnnxTest {
 protected:
  void Opset(int version) { model_.mutable_opset_import(0)->set_version(version); }

  static void Set(onnx::NodeProto* node, const std::string& name, int64_t value) {
    auto* attribute = node->add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(value);
  }

  // The first output for the given inputs.
  Tensor Run(const std::vector<Tensor>& inputs) {
    const auto imported = Import();
    if (!imported.ok()) {
      ADD_FAILURE() << imported.error().text();
      return {};
    }
    const auto results = Interpret(imported.value().graph, OpTable::BuiltIn(), inputs);
    if (!results.ok()) {
      ADD_FAILURE() << results.error().text() << GraphText(imported.value().graph);
      return {};
    }
    return results.value()[0];
  }
};

TEST_F(OldMeaning, SoftmaxBefore13RunsOverAllDimsFromItsAxisOn) {
  Opset(11);
  Input("x", {"2", "3", "4"});
  Set(Node("Softmax", {"x"}, "y"), "axis", 1);
  Output("y");
  const Tensor y = Run({Tensor::Zeros({ElementType::kF32, {2, 3, 4}})});
  ASSERT_EQ(TypeText(y.type()), "f32[2,3,4]");
  for (double value : y.ToDoubles()) EXPECT_NEAR(value, 1.0 / 12, 1e-6);
}

TEST_F(OldMeaning, SoftmaxBefore13HasAxis1UnlessStated) {
  Opset(9);
  Input("x", {"2", "3", "4"});
  Node("LogSoftmax", {"x"}, "y");
  Output("y");
  for (double value : Run({Tensor::Zeros({ElementType::kF32, {2, 3, 4}})}).ToDoubles())
    EXPECT_NEAR(value, -std::log(12.0), 1e-5);
}

// Operators that metadist may not support: only the result of their conversion is tested.
class Converted : public OldMeaning {
 protected:
  void Strings(onnx::NodeProto* node, const std::string& name, const std::string& value) {
    auto* attribute = node->add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::STRING);
    attribute->set_s(value);
  }
  std::string Text() {
    const auto imported = Import();
    return imported.ok() ? GraphText(imported.value().graph) : imported.error().text();
  }
};

TEST_F(Converted, UpsampleKeepsItsCoordinates) {
  Opset(9);
  Input("x", {"1", "1", "2", "2"});
  auto* scales = Weight("s", {4});
  for (float scale : {1, 1, 2, 2}) scales->add_float_data(scale);
  Strings(Node("Upsample", {"x", "s"}, "y"), "mode", "linear");
  Output("y");
  const std::string text = Text();
  EXPECT_NE(text.find("f32[1,1,4,4] = Resize("), text.npos) << text;
  EXPECT_NE(text.find("coordinate_transformation_mode = \"asymmetric\", mode = \"linear\", "
                      "nearest_mode = \"floor\""),
            text.npos)
      << text;
}

TEST_F(Converted, HardmaxBefore13RunsOverAllDimsFromItsAxisOn) {
  Opset(12);
  Input("x", {"2", "3", "4"});
  Node("Hardmax", {"x"}, "y");
  Output("y");
  const std::string text = Text();
  EXPECT_NE(text.find("f32[2,12] = Hardmax("), text.npos) << text;
  EXPECT_NE(text.find("%y: f32[2,3,4] = Reshape("), text.npos) << text;
}

TEST_F(OldMeaning, ScatterIsScatterElements) {
  Opset(10);
  Input("x", {"3"});
  Input("u", {"2"});
  auto* indices = Weight("i", {2});
  indices->set_data_type(onnx::TensorProto::INT64);
  indices->add_int64_data(2);
  indices->add_int64_data(0);
  Node("Scatter", {"x", "i", "u"}, "y");
  Output("y");
  const Tensor y = Run({Tensor::Of<float>({3}, {1, 2, 3}), Tensor::Of<float>({2}, {8, 9})});
  EXPECT_EQ(y.ToDoubles(), (std::vector<double>{9, 2, 8}));
}

TEST_F(OldMeaning, BroadcastOfOnlyOneOperand) {
  Opset(7);
  Input("x", {"2", "2"});
  auto* w = Weight("w", {2});
  w->add_float_data(1);
  w->add_float_data(2);
  Node("Sub", {"x", "w"}, "y");
  Output("y");
  EXPECT_EQ(Run({Tensor::Of<float>({2, 2}, {1, 2, 3, 4})}).ToDoubles(),
            (std::vector<double>{0, 0, 2, 2}));
}

class Functions : public OldMeaning {
 protected:
  Functions() {
    auto* import = model_.add_opset_import();
    import->set_domain("local");
    import->set_version(1);
    Input("x", {"2"});
    Output("y");
  }

  // b = LeakyRelu(a), whose alpha is the function's attribute `slope`, or (no default) LeakyRelu's.
  onnx::FunctionProto* Leaky(const std::string& overload, bool with_default) {
    onnx::FunctionProto* function = model_.add_functions();
    function->set_name("Leaky");
    function->set_domain("local");
    function->set_overload(overload);
    function->add_input("a");
    function->add_output("b");
    function->add_opset_import()->set_version(20);
    onnx::NodeProto* node = function->add_node();
    node->set_op_type(overload.empty() ? "LeakyRelu" : "Elu");
    node->add_input("a");
    node->add_output("b");
    auto* alpha = node->add_attribute();
    alpha->set_name("alpha");
    alpha->set_type(onnx::AttributeProto::FLOAT);
    alpha->set_ref_attr_name("slope");
    if (!with_default) {
      function->add_attribute("slope");
      return function;
    }
    auto* slope = function->add_attribute_proto();
    slope->set_name("slope");
    slope->set_type(onnx::AttributeProto::FLOAT);
    slope->set_f(0.25F);
    return function;
  }

  onnx::NodeProto* Call(const std::string& overload) {
    onnx::NodeProto* call = Node("Leaky", {"x"}, "y");
    call->set_domain("local");
    call->set_overload(overload);
    return call;
  }

  double Of(float x) { return Run({Tensor::Of<float>({2}, {x, 1})}).ToDoubles().at(0); }
};

TEST_F(Functions, AttributeOfTheCall) {
  Leaky("", /*with_default=*/true);
  auto* slope = Call("")->add_attribute();
  slope->set_name("slope");
  slope->set_type(onnx::AttributeProto::FLOAT);
  slope->set_f(0.5F);
  EXPECT_NEAR(Of(-4), -2, 1e-6);
}

TEST_F(Functions, DefaultOfTheFunction) {
  Leaky("", /*with_default=*/true);
  Call("");
  EXPECT_NEAR(Of(-4), -1, 1e-6);
}

TEST_F(Functions, DefaultOfTheOperator) {
  Leaky("", /*with_default=*/false);
  Call("");
  EXPECT_NEAR(Of(-4), -0.04, 1e-6);
}

TEST_F(Functions, OverloadIsChosen) {
  Leaky("", /*with_default=*/true);
  Leaky("smooth", /*with_default=*/true);
  Call("smooth");
  EXPECT_NEAR(Of(-4), 0.25 * (std::exp(-4.0) - 1), 1e-6);
}

TEST_F(Functions, OfAnOlderOpset) {
  onnx::FunctionProto* function = Leaky("", /*with_default=*/true);
  function->mutable_opset_import(0)->set_version(11);
  auto* node = function->mutable_node(0);
  node->set_op_type("Softmax");
  node->mutable_attribute()->Clear();
  Call("");
  model_.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  auto* shape = model_.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
  for (int size : {1, 2, 2}) shape->mutable_shape()->add_dim()->set_dim_value(size);
  const Tensor y = Run({Tensor::Zeros({ElementType::kF32, {1, 2, 2}})});
  for (double value : y.ToDoubles()) EXPECT_NEAR(value, 0.25, 1e-6);
}

}  // namespace
}  // namespace metadist
