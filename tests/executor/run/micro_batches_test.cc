// SPDX-License-Identifier: Apache-2.0
// A step of several micro-batches is the step of one batch of all their samples.
#include "metair/ir/micro_batches.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "executor/run/run.h"
#include "metair/ir/verify.h"
#include "metair/ops/graph_builder.h"
#include "metair/training/precision.h"
#include "metair/training/recompute.h"
#include "metair/training/training.h"

namespace metadist {
namespace {

const OpTable& Ops() { return OpTable::BuiltIn(); }

constexpr int64_t kSamples = 12;

Tensor Numbers(const Shape& shape, double seed, double scale = 0.4) {
  std::vector<double> values(static_cast<size_t>(NumElements(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = scale * std::sin(seed + static_cast<double>(i * i));
  return Tensor::Of<double>(shape, values).Cast(ElementType::kF32);
}

// y = relu(relu(x w) v) v', all of `samples` rows.
Graph Model(int64_t samples) {
  GraphBuilder b("model");
  ValueId x = b.Input("x", {ElementType::kF32, {samples, 6}});
  x = b.Add("Relu", {b.Add("MatMul", {x, b.Parameter("w", Numbers({6, 16}, 1))})});
  x = b.Add("Relu", {b.Add("MatMul", {x, b.Parameter("v", Numbers({16, 16}, 2))})});
  b.Append({"out", "", "MatMul", {}, {x, b.Parameter("u", Numbers({16, 4}, 3))}, {}, {}}, {"y"});
  b.Output(b.graph().FindValue("y"));
  return b.Done().value();
}

Graph StepOf(TrainingOptions options, int64_t micro_batches) {
  options.loss = "mse:y,target";
  options.micro_batches = micro_batches;
  Graph model = Model(kSamples / micro_batches);
  if (!options.precision.empty())
    model = InPrecision(model, *ParseElementType(options.precision), Ops()).value();
  const auto step = MakeTrainingStep(model, options, Ops());
  EXPECT_TRUE(step.ok()) << step.error().text();
  const Graph graph = Recomputed(step.value().graph, options.recompute).value();
  EXPECT_TRUE(Verify(graph).ok()) << Verify(graph).error().text();
  return graph;
}

// Loss and states after two steps.
std::map<std::string, std::vector<double>> After(const Graph& graph) {
  NamedTensors inputs;
  inputs["x"] = Numbers({kSamples, 6}, 4, 1);
  inputs["target"] = Numbers({kSamples, 4}, 5, 1);
  RunOptions options;
  options.zero_states = true;
  options.iterations = 2;
  const auto run = RunProgram(SingleDevice(graph), {}, inputs, options);
  EXPECT_TRUE(run.ok()) << run.error().text();
  std::map<std::string, std::vector<double>> out;
  if (run.ok())
    for (const auto& [name, tensor] : run.value().outputs) out[name] = tensor.ToDoubles();
  return out;
}

void ExpectOneBatch(const TrainingOptions& options, double tolerance = 1e-5) {
  const auto expected = After(StepOf(options, 1));
  EXPECT_EQ(expected.count("loss"), 1U);
  for (const int64_t micro_batches : {2, 3, 12}) {
    SCOPED_TRACE(micro_batches);
    const auto got = After(StepOf(options, micro_batches));
    ASSERT_EQ(got.size(), expected.size());
    for (const auto& [name, values] : expected) {
      ASSERT_EQ(got.count(name), 1U) << name;
      double largest = 0;
      for (const double value : values) largest = std::max(largest, std::abs(value));
      for (size_t i = 0; i < values.size(); ++i)
        ASSERT_NEAR(got.at(name)[i], values[i], tolerance * (1e-3 + largest)) << name << " " << i;
    }
  }
}

TEST(MicroBatchedStep, IsThatOfOneBatch) {
  ExpectOneBatch({.optimizer = "sgd", .learning_rate = 0.1, .momentum = 0.9});
  ExpectOneBatch({.optimizer = "adamw"}, 1e-4);
}

// They come once, after all gradients.
TEST(MicroBatchedStep, ClipsTheMean) {
  ExpectOneBatch({.optimizer = "sgd", .learning_rate = 0.1, .clip = 0.01});
}

TEST(MicroBatchedStep, ScalesTheLoss) {
  ExpectOneBatch({.optimizer = "sgd", .learning_rate = 0.1, .loss_scale = "1024"});
  ExpectOneBatch({.optimizer = "sgd", .learning_rate = 0.1, .loss_scale = "dynamic"});
}

TEST(MicroBatchedStep, RunsBlocksAgain) {
  ExpectOneBatch({.optimizer = "sgd", .learning_rate = 0.1, .recompute = "full"});
}

TEST(MicroBatchedStep, SumsNarrowGradientsInF32) {
  const TrainingOptions options{.optimizer = "adamw", .precision = "bf16"};
  const Graph graph = StepOf(options, 4);
  int sums = 0;
  for (const StatePair& pair : graph.state) {
    if (!pair.sums) continue;
    ++sums;
    EXPECT_EQ(graph.value(pair.input).type.element, ElementType::kF32);
  }
  EXPECT_EQ(sums, 4);  // three parameters and the loss
  ExpectOneBatch(options, 0.05);
}

// A gradient that waits for its sum would live to the end.
TEST(MicroBatchedStep, SumsGradientsAtOnce) {
  const Graph graph = StepOf({.optimizer = "adamw"}, 2);
  for (size_t n = 1; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].op != "Accumulate") continue;
    const NodeId producer = graph.value(graph.nodes[n].inputs[1]).producer;
    EXPECT_EQ(producer, static_cast<NodeId>(n) - 1) << graph.nodes[n].name;
  }
}

TEST(MicroBatchedStep, UpdatesRunOnce) {
  const Graph graph = StepOf({.optimizer = "adamw", .clip = 1}, 2);
  const std::vector<bool> once = NodesRunOnce(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const std::string& op = graph.nodes[n].op;
    if (op == "AdamW" || op == "Sqrt") EXPECT_TRUE(once[n]) << op;
    if (op == "MatMul" || op == "Accumulate") EXPECT_FALSE(once[n]) << op;
  }
}

// The sum begins at zero in every step, and is carried although its kernel cannot overwrite it; the
// counter counts steps.
TEST(MicroBatchedStep, CarriesWhatIsNotUpdatedInPlace) {
  const Program program = ParseProgram(R"(program
stage ranks 0 mesh 1
graph g opset 26 {
  input %x: f32[2]
  input %s: f32[2]
  input %count: f32[]
  constant %one: f32[] = [1.0]
  %turned: f32[2] = Neg(%s) @turned
  %t: f32[2] = Sub(%x, %turned) @t
  %count.next: f32[] = Add(%count, %one) @next
  output %t
  output %count.next
  state %count -> %count.next
  sum %s -> %t
}
batched %x
schedule 0:0 0:1 0:2
)")
                              .value();
  const NamedTensors inputs{{"x", Tensor::Of<float>({6}, {1, 2, 10, 20, 100, 200})}};
  RunOptions options;
  options.zero_states = true;
  options.warm_up = 0;
  options.iterations = 4;
  const auto run = RunProgram(program, {}, inputs, options);
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_EQ(run.value().outputs[0].second.ToDoubles(), (std::vector<double>{111, 222}));
  EXPECT_EQ(run.value().outputs[1].second.ToDoubles(), std::vector<double>{4});
}

// The loss of the step has the name that the loss of the model has.
TEST(MicroBatchedStep, TheLossKeepsItsName) {
  GraphBuilder b("model");
  const ValueId x = b.Input("x", {ElementType::kF32, {4, 6}});
  const ValueId y = b.Add("MatMul", {x, b.Parameter("w", Numbers({6, 2}, 1))});
  b.Append({"mean", "", "ReduceMean", {{"keepdims", 0}}, {y}, {}, {}}, {"cost"});
  b.Output(b.graph().FindValue("cost"));
  const TrainingOptions options{.optimizer = "sgd", .loss = "cost", .micro_batches = 2};
  const TrainingStep step = MakeTrainingStep(b.Done().value(), options, Ops()).value();
  EXPECT_EQ(step.graph.value(step.graph.outputs[0]).name, "cost");
  EXPECT_EQ(step.loss, step.graph.outputs[0]);
  EXPECT_NE(step.graph.FindValue("w.gradient"), kNone);
}

}  // namespace
}  // namespace metadist
