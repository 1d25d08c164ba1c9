// SPDX-License-Identifier: Apache-2.0
// Mixed precision: narrow weights, their masters, and the scale of the loss.
#include "metair/training/precision.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "metair/ir/verify.h"
#include "metair/ops/graph_builder.h"
#include "metair/ops/interpret.h"
#include "metair/training/training.h"

namespace metadist {
namespace {

const OpTable& Ops() { return OpTable::BuiltIn(); }

Tensor Numbers(const Shape& shape, double seed, double scale = 0.4) {
  std::vector<double> values(static_cast<size_t>(NumElements(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = scale * std::sin(seed + static_cast<double>(i * i));
  return Tensor::Of<double>(shape, values).Cast(ElementType::kF32);
}

// y = relu(x w + mask) v, with a table that depends on positions alone.
Graph Model(double scale = 0.4) {
  GraphBuilder b("model");
  const ValueId x = b.Input("x", {ElementType::kF32, {8, 6}});
  const ValueId w = b.Parameter("w", Numbers({6, 16}, 1, scale));
  const ValueId v = b.Parameter("v", Numbers({16, 4}, 2, scale));
  const ValueId places = b.Input("places", {ElementType::kI64, {16}});
  const ValueId mask = b.Add("Sin", {b.As(ElementType::kF32, places)});
  const ValueId h = b.Add("Relu", {b.Add("Add", {b.Add("MatMul", {x, w}), mask})});
  b.Append({"out", "", "MatMul", {}, {h, v}, {}, {}}, {"y"});
  b.Output(b.graph().FindValue("y"));
  return b.Done().value();
}

ElementType TypeOf(const Graph& graph, const std::string& op) {
  const auto node = std::ranges::find(graph.nodes, op, &Node::op);
  return graph.value(node->outputs[0]).type.element;
}

TEST(Precision, WhatDependsOnParametersIsNarrow) {
  const auto narrow = InPrecision(Model(), ElementType::kBF16, Ops());
  ASSERT_TRUE(narrow.ok()) << narrow.error().text();
  const Graph& graph = narrow.value();
  ASSERT_TRUE(Verify(graph).ok()) << Verify(graph).error().text();
  EXPECT_EQ(TypeOf(graph, "MatMul"), ElementType::kBF16);
  EXPECT_EQ(TypeOf(graph, "Relu"), ElementType::kBF16);
  EXPECT_EQ(TypeOf(graph, "Sin"), ElementType::kF32);
  EXPECT_EQ(graph.value(graph.FindValue("w")).type.element, ElementType::kBF16);
  EXPECT_EQ(graph.value(graph.FindValue("x")).type.element, ElementType::kF32);
  ASSERT_EQ(graph.outputs.size(), 1U);
  EXPECT_EQ(graph.value(graph.outputs[0]).name, "y");
  EXPECT_EQ(graph.value(graph.outputs[0]).type.element, ElementType::kF32);
}

// Names as those that a builder makes.
TEST(Precision, ValuesKeepTheirNames) {
  Graph model = Model();
  const char* odd[] = {"c0", "c1", "v0", "v1", "v2", "Cast1", "c2", "v3", "v4", "c3"};
  for (size_t v = 0; v < model.values.size() && v < std::size(odd); ++v)
    model.values[v].name = odd[v];
  const Graph narrow = InPrecision(model, ElementType::kBF16, Ops()).value();
  ASSERT_TRUE(Verify(narrow).ok()) << Verify(narrow).error().text();
  for (const Value& value : model.values)
    EXPECT_NE(narrow.FindValue(value.name), kNone) << value.name;
  for (const ValueId id : model.OfKind(ValueKind::kParameter)) {
    const Value& same = narrow.value(narrow.FindValue(model.value(id).name));
    EXPECT_EQ(same.kind, ValueKind::kParameter);
    EXPECT_EQ(same.type.shape, model.value(id).type.shape);
  }
}

TEST(Precision, AbsentWeightsStayAbsent) {
  Graph model = Model();
  for (Value& value : model.values)
    if (value.kind == ValueKind::kParameter) value.data = Tensor::Absent(value.type);
  const auto narrow = InPrecision(model, ElementType::kF16, Ops());
  ASSERT_TRUE(narrow.ok()) << narrow.error().text();
  const Value& w = narrow.value().value(narrow.value().FindValue("w"));
  EXPECT_EQ(w.type, (TensorType{ElementType::kF16, {6, 16}}));
  EXPECT_FALSE(w.data.has_data());
}

// As masks of attention have them.
TEST(Precision, NumbersBeyondF16BecomeItsLargest) {
  GraphBuilder b("model");
  const ValueId x = b.Input("x", {ElementType::kF32, {2}});
  const ValueId w = b.Parameter("w", Numbers({2}, 1));
  const ValueId low = b.Constant(Tensor::Of<float>(
      {2}, {std::numeric_limits<float>::lowest(), -std::numeric_limits<float>::infinity()}));
  b.Output(b.Add("Add", {b.Add("Mul", {x, w}), low}));
  const Graph graph = InPrecision(b.Done().value(), ElementType::kF16, Ops()).value();
  const std::vector<Tensor> inputs{Numbers({2}, 3)};
  const auto y = Interpret(graph, Ops(), inputs).value()[0].ToDoubles();
  EXPECT_EQ(y[0], -65504);
  EXPECT_EQ(y[1], -std::numeric_limits<double>::infinity());
}

// Runs steps; keeps the states by name.
class Trainer {
 public:
  explicit Trainer(const TrainingOptions& options, double scale = 0.4) {
    Graph model = Model(scale);
    if (!options.precision.empty())
      model = InPrecision(model, *ParseElementType(options.precision), Ops()).value();
    auto step = MakeTrainingStep(model, options, Ops());
    EXPECT_TRUE(step.ok()) << step.error().text();
    graph_ = step.value().graph;
    EXPECT_TRUE(Verify(graph_).ok()) << Verify(graph_).error().text();
  }

  // x: what the model reads. Returns the loss.
  double Step(const Tensor& x) {
    std::vector<Tensor> inputs;
    for (const ValueId id : graph_.inputs) {
      const Value& value = graph_.value(id);
      inputs.push_back(value.name == "x"        ? x
                       : value.name == "target" ? Numbers(value.type.shape, 5)
                       : value.data.has_data()  ? value.data
                                                : Tensor::Zeros(value.type));
    }
    const std::vector<Tensor> made = Interpret(graph_, Ops(), inputs).value();
    for (const StatePair& pair : graph_.state)
      for (size_t o = 0; o < graph_.outputs.size(); ++o)
        if (graph_.outputs[o] == pair.output) graph_.value(pair.input).data = made[o];
    return made[0].ToDoubles()[0];
  }

  std::vector<double> State(const std::string& name) const {
    return graph_.value(graph_.FindValue(name)).data.ToDoubles();
  }
  bool Has(const std::string& name) const { return graph_.FindValue(name) != kNone; }

 private:
  Graph graph_;
};

const Tensor kX = Numbers({8, 6}, 4, 1);

class Masters : public testing::TestWithParam<TrainingOptions> {};

// Updates far below the weights' precision add up in the masters, and the weights are the rounded
// masters.
TEST_P(Masters, KeepWhatWeightsCannot) {
  TrainingOptions options = GetParam();
  options.loss = "mse:y";
  options.precision = "bf16";
  Trainer with(options), without([&] {
    TrainingOptions none = options;
    none.masters = false;
    return none;
  }());
  const std::vector<double> first = with.State("w");
  for (int s = 0; s < 20; ++s) {
    with.Step(kX);
    without.Step(kX);
  }
  EXPECT_FALSE(without.Has("w.master"));
  EXPECT_EQ(without.State("w"), first);
  const std::vector<double> masters = with.State("w.master"), weights = with.State("w");
  int moved = 0;
  for (size_t i = 0; i < masters.size(); ++i) {
    moved += masters[i] != first[i];
    EXPECT_LT(std::abs(masters[i] - first[i]), 1e-3);
    EXPECT_EQ(weights[i], static_cast<float>(BFloat16(static_cast<float>(masters[i])))) << i;
  }
  EXPECT_GT(moved, static_cast<int>(masters.size()) / 2);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    Masters,
    testing::Values(TrainingOptions{.optimizer = "adamw", .learning_rate = 1e-6},
                    TrainingOptions{.optimizer = "adam", .learning_rate = 1e-6},
                    TrainingOptions{.optimizer = "sgd", .learning_rate = 1e-6},
                    TrainingOptions{.optimizer = "sgd", .learning_rate = 1e-6, .momentum = 0.9}));

TEST(MixedPrecision, LossesAreThoseOfF32) {
  for (const char* precision : {"bf16", "f16"}) {
    TrainingOptions options{.loss = "mse:y", .learning_rate = 0.01};
    Trainer wide(options);
    options.precision = precision;
    Trainer narrow(options);
    for (int s = 0; s < 10; ++s) {
      const double expected = wide.Step(kX);
      EXPECT_NEAR(narrow.Step(kX) / expected, 1, 0.02) << precision << ", step " << s;
    }
  }
}

TEST(LossScale, ANumberChangesNothing) {
  for (const char* optimizer : {"adamw", "sgd"})
    for (const double clip : {0.0, 0.05}) {
      TrainingOptions options{
          .optimizer = optimizer, .loss = "mse:y", .learning_rate = 0.01, .clip = clip};
      Trainer plain(options);
      options.loss_scale = "1024";
      Trainer scaled(options);
      for (int s = 0; s < 4; ++s) EXPECT_NEAR(scaled.Step(kX), plain.Step(kX), 1e-6);
      const auto a = scaled.State("w"), b = plain.State("w");
      for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6);
    }
}

// Of weights and inputs around 1e-4: gradients around 1e-9 vanish in f16 without a scale.
TEST(LossScale, KeepsSmallGradients) {
  TrainingOptions options{
      .optimizer = "sgd", .loss = "mse:y", .learning_rate = 1, .precision = "f16"};
  constexpr double kSmall = 2e-4;
  const Tensor small = Numbers({8, 6}, 4, kSmall);
  const auto moved = [&](const std::string& scale) {
    options.loss_scale = scale;
    Trainer trainer(options, kSmall);
    const auto before = trainer.State("w");
    trainer.Step(small);
    const auto after = trainer.State("w.master");
    int count = 0;
    for (size_t i = 0; i < after.size(); ++i) count += after[i] != before[i];
    return count;
  };
  EXPECT_EQ(moved(""), 0);
  EXPECT_GT(moved("16384"), 60);  // of 96
}

TEST(LossScale, AStepThatOverflowsUpdatesNothing) {
  for (const char* optimizer : {"adamw", "sgd"}) {
    TrainingOptions options{.optimizer = optimizer,
                            .loss = "mse:y",
                            .learning_rate = 0.01,
                            .momentum = optimizer[0] == 's' ? 0.9 : 0,
                            .precision = "f16",
                            .loss_scale = "dynamic"};
    Trainer trainer(options);
    trainer.Step(kX);
    EXPECT_EQ(trainer.State("loss_scale"), std::vector<double>{65536});
    EXPECT_EQ(trainer.State("loss_scale.good"), std::vector<double>{1});
    const auto weights = trainer.State("w"), masters = trainer.State("w.master");
    trainer.Step(Numbers({8, 6}, 4, 1e4));
    EXPECT_EQ(trainer.State("loss_scale"), std::vector<double>{32768});
    EXPECT_EQ(trainer.State("loss_scale.good"), std::vector<double>{0});
    EXPECT_EQ(trainer.State("steps"), std::vector<double>{1});
    EXPECT_EQ(trainer.State("w"), weights);
    EXPECT_EQ(trainer.State("w.master"), masters);
    trainer.Step(kX);
    EXPECT_EQ(trainer.State("steps"), std::vector<double>{2});
    EXPECT_NE(trainer.State("w.master"), masters);
  }
}

TEST(LossScale, OfAnythingElseIsRefused) {
  for (const char* wrong : {"0", "-1", "inf", "1x", "auto"}) {
    const auto step = MakeTrainingStep(Model(), {.loss = "mse:y", .loss_scale = wrong}, Ops());
    ASSERT_FALSE(step.ok()) << wrong;
    EXPECT_EQ(step.error().code, ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace metadist
