// SPDX-License-Identifier: Apache-2.0
// ONNX's operator Gradient: written out as the nodes that compute it.
#include <fmt/format.h>
#include <onnx/defs/parser.h>

#include "metair/ops/interpret.h"
#include "tests/importers/onnx_fixture.h"

namespace metadist {
namespace {

class Gradients : public OnnxTest {
 protected:
  // graph: in the ONNX project's text form.
  Result<Imported> Read(const std::string& graph) {
    const std::string text =
        "<ir_version: 10, opset_import: [\"\" : 20, \"ai.onnx.preview.training\" : 1]>\n" + graph;
    const auto parsed = onnx::OnnxParser(text.c_str()).Parse(model_);
    EXPECT_TRUE(parsed.IsOK()) << parsed.ErrorMessage();
    return Import();
  }

  // Outputs for inputs that are all `x`.
  std::string Run(const std::string& graph, float x) {
    const auto imported = Read(graph);
    if (!imported.ok()) return imported.error().text();
    EXPECT_TRUE(imported.value().opaque.empty());
    const Graph& read = imported.value().graph;
    std::vector<Tensor> inputs;
    for (ValueId id : read.OfKind(ValueKind::kInput)) {
      inputs.push_back(Tensor::Zeros(read.value(id).type));
      for (int64_t i = 0; i < inputs.back().size(); ++i)
        inputs.back().mutable_data<float>()[i] = x + static_cast<float>(i);
    }
    const auto results = Interpret(read, OpTable::BuiltIn(), inputs);
    if (!results.ok()) return results.error().text();
    std::string text;
    for (size_t o = 0; o < results.value().size(); ++o) {
      text += (text.empty() ? "" : "; ") + read.value(read.outputs[o]).name;
      for (double value : results.value()[o].ToDoubles()) text += fmt::format(" {}", value);
    }
    return text;
  }
};

TEST_F(Gradients, OfElements) {
  EXPECT_EQ(Run(R"(g (float[3] x) => (float[3] dx) {
    y = Mul(x, x)
    dx = ai.onnx.preview.training.Gradient<xs = ["x"], y = "y">(x)
  })",
                1),
            "dx 2 4 6");
}

// What y does not depend on has a gradient of 0; results may be read and left out.
TEST_F(Gradients, OfSomeOfTheValues) {
  EXPECT_EQ(Run(R"(g (float[2] x, float[2] z, float[2] w) => (float[2] twice, float[2] dw) {
    h = Mul(x, z)
    y = ReduceSum<keepdims = 0>(h)
    dx, _, dw = ai.onnx.preview.training.Gradient<xs = ["x", "h", "w"], zs = ["z"], y = "y">
        (x, h, w, z)
    twice = Add(dx, dx)
  })",
                3),
            "twice 6 8; dw 0 0");
}

TEST_F(Gradients, OfGradients) {
  EXPECT_EQ(Run(R"(g (float[2] x) => (float[2] ddx) {
    square = Mul(x, x)
    y = Mul(square, x)
    dx = ai.onnx.preview.training.Gradient<xs = ["x"], y = "y">(x)
    ddx = ai.onnx.preview.training.Gradient<xs = ["x"], y = "dx">(x)
  })",
                1),
            "ddx 6 12");
}

TEST_F(Gradients, ElsewhereAreRefused) {
  EXPECT_EQ(
      ErrorOf(Read(R"(g (float[2] x, float[2] z) => (float[2] dx) {
    y = Mul(x, x)
    dx = ai.onnx.preview.training.Gradient<xs = ["x"], y = "y">(z)
  })")),
      "m.onnx: node 'Gradient_1' (Gradient): its inputs must be the values that 'xs' and 'zs' "
      "name (x), got z");
}

TEST_F(Gradients, OfUnknownValuesAreRefused) {
  EXPECT_EQ(ErrorOf(Read(R"(g (float[2] x) => (float[2] dx) {
    dx = ai.onnx.preview.training.Gradient<xs = ["x"], y = "q">(x)
  })")),
            "m.onnx: value 'q': it is undefined");
}

TEST_F(Gradients, OfNamelessValuesAreRefused) {
  ASSERT_TRUE(Read(R"(g (float[2] x, float[2] z) => (float[2] dx, float[2] dz) {
    y = Mul(x, z)
    dx, dz = ai.onnx.preview.training.Gradient<xs = ["x", "z"], y = "y">(x, z)
  })")
                  .ok());
  const onnx::ModelProto valid = model_;
  const std::string refused =
      "m.onnx: node 'Gradient_1' (Gradient): attributes 'xs', 'zs' and 'y' must name values";
  const auto attribute = [&](const char* name) {
    for (auto& each : *model_.mutable_graph()->mutable_node(1)->mutable_attribute())
      if (each.name() == name) return &each;
    return static_cast<onnx::AttributeProto*>(nullptr);
  };
  attribute("y")->set_s("");
  EXPECT_EQ(ErrorOf(Import()), refused);
  model_ = valid;
  attribute("xs")->set_strings(1, "");
  model_.mutable_graph()->mutable_node(1)->set_input(1, "");
  EXPECT_EQ(ErrorOf(Import()), refused);
}

TEST_F(Gradients, WithoutAnyAreRefused) {
  const std::string text = ErrorOf(Read(R"(g (float[4] x) => (float[4] dx) {
    numbers = Constant<value_ints = [1, 2, 3, 4]>()
    q = Cast<to = 3>(numbers)
    y = DequantizeLinear<axis = 0>(q, x)
    dx = ai.onnx.preview.training.Gradient<xs = ["x"], y = "y">(x)
  })"));
  EXPECT_NE(text.find("Gradient"), text.npos) << text;
  EXPECT_NE(text.find("DequantizeLinear"), text.npos) << text;
}

}  // namespace
}  // namespace metadist
