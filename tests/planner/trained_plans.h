// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "executor/run/run.h"
#include "metair/ops/graph_builder.h"
#include "metair/passes/passes.h"
#include "metair/training/training.h"
#include "planner/plan/plan.h"

// Steps that train a small model, and a check of their plans by running them.
namespace metadist::trained {

// A perceptron, a normalisation and a head, of 8 rows at a time.
inline Graph Model() {
  GraphBuilder b("model");
  ValueId x = b.Input("x", {ElementType::kF32, {8, 16}});
  const auto weight = [&](const char* name, const Shape& shape) {
    return b.Parameter(name, Tensor::Absent({ElementType::kF32, shape}));
  };
  x = b.Add("Relu", {b.Add("MatMul", {x, weight("w1", {16, 32})})});
  x = b.Add("Add", {x, weight("b1", {32})});
  x = b.Add("LayerNormalization", {x, weight("scale", {32}), weight("shift", {32})});
  b.Append({"out", "", "MatMul", {}, {x, weight("w2", {32, 4})}, {}, {}}, {"y"});
  b.Output(b.graph().FindValue("y"));
  return b.Done().value();
}

inline Graph StepOf(TrainingOptions options) {
  const OpTable& ops = OpTable::BuiltIn();
  options.loss = "mse:y,target";
  const Graph step = MakeTrainingStep(Model(), options, ops).value().graph;
  return RunPasses(step, PassOptions{}, ops).value().graph;
}

inline NamedTensors InputsOf(const Graph& graph) {
  NamedTensors inputs;
  double seed = 1;
  for (const char* name : {"x", "target"}) {
    TensorType type = graph.value(graph.FindValue(name)).type;
    type.shape[0] *= graph.micro_batches;
    std::vector<double> values(static_cast<size_t>(NumElements(type.shape)));
    for (double& value : values) value = std::sin(seed += 1.7);
    inputs[name] = Tensor::Of<double>(type.shape, values).Cast(ElementType::kF32);
  }
  return inputs;
}

inline RunResult Ran(const Graph& graph, const Program& program, int streams = 1) {
  RunOptions options;
  options.random_weights = options.zero_states = true;
  options.iterations = 2;
  options.timeout_seconds = 60;
  options.streams = streams;
  auto run = RunProgram(program, {}, InputsOf(graph), options);
  EXPECT_TRUE(run.ok()) << run.error().text();
  return run.ok() ? std::move(run).value() : RunResult();
}

// Results, memory and collectives of a plan are those of its run.
inline RunResult ExpectTrue(const Graph& graph, const Plan& plan, int streams = 1) {
  const Program program = Lower(plan).value();
  const RunResult one = Ran(graph, SingleDevice(graph));
  RunResult many = Ran(graph, program, streams);
  EXPECT_EQ(one.outputs.size(), many.outputs.size());
  if (one.outputs.size() != many.outputs.size()) return many;
  for (size_t i = 0; i < one.outputs.size(); ++i) {
    const auto expected = one.outputs[i].second.ToDoubles();
    const auto actual = many.outputs[i].second.ToDoubles();
    EXPECT_EQ(expected.size(), actual.size());
    double worst = 0;
    for (size_t j = 0; j < std::min(expected.size(), actual.size()); ++j)
      worst = std::max(worst,
                       std::abs(actual[j] - expected[j]) / (2e-4 + 1e-3 * std::abs(expected[j])));
    EXPECT_LE(worst, 1) << one.outputs[i].first;
  }
  int64_t most = 0;
  for (const RankMemory& memory : many.memory)
    most = std::max(most, memory.peak() - memory.scratch_bytes);
  EXPECT_EQ(plan.peak_bytes(), most);
  std::map<std::string, int64_t> counts;
  for (const auto& [kind, traffic] : plan.prediction.collectives) counts[kind] = traffic.count;
  for (const auto& [kind, count] : many.collectives) {
    EXPECT_EQ(counts[kind], count.count) << kind;
    EXPECT_EQ(plan.prediction.collectives.at(kind).bytes, count.bytes) << kind;
  }
  const auto again = ParseProgram(ProgramText(program));
  EXPECT_TRUE(again.ok()) << again.error().text();
  if (again.ok()) EXPECT_EQ(ProgramText(again.value()), ProgramText(program));
  return many;
}

}  // namespace metadist::trained
