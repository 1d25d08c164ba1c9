// SPDX-License-Identifier: Apache-2.0
#include "metair/training/training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "metair/ir/verify.h"
#include "metair/ops/graph_builder.h"
#include "metair/ops/interpret.h"
#include "metair/training/trained.h"
#include "metair/training/value_roles.h"

namespace metadist {
namespace {

TensorType F32(Shape shape) { return {ElementType::kF32, std::move(shape)}; }

// y = relu(x w + b) v, of 4 rows.
Graph Perceptron() {
  GraphBuilder b("perceptron");
  const auto weights = [](const Shape& shape, double scale) {
    std::vector<double> values(static_cast<size_t>(NumElements(shape)));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = scale * std::sin(1 + static_cast<double>(i * i));
    return Tensor::Of<double>(shape, values).Cast(ElementType::kF32);
  };
  const ValueId x = b.Input("x", F32({4, 6}));
  const ValueId w = b.Parameter("w", weights({6, 8}, 0.5));
  const ValueId bias = b.Parameter("b", weights({8}, 0.25));
  const ValueId v = b.Parameter("v", weights({8, 3}, 0.5));
  const ValueId h = b.Add("Relu", {b.Add("Add", {b.Add("MatMul", {x, w}), bias})});
  b.Append({"out", "", "MatMul", {}, {h, v}, {}, {}}, {"y"});
  b.Output(b.graph().FindValue("y"));
  return b.Done().value();
}

// Runs steps, each on the states that the one before has left. Returns the losses.
std::vector<double> Train(Graph& graph, const NamedTensors& data, int steps) {
  std::vector<double> losses;
  for (int s = 0; s < steps; ++s) {
    std::vector<Tensor> inputs;
    for (const ValueId id : graph.inputs) {
      const Value& value = graph.value(id);
      const auto given = data.find(value.name);
      inputs.push_back(given != data.end()     ? given->second
                       : value.data.has_data() ? value.data
                                               : Tensor::Zeros(value.type));
    }
    const auto outputs = Interpret(graph, OpTable::BuiltIn(), inputs);
    EXPECT_TRUE(outputs.ok()) << outputs.error().text();
    if (!outputs.ok()) return losses;
    losses.push_back(outputs.value()[0].ToDoubles()[0]);
    for (const StatePair& pair : graph.state)
      for (size_t o = 0; o < graph.outputs.size(); ++o)
        if (graph.outputs[o] == pair.output) graph.value(pair.input).data = outputs.value()[o];
  }
  return losses;
}

NamedTensors Data() {
  std::vector<double> x(24), target(12);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::cos(2 + static_cast<double>(i));
  for (size_t i = 0; i < target.size(); ++i) target[i] = std::cos(3 * static_cast<double>(i));
  return {{"x", Tensor::Of<double>({4, 6}, x).Cast(ElementType::kF32)},
          {"target", Tensor::Of<double>({4, 3}, target).Cast(ElementType::kF32)}};
}

class Optimized : public testing::TestWithParam<const char*> {};

TEST_P(Optimized, LossesFall) {
  TrainingOptions options{.optimizer = GetParam(), .loss = "mse:y", .learning_rate = 0.01};
  if (options.optimizer == "sgd") options.momentum = 0.5;
  const auto step = MakeTrainingStep(Perceptron(), options, OpTable::BuiltIn());
  ASSERT_TRUE(step.ok()) << step.error().text();
  ASSERT_TRUE(Verify(step.value().graph).ok()) << Verify(step.value().graph).error().text();
  EXPECT_EQ(step.value().trained.size(), 3U);
  Graph graph = step.value().graph;
  const std::vector<double> losses = Train(graph, Data(), 5);
  ASSERT_EQ(losses.size(), 5U);
  for (size_t s = 1; s < losses.size(); ++s) EXPECT_LT(losses[s], losses[s - 1]);
}

INSTANTIATE_TEST_SUITE_P(All, Optimized, testing::Values("adam", "adamw", "sgd"));

// Labels are a new input; -100 is ignored.
TEST(Training, CrossEntropyOfNewLabels) {
  const auto step = MakeTrainingStep(
      Perceptron(), {.optimizer = "sgd", .loss = "cross_entropy:y"}, OpTable::BuiltIn());
  ASSERT_TRUE(step.ok()) << step.error().text();
  Graph graph = step.value().graph;
  NamedTensors data{{"x", Data().at("x")}};
  const auto loss = [&](const std::vector<int64_t>& labels) {
    data["labels"] = Tensor::Of<int64_t>({4}, labels);
    return Train(graph, data, 1).at(0);
  };
  const Graph first = graph;
  const double all = loss({0, 1, 2, 0});
  graph = first;
  const double some = loss({0, 1, -100, -100});
  graph = first;
  const double others = loss({-100, -100, 2, 0});
  EXPECT_NEAR(all, (some + others) / 2, 1e-6);
  EXPECT_GT(all, 0);
}

TEST(Training, UnknownNamesAreRefused) {
  const auto message = [](const TrainingOptions& options) {
    const auto step = MakeTrainingStep(Perceptron(), options, OpTable::BuiltIn());
    return step.ok() ? std::string("made") : step.error().text();
  };
  EXPECT_NE(message({.optimizer = "adamm"}).find("unknown optimizer 'adamm'"), std::string::npos);
  EXPECT_NE(message({}).find("0 of the model's 1 outputs are scalars"), std::string::npos);
  EXPECT_NE(message({.loss = "mse:z"}).find("the model has no output 'z'"), std::string::npos);
  EXPECT_NE(message({.loss = "mse:y", .trainable = {"q*"}}).find("no parameter has such a name"),
            std::string::npos);
}

// y = (x + table) w, where the table may be a parameter.
std::vector<std::string> TrainedBesides(const Tensor& table,
                                        ElementType element = ElementType::kF32) {
  GraphBuilder b("model");
  const ValueId x = b.Input("x", {element, table.shape()});
  std::vector<double> values(static_cast<size_t>(table.shape().back()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i * i));
  const ValueId w =
      b.Parameter("w", Tensor::Of<double>({table.shape().back(), 1}, values).Cast(element));
  const ValueId t = b.Parameter("t", table.Cast(element));
  b.Append({"out", "", "MatMul", {}, {b.Add("Add", {x, t}), w}, {}, {}}, {"y"});
  b.Output(b.graph().FindValue("y"));
  const Graph graph = b.Done().value();
  const auto trained = TrainedParameters(graph, {}, OpTable::BuiltIn());
  std::vector<std::string> names;
  for (const ValueId id : trained.value()) names.push_back(graph.value(id).name);
  return names;
}

Tensor Table(const Shape& shape, double (*at)(double row, double column)) {
  std::vector<double> values;
  for (int64_t r = 0; r < shape[0]; ++r)
    for (int64_t c = 0; c < shape[1]; ++c)
      values.push_back(at(static_cast<double>(r), static_cast<double>(c)));
  return Tensor::Of<double>(shape, values);
}

TEST(Trained, WeightsAreToldFromTables) {
  using Names = std::vector<std::string>;
  const Shape shape{12, 8};
  const auto weights = [](double r, double c) { return std::sin(1e3 * r * r + 77 * c * c * c); };
  EXPECT_EQ(TrainedBesides(Table(shape, weights)), (Names{"w", "t"}));
  const auto bias = [](double, double) { return 0.0; };
  EXPECT_EQ(TrainedBesides(Table({1, 8}, bias)), (Names{"w", "t"}));
  for (double (*at)(double, double) :
       {+[](double r, double c) { return std::sin(r * std::pow(0.1, c / 4)); },
        +[](double r, double) { return r; },
        +[](double r, double c) { return c > r ? -1e9 : 0.0; },
        +[](double r, double c) { return c > r ? -INFINITY : std::sin(r * r + c * c); },
        +[](double, double) { return 1.0; }})
    EXPECT_EQ(TrainedBesides(Table(shape, at)), Names{"w"});
  // Weights of narrow types repeat numbers, too.
  EXPECT_EQ(TrainedBesides(Table({200, 200}, weights), ElementType::kBF16), (Names{"w", "t"}));
  EXPECT_EQ(TrainedBesides(Table({1, 8}, [](double, double c) { return std::pow(0.5, c); })),
            Names{"w"});
}

TEST(Training, UpdatesFollowTheirGradients) {
  for (const double clip : {0.0, 1.0}) {
    const auto step = MakeTrainingStep(
        Perceptron(), {.loss = "mse:y", .momentum = 0.5, .clip = clip}, OpTable::BuiltIn());
    const Graph& graph = step.value().graph;
    ASSERT_TRUE(Verify(graph).ok()) << Verify(graph).error().text();
    const auto made = [&](const char* name) { return graph.value(graph.FindValue(name)).producer; };
    // Only a limit of the norm of all gradients makes an update wait for the others.
    EXPECT_EQ(made("v.next") < made("w.gradient"), clip == 0);
  }
}

TEST(Training, RolesAreFoundInTheGraph) {
  for (const char* optimizer : {"sgd", "adamw"})
    for (const double clip : {0.0, 1.0}) {
      const auto step =
          MakeTrainingStep(Perceptron(),
                           {.optimizer = optimizer, .loss = "mse:y", .momentum = 0.5, .clip = clip},
                           OpTable::BuiltIn());
      const Graph& graph = step.value().graph;
      const std::vector<ValueRole> roles = RolesOf(graph);
      const auto role = [&](const std::string& name) {
        return roles[static_cast<size_t>(graph.FindValue(name))];
      };
      EXPECT_EQ(role("x"), ValueRole::kData);
      EXPECT_EQ(role("target"), ValueRole::kData);
      EXPECT_EQ(role("lr"), ValueRole::kData);
      for (const std::string w : {"w", "b", "v"}) {
        EXPECT_EQ(role(w), ValueRole::kWeight);
        EXPECT_EQ(role(w + ".gradient"), ValueRole::kGradient) << w << optimizer << clip;
        EXPECT_EQ(role(w + ".next"), ValueRole::kUpdated);
        const std::string state = w + (optimizer[0] == 's' ? ".momentum" : ".mean");
        EXPECT_EQ(role(state), ValueRole::kOptimizerState);
        EXPECT_EQ(role(state + ".next"), ValueRole::kUpdated);
      }
      EXPECT_EQ(std::ranges::count(roles, ValueRole::kGradient), clip > 0 ? 6 : 3);
      EXPECT_EQ(role("y"), ValueRole::kOther);
    }
}

TEST(Training, InferenceHasNoStates) {
  const Graph graph = Perceptron();
  EXPECT_FALSE(IsTrainingStep(graph));
  const std::vector<ValueRole> roles = RolesOf(graph);
  EXPECT_EQ(std::ranges::count(roles, ValueRole::kWeight), 3);
  EXPECT_EQ(std::ranges::count(roles, ValueRole::kData), 1);
}

TEST(Training, PatternsChooseParameters) {
  const auto names = [](std::vector<std::string> patterns) {
    const auto step = MakeTrainingStep(
        Perceptron(), {.loss = "mse:y", .trainable = std::move(patterns)}, OpTable::BuiltIn());
    std::string all;
    for (const Trained& trained : step.value().trained) all += trained.name;
    return all;
  };
  EXPECT_EQ(names({"?"}), "wbv");
  EXPECT_EQ(names({"-v"}), "wb");
  EXPECT_EQ(names({"-v", "v", "-w"}), "bv");
  EXPECT_EQ(names({"*", "-w"}), "bv");
}

}  // namespace
}  // namespace metadist
