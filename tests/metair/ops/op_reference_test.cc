// SPDX-License-Identifier: Apache-2.0
// Every example of every operator compared with ONNX's own reference implementation, whose results
// are in tests/data/ops_reference.json. scripts/make_ops_reference.py creates that file; it takes
// the cases from this program, which writes them to the file named by METADIST_WRITE_OPS_CASES.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "metair/ops/draw.h"
#include "metair/ops/drawing.h"
#include "metair/ops/example_call.h"
#include "metair/ops/op_table.h"

namespace metadist {
namespace {

using Json = nlohmann::json;

ElementType Widest(ElementType type) {
  return type == ElementType::kF32 ? ElementType::kF64 : type;
}

// The example with f64 in place of f32, so that the comparison can be tight.
OpExample Widen(OpExample example) {
  for (OpExample::Input& input : example.inputs) input.type.element = Widest(input.type.element);
  return example;
}

Json NumberJson(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double NumberOf(const Json& json) {
  return json.is_string() ? std::strtod(json.get<std::string>().c_str(), nullptr)
                          : json.get<double>();
}

Json TensorJson(const Tensor& tensor) {
  Json values = Json::array();
  if (ClassOf(tensor.element()) == ElementClass::kFloat)
    for (double value : tensor.ToDoubles()) values.push_back(NumberJson(value));
  else
    values = tensor.ToInts();
  return {{"type", Name(tensor.element())}, {"shape", tensor.shape()}, {"values", values}};
}

Tensor TensorOf(const Json& json) {
  const ElementType element = *ParseElementType(json.at("type").get<std::string>());
  const Shape shape = json.at("shape").get<Shape>();
  if (ClassOf(element) != ElementClass::kFloat)
    return Tensor::Of(shape, json.at("values").get<std::vector<int64_t>>()).Cast(element);
  std::vector<double> values;
  for (const Json& value : json.at("values")) values.push_back(NumberOf(value));
  return Tensor::Of(shape, values).Cast(element);
}

Json AttributeJson(const Attribute& attribute) {
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Tensor>)
          return TensorJson(value);
        else
          return value;
      },
      attribute);
}

Json CaseJson(const OpDef& op, size_t number, const OpExample& example) {
  const std::vector<Tensor> constants = ConstantsOf(example);
  const std::vector<Tensor> inputs =
      DrawInputs(CallOf(op, example, constants), static_cast<uint64_t>(number)).value();
  Json json{{"op", op.name}, {"example", number}, {"outputs", example.num_outputs}};
  json["attributes"] = Json::object();
  for (const auto& [name, value] : example.attributes.all())
    json["attributes"][name] = AttributeJson(value);
  json["inputs"] = Json::array();
  for (size_t i = 0; i < inputs.size(); ++i)
    json["inputs"].push_back(example.inputs[i].present ? TensorJson(inputs[i]) : Json());
  return json;
}

// tolerance: of results in f64, relative above 1. ONNX's implementation keeps some results in wider
// types.
void ExpectClose(const Tensor& got, const Json& expected, double tolerance) {
  ASSERT_EQ(ShapeText(got.shape()), ShapeText(expected.at("shape").get<Shape>()));
  ASSERT_EQ(ClassOf(got.element()),
            ClassOf(*ParseElementType(expected.at("type").get<std::string>())));
  if (got.element() != ElementType::kF64)
    tolerance = got.element() == ElementType::kF32 ? 1e-6 : 1e-3;
  if (ClassOf(got.element()) != ElementClass::kFloat) tolerance = 0;
  const std::vector<double> values = got.ToDoubles();
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = NumberOf(expected.at("values")[i]);
    if (values[i] == value || (std::isnan(values[i]) && std::isnan(value))) continue;
    EXPECT_NEAR(values[i], value, tolerance * std::max(1.0, std::fabs(value))) << "element " << i;
  }
}

TEST(OpReference, ExamplesEqualOnnx) {
  std::map<std::pair<std::string, size_t>, OpExample> examples;
  for (const OpDef* op : OpTable::BuiltIn().all()) {
    if (!op->domain.empty()) continue;  // ONNX does not have it
    const std::vector<OpExample> list = op->examples();
    for (size_t i = 0; i < list.size(); ++i) {
      const std::vector<Tensor> constants = ConstantsOf(list[i]);
      if (Draws(CallOf(*op, list[i], constants))) continue;  // ONNX draws other numbers
      examples[{op->name, i}] = Widen(list[i]);
    }
  }
  if (const char* path = std::getenv("METADIST_WRITE_OPS_CASES")) {
    Json cases = Json::array();
    for (const auto& [key, example] : examples)
      cases.push_back(CaseJson(*OpTable::BuiltIn().Find("", key.first), key.second, example));
    std::ofstream(path) << cases.dump() << "\n";
    GTEST_SKIP() << "cases written";
  }
  std::ifstream file(METADIST_SOURCE_DIR "/tests/data/ops_reference.json");
  ASSERT_TRUE(file.good());
  const Json cases = Json::parse(file);
  EXPECT_EQ(cases.size(), examples.size()) << "run scripts/make_ops_reference.py";
  for (const Json& json : cases) {
    const std::string name = json.at("op");
    const size_t number = json.at("example");
    SCOPED_TRACE(fmt::format("{}, example {}", name, number));
    ASSERT_EQ((examples.count({name, number})), 1u) << "run scripts/make_ops_reference.py";
    const OpExample& example = examples.at({name, number});
    std::vector<Tensor> inputs;
    for (const Json& input : json.at("inputs"))
      inputs.push_back(input.is_null() ? Tensor() : TensorOf(input));
    const std::vector<Tensor> constants = ConstantsOf(example);
    const OpCall call = CallOf(*OpTable::BuiltIn().Find("", name), example, constants);
    const auto outputs = Evaluate(call, inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.error().text();
    ASSERT_EQ(outputs.value().size(), json.at("outputs").size());
    for (size_t i = 0; i < outputs.value().size(); ++i)
      ExpectClose(outputs.value()[i], json.at("outputs")[i], json.value("tolerance", 1e-12));
  }
}

}  // namespace
}  // namespace metadist
