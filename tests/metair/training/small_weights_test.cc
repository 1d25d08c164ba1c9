// SPDX-License-Identifier: Apache-2.0
// Which floats of few elements are weights, and which constants of the model.
#include "metair/training/small_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "metair/ops/graph_builder.h"
#include "metair/training/trained.h"

namespace metadist {
namespace {

using Names = std::vector<std::string>;

const OpTable& Ops() { return OpTable::BuiltIn(); }

// y = op(relu(x) w, t), or op(relu(x), w, t) for Gemm, where t is as an importer leaves it: a
// constant.
Graph Model(const std::string& op, const Tensor& t) {
  GraphBuilder b("model");
  const ElementType element = t.element();
  const ValueId x = b.Input("x", {element, {6, 4}});
  const ValueId w =
      b.Parameter("w", Tensor::Of<double>({4, 1}, {0.31, -0.2871, 0.11, 0.7171}).Cast(element));
  const ValueId number = b.Constant(t);
  const ValueId h = b.Add("Relu", {x});
  const ValueId y =
      op == "Gemm" ? b.Add(op, {h, w, number}) : b.Add(op, {b.Add("MatMul", {h, w}), number});
  b.Output(y);
  return b.Done().value();
}

bool IsWeight(const std::string& op, const Tensor& t) {
  return !SmallWeights(Model(op, t), {}, Ops()).empty();
}

Tensor F32(const Shape& shape, const std::vector<double>& x) {
  return Tensor::Of<double>(shape, x).Cast(ElementType::kF32);
}

TEST(SmallWeights, NumbersThatPeopleWriteAreConstants) {
  const double pi = std::numbers::pi;
  for (const double x : {1e-5,
                         0.5,
                         3.0,
                         -1e9,
                         0.044715,
                         1.702,
                         1.0 / 3,
                         std::sqrt(3072.0),
                         std::pow(128.0, -0.25),
                         std::sqrt(2 / pi),
                         1 / std::sqrt(2 * pi),
                         pi / 180,
                         std::numbers::ln2,
                         0.0,
                         1.0,
                         6.0,
                         static_cast<double>(std::numeric_limits<float>::lowest())}) {
    EXPECT_FALSE(IsWeight("Mul", F32({}, {x}))) << x;
    EXPECT_FALSE(IsWeight("Mul", F32({1}, {x}))) << x;
  }
  for (const double x : {0.4902643859, -0.1514683813, 2.6494643688, 17.31847})
    for (const char* op : {"Mul", "Add", "Gemm"})
      for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 1}})
        EXPECT_TRUE(IsWeight(op, F32(shape, {x}))) << op << ' ' << x;
}

// A layer with one output has a bias of one element, which often starts at 0.
TEST(SmallWeights, ABiasAtItsStartIsAWeight) {
  EXPECT_TRUE(IsWeight("Add", F32({1}, {0})));
  EXPECT_TRUE(IsWeight("Gemm", F32({1}, {0})));
  EXPECT_TRUE(IsWeight("Gemm", F32({1}, {0.5})));
  EXPECT_FALSE(IsWeight("Add", F32({}, {0})));
  EXPECT_FALSE(IsWeight("Add", F32({1}, {0.5})));
  EXPECT_FALSE(IsWeight("Mul", F32({1}, {0})));
  EXPECT_FALSE(IsWeight("Max", F32({1}, {0})));
  // Types of 16 bits cannot tell numbers apart.
  const auto narrow = [](double x) { return F32({1}, {x}).Cast(ElementType::kBF16); };
  EXPECT_FALSE(IsWeight("Mul", narrow(0.4902643859)));
  EXPECT_TRUE(IsWeight("Gemm", narrow(0.4902643859)));
  EXPECT_TRUE(IsWeight("Add", narrow(0)));
}

TEST(SmallWeights, NamedNumbersAreWeights) {
  const Graph graph = Model("Mul", F32({}, {0.5}));
  const std::string name = graph.value(graph.OfKind(ValueKind::kConstant)[0]).name;
  for (const auto& [pattern, count] : std::vector<std::pair<std::string, size_t>>{
           {name, 1}, {"+" + name, 1}, {name + "*", 1}, {"*", 0}, {"-" + name, 0}, {"w", 0}})
    EXPECT_EQ(SmallWeights(graph, {pattern}, Ops()).size(), count) << pattern;
}

// What is trained by default, and with patterns, of a model with a constant t of these elements.
Names TrainedOf(const std::vector<double>& t, const Names& patterns = {}) {
  GraphBuilder b("model");
  const auto n = static_cast<int64_t>(t.size());
  const ValueId x = b.Input("x", {ElementType::kF32, {6, n}});
  b.Output(b.Add("Mul", {x, b.Parameter("t", F32({1, n}, t))}));
  const Graph graph = b.Done().value();
  Names names;
  const auto trained = TrainedParameters(graph, patterns, Ops());
  if (!trained.ok()) return {trained.error().text()};
  for (const ValueId id : trained.value()) names.push_back(graph.value(id).name);
  return names;
}

TEST(Trained, RowsThatPeopleWroteAreConstants) {
  for (const std::vector<double>& row : std::vector<std::vector<double>>{
           {0.485, 0.456, 0.406}, {0.1, 0.5, 0.9}, {1, 2, 0.5, 1, 3}, {0.5}})
    EXPECT_EQ(TrainedOf(row), Names{});
  for (const std::vector<double>& row : std::vector<std::vector<double>>{
           {0, 0, 0}, {1, 1}, {0, 1, 0, 0}, {0.3, 0.3}, {0.4851727, 0.456, 0.406}, {0.3179931}})
    EXPECT_EQ(TrainedOf(row), Names{"t"});
}

TEST(Trained, PatternsWithSignsChangeTheDefault) {
  EXPECT_EQ(TrainedOf({0.1, 0.5}, {"+t"}), Names{"t"});
  EXPECT_EQ(TrainedOf({0.1, 0.5}, {"t"}), Names{"t"});
  EXPECT_EQ(TrainedOf({0.1, 0.5}, {"-t", "+t"}), Names{"t"});
  EXPECT_EQ(TrainedOf({0.3179931, 0.5}, {"+t", "-t"}), Names{});
  EXPECT_NE(TrainedOf({0.5}, {"+q"})[0].find("'+q': no parameter has such a name"),
            std::string::npos);
}

}  // namespace
}  // namespace metadist
