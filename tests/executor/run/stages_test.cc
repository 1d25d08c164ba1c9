// SPDX-License-Identifier: Apache-2.0
// Programs of several stages and micro-batches, and programs with state, on thread ranks.
#include <gtest/gtest.h>

#include <cmath>

#include "executor/host/random_data.h"
#include "executor/run/run.h"
#include "metair/ops/interpret.h"
#include "metair/spmd/buffer_plan.h"
#include "tests/executor/run/program_cases.h"

namespace metadist {
namespace {

using programs::PipelineCase;

void ExpectNear(const Tensor& got, const Tensor& expected) {
  ASSERT_EQ(got.type(), expected.type());
  const std::vector<double> a = got.ToDoubles();
  const std::vector<double> b = expected.ToDoubles();
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5 + 1e-5 * std::abs(b[i]));
}

RunOptions Drawn(const Graph& whole) {
  RunOptions options;
  options.random_weights = options.random_inputs = true;
  options.drawn_for = &whole;
  options.seed = 9;
  options.timeout_seconds = 30;
  return options;
}

class Pipelines : public testing::TestWithParam<PipelineCase> {};

std::string CaseName(const testing::TestParamInfo<PipelineCase>& info) {
  return std::to_string(info.param.ranks) + "ranks" + std::to_string(info.param.stages) + "stages" +
         std::to_string(info.param.micro_batches) + "batches";
}
INSTANTIATE_TEST_SUITE_P(Threads,
                         Pipelines,
                         testing::ValuesIn(programs::PipelineCases()),
                         CaseName);

TEST_P(Pipelines, EqualOneDevice) {
  const std::string text = programs::PipelineText(GetParam());
  const auto program = ParseProgram(text);
  ASSERT_TRUE(program.ok()) << program.error().text() << text;
  EXPECT_EQ(ProgramText(program.value()), text);
  Graph whole = programs::WholePipeline(GetParam());
  const RunOptions options = Drawn(whole);
  const auto run = RunProgram(program.value(), {}, {}, options);
  ASSERT_TRUE(run.ok()) << run.error().text();

  const OpTable& ops = OpTable::BuiltIn();
  for (auto& [name, tensor] : RandomWeights(whole, options.seed, ops))
    whole.value(whole.FindValue(name)).data = tensor;
  const Tensor x = RandomInputs(whole, options.seed, ops).at("x");
  ASSERT_EQ(run.value().outputs.size(), 1U);
  EXPECT_EQ(run.value().outputs[0].first, "y");
  ExpectNear(run.value().outputs[0].second, Interpret(whole, ops, {{x}}).value()[0]);
}

// Training steps on one device: parameters and states are carried from step to step.
std::vector<Tensor> TrainedByReference(int steps, const RunOptions& options) {
  Graph graph = programs::TrainingStep();
  const OpTable& ops = OpTable::BuiltIn();
  for (auto& [name, tensor] : RandomWeights(graph, options.seed, ops))
    graph.value(graph.FindValue(name)).data = tensor;
  const NamedTensors drawn = RandomInputs(graph, options.seed, ops);
  std::vector<Tensor> inputs;
  for (ValueId id : graph.inputs) inputs.push_back(drawn.at(graph.value(id).name));
  std::vector<Tensor> outputs;
  for (int step = 0; step < steps; ++step) {
    outputs = Interpret(graph, ops, inputs).value();
    for (const StatePair& pair : graph.state) {
      Tensor next;
      for (size_t o = 0; o < graph.outputs.size(); ++o)
        if (graph.outputs[o] == pair.output) next = outputs[o];
      if (graph.value(pair.input).kind == ValueKind::kParameter)
        graph.value(pair.input).data = next;
      for (size_t i = 0; i < graph.inputs.size(); ++i)
        if (graph.inputs[i] == pair.input) inputs[i] = next;
    }
  }
  return outputs;
}

TEST(State, FiveTrainingStepsEqualALoopOfReferenceKernels) {
  const Graph step = programs::TrainingStep();
  for (int ranks : {1, 2, 4}) {
    const auto program = ParseProgram(programs::TrainingText(ranks));
    ASSERT_TRUE(program.ok()) << program.error().text();
    RunOptions options = Drawn(step);
    for (int steps : {1, 5}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(steps) + " steps");
      options.warm_up = steps - 1;
      const auto run = RunProgram(program.value(), {}, {}, options);
      ASSERT_TRUE(run.ok()) << run.error().text();
      const std::vector<Tensor> expected = TrainedByReference(steps, options);
      ASSERT_EQ(run.value().outputs.size(), expected.size());
      for (size_t i = 0; i < expected.size(); ++i) {
        SCOPED_TRACE(run.value().outputs[i].first);
        ExpectNear(run.value().outputs[i].second, expected[i]);
      }
    }
  }
}

// The loss of every step, those before measuring included.
TEST(State, ScalarsOfEveryStepAreKept) {
  const Graph step = programs::TrainingStep();
  for (int ranks : {1, 2}) {
    const Program program = ParseProgram(programs::TrainingText(ranks)).value();
    RunOptions options = Drawn(step);
    options.warm_up = 1;
    options.iterations = 2;
    EXPECT_TRUE(RunProgram(program, {}, {}, options).value().scalars.empty());
    options.watch = true;
    const auto run = RunProgram(program, {}, {}, options);
    ASSERT_TRUE(run.ok()) << run.error().text();
    ASSERT_EQ(run.value().scalars.size(), 1u);
    const auto& [name, values] = run.value().scalars[0];
    size_t place = 0;
    while (run.value().outputs[place].first != name) ++place;
    ASSERT_EQ(values.size(), 3u);
    for (int s = 1; s <= 3; ++s) {
      const double expected = TrainedByReference(s, options)[place].ToDoubles()[0];
      EXPECT_NEAR(values[static_cast<size_t>(s - 1)], expected, 1e-5 * std::abs(expected)) << s;
    }
  }
}

// The momentum is read by one node and written by a later one, so no other buffer is needed. A
// weight is read by the node that computes its next value, which needs another buffer.
TEST(State, IsWrittenWhereItWasOnceNothingReadsItAnyMore) {
  const Program program = ParseProgram(programs::TrainingText(1)).value();
  const Graph graph = Instantiate(OnlyStage(program), 0);
  const BufferPlan plan = PlanBuffers(graph, OpTable::BuiltIn());
  const auto root = [&](const char* name) {
    return plan.slots[static_cast<size_t>(graph.FindValue(name))].root;
  };
  EXPECT_EQ(root("v1n"), graph.FindValue("v1"));
  EXPECT_EQ(root("v2n"), graph.FindValue("v2"));
  EXPECT_EQ(root("w1n"), graph.FindValue("w1n"));
}

// A new state in the buffer where another state begins: two states that are swapped.
TEST(State, ThatChangePlacesDoSo) {
  const char* text =
      "program\nstage ranks 0 mesh 1\ngraph swap opset 26 {\n"
      "  input %a: f32[3]\n  input %b: f32[3]\n"
      "  %sum: f32[3] = Add(%a, %b) @sum\n"
      "  output %sum\n  output %a\n  output %b\n"
      "  state %a -> %b\n  state %b -> %a\n}\nschedule 0:0\n";
  const auto program = ParseProgram(text);
  ASSERT_TRUE(program.ok()) << program.error().text();
  const NamedTensors inputs = {{"a", Tensor::Of<float>({3}, {1, 2, 3})},
                               {"b", Tensor::Of<float>({3}, {4, 5, 6})}};
  for (int steps : {1, 2, 3}) {
    RunOptions options;
    options.warm_up = steps - 1;
    const auto run = RunProgram(program.value(), {}, inputs, options);
    ASSERT_TRUE(run.ok()) << run.error().text();
    const bool swapped = steps % 2 == 0;
    EXPECT_TRUE(Identical(run.value().outputs[1].second, inputs.at(swapped ? "b" : "a")));
    EXPECT_TRUE(Identical(run.value().outputs[2].second, inputs.at(swapped ? "a" : "b")));
  }
}

// What is kept of an output that is a state and is not batched is that of the last micro-batch.
TEST(State, IsCarriedFromMicroBatchToMicroBatch) {
  const char* text =
      "program\nstage ranks 0 mesh 1\ngraph swap opset 26 {\n"
      "  input %a: f32[3]\n  input %b: f32[3]\n"
      "  output %a\n  output %b\n"
      "  state %a -> %b\n  state %b -> %a\n}\nschedule 0:0 0:1\n";
  const auto program = ParseProgram(text);
  ASSERT_TRUE(program.ok()) << program.error().text();
  const NamedTensors inputs = {{"a", Tensor::Of<float>({3}, {1, 2, 3})},
                               {"b", Tensor::Of<float>({3}, {4, 5, 6})}};
  const auto run = RunProgram(program.value(), {}, inputs, {});
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_TRUE(Identical(run.value().outputs[0].second, inputs.at("b")));
  EXPECT_TRUE(Identical(run.value().outputs[1].second, inputs.at("a")));
}

TEST(Programs, ThatCannotRunAreRefusedWithAllReasons) {
  std::string text = programs::PipelineText({4, 2, 2});
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    const auto parsed = ParseProgram(changed);
    return parsed.ok() ? std::string("accepted") : parsed.error().text();
  };
  EXPECT_NE(refused("schedule 0:0 1:0 0:1 1:1", "schedule 0:0 0:1 1:0 1:1")
                .find("1:0 must come before 0:1"),
            std::string::npos);
  EXPECT_NE(refused("schedule 0:0 1:0 0:1 1:1", "schedule 0:0 1:0 0:1")
                .find("every stage must take every micro-batch"),
            std::string::npos);
  EXPECT_NE(refused("stage ranks 2-3 mesh t=2", "stage ranks 2-4 mesh t=2")
                .find("mesh t=2 needs 2 ranks, got 3"),
            std::string::npos);
  EXPECT_NE(refused("batched %x %y", "batched %x %z").find("no input or output is called 'z'"),
            std::string::npos);
  EXPECT_NE(refused("channel 0 %h to 1 %h", "channel 0 %h to 1 %g").find("has no input 'g'"),
            std::string::npos);
}

}  // namespace
}  // namespace metadist
