// SPDX-License-Identifier: Apache-2.0
// Templates on GPT-like models: collectives by kind, as the published formulas count them.
//
// Source: Table 1 of Alabed et al. 2022, "Automatic discovery of composite SPMD partitioning
// strategies in PartIR" (arXiv 2210.06352): a model of 24 layers, 16 tensors a layer and two
// tables, on a mesh of 8 by 4.
#include "planner/space/templates.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "metair/ops/graph_builder.h"
#include "metair/passes/passes.h"
#include "metair/training/training.h"
#include "tests/planner/gpt_model.h"
#include "tests/planner/plan_request_for.h"

namespace metadist {
namespace {

const OpTable& Ops() { return OpTable::BuiltIn(); }

constexpr int kTensorsOfLayer = 16;
constexpr int kTables = 2;

// Of 16 sequences: heads of 96, 1024 wide.
GptSize Size(int layers) { return {.layers = layers}; }

Graph GptStep(int layers) {
  const TrainingStep step = GptTrainingStep(Size(layers));
  EXPECT_EQ(static_cast<int>(step.trained.size()), kTensorsOfLayer * layers + kTables);
  return RunPasses(step.graph, PassOptions{}, Ops()).value().graph;
}

struct Counts {
  int gather = 0, reduce = 0, scatter = 0, others = 0;
  bool operator==(const Counts&) const = default;
};

void PrintTo(const Counts& c, std::ostream* out) {
  *out << fmt::format("AG {}, AR {}, RS {}, others {}", c.gather, c.reduce, c.scatter, c.others);
}

Counts Count(const Plan& plan) {
  Counts out;
  for (const Redistribution& redistribution : plan.redistributions)
    for (const CollectiveStep& step : redistribution.steps) {
      if (step.kind == CollectiveKind::kAllGather)
        ++out.gather;
      else if (step.kind == CollectiveKind::kAllReduce)
        ++out.reduce;
      else if (step.kind == CollectiveKind::kReduceScatter)
        ++out.scatter;
      else if (step.kind != CollectiveKind::kSlice && step.kind != CollectiveKind::kPartial)
        ++out.others;
    }
  return out;
}

class Templates : public testing::TestWithParam<int> {
 protected:
  Counts CountsOf(const char* name, const char* mesh) { return Count(PlanOf(graph_, name, mesh)); }

  Plan PlanOf(const Graph& graph, const char* name, const char* mesh) {
    PlanRequest request = RequestFor(graph, rules_, mesh);
    request.memory_limit_bytes = int64_t{1} << 50;
    request.plan_template = ParseTemplate(name).value();
    const auto planned = MakePlan(request);
    EXPECT_TRUE(planned.ok()) << name << ": " << planned.error().text();
    return planned.ok() ? planned.value().plan : Plan();
  }

  const int layers_ = GetParam();
  const int tensors_ = kTensorsOfLayer * layers_ + kTables;
  const Graph graph_ = GptStep(layers_);
  RuleBook rules_{Ops()};
};

TEST_P(Templates, CollectivesFollowTheFormulas) {
  const int p = tensors_, l = layers_;
  EXPECT_EQ(CountsOf("dp", "batch=8"), (Counts{0, p + 1, 0, 0}));
  EXPECT_EQ(CountsOf("megatron", "model=4"), (Counts{0, 4 * l, 0, 0}));
  const char* mesh = "batch=8,model=4";
  EXPECT_EQ(CountsOf("batch:dp,model:megatron", mesh), (Counts{0, p + 1 + 4 * l, 0, 0}));
  EXPECT_EQ(CountsOf("batch:zero2,model:megatron", mesh), (Counts{p, 1 + 4 * l, p, 0}));
  EXPECT_EQ(CountsOf("batch:zero3,model:megatron", mesh), (Counts{p + 8 * l, 1 + 4 * l, p, 0}));
}

TEST_P(Templates, InferenceReducesTwiceALayer) {
  const Graph forward = GptModel(Size(layers_));
  EXPECT_EQ(Count(PlanOf(forward, "megatron", "model=4")), (Counts{0, 2 * layers_, 0, 0}));
  EXPECT_EQ(Count(PlanOf(forward, "dp", "batch=8")), Counts{});
  EXPECT_EQ(Count(PlanOf(forward, "zero3", "batch=8")), (Counts{tensors_, 0, 0, 0}));
}

// A perceptron with as many biases as matrices, on `batch` rows.
Graph DeepStep(int64_t batch) {
  constexpr int64_t kWidth = 256;
  constexpr int kDepth = 12;
  GraphBuilder b("deep");
  ValueId x = b.Input("x", {ElementType::kF32, {batch, kWidth}});
  for (int l = 0; l < kDepth; ++l) {
    const auto weight = [&](const char* name, const Shape& shape) {
      return b.Parameter(fmt::format("{}{}", name, l), Tensor::Absent({ElementType::kF32, shape}));
    };
    x = b.Add("MatMul", {x, weight("w", {kWidth, kWidth})});
    x = b.Add("Relu", {b.Add("Add", {x, weight("b", {kWidth})})});
  }
  b.Output(x);
  const TrainingOptions options{.loss = "mse:" + b.graph().value(x).name};
  const Graph step = MakeTrainingStep(b.Done().value(), options, Ops()).value().graph;
  return RunPasses(step, PassOptions{}, Ops()).value().graph;
}

// The solver sees single collectives, the predicted step bundles of them, of which a template may
// make more.
TEST(Template, NoneHasAShorterStepThanThePlan) {
  RuleBook rules(Ops());
  for (const int64_t batch : {16, 128, 1024, 8192, 65536}) {
    const Graph graph = DeepStep(batch);
    for (const int ranks : {2, 8}) {
      PlanRequest request = RequestFor(graph, rules, fmt::format("a={}", ranks).c_str());
      request.alternatives = true;
      const Plan plan = MakePlan(request).value().plan;
      EXPECT_LE(plan.solver.bound, plan.solver.cost);
      int compared = 0;
      for (const Alternative& row : plan.alternatives) {
        if (!row.feasible || row.name == "one device" || row.name == "no memory limit") continue;
        ++compared;
        EXPECT_LE(plan.prediction.step.seconds, row.step_seconds * (1 + 1e-9))
            << row.name << " of " << batch << " rows on " << ranks;
      }
      EXPECT_GT(compared, 3);
    }
  }
}

class DividedStates : public Templates {};

// Weights of 4 bytes and two moments of 4: everywhere, or a share of each. Source: Rajbhandari et
// al. 2020, "ZeRO", section 3.
TEST_P(DividedStates, TakeTheirShare) {
  int64_t elements = 0;
  for (const ValueId id : graph_.OfKind(ValueKind::kParameter))
    elements += NumElements(graph_.value(id).type.shape);
  constexpr int64_t kRanks = 8;
  const auto memory = [&](const char* name) {
    return PlanOf(graph_, name, "batch=8").prediction.memory;
  };
  EXPECT_EQ(memory("dp").parameters, 4 * elements);
  constexpr int64_t kCounter = 4;  // of steps
  EXPECT_EQ(memory("dp").optimizer, 8 * elements + kCounter);
  for (const char* name : {"zero1", "zero2"}) {
    EXPECT_EQ(memory(name).parameters, 4 * elements) << name;
    EXPECT_EQ(memory(name).optimizer, 8 * elements / kRanks + kCounter) << name;
  }
  EXPECT_EQ(memory("zero3").parameters, 4 * elements / kRanks);
  EXPECT_EQ(memory("zero3").optimizer, 8 * elements / kRanks + kCounter);
}

// Mixed precision: weights of 2 bytes, masters and two moments of 12. The 2 bytes of gradients that
// the paper adds are not kept here: each dies with its update.
TEST_P(DividedStates, OfMixedPrecisionTakeTheirShare) {
  GptSize size = Size(layers_);
  size.element = "f16";
  const Graph step = RunPasses(GptTrainingStep(size).graph, PassOptions{}, Ops()).value().graph;
  int64_t elements = 0;
  for (const ValueId id : step.OfKind(ValueKind::kParameter))
    elements += NumElements(step.value(id).type.shape);
  constexpr int64_t kRanks = 8, kCounter = 4;
  const auto bytes = [&](const char* name) {
    const MemoryUse memory = PlanOf(step, name, "batch=8").prediction.memory;
    EXPECT_LT(memory.gradients, 2 * elements / layers_) << name;
    return std::pair(memory.parameters, memory.optimizer - kCounter);
  };
  EXPECT_EQ(bytes("dp"), std::pair(2 * elements, 12 * elements));
  EXPECT_EQ(bytes("zero1"), std::pair(2 * elements, 12 * elements / kRanks));
  EXPECT_EQ(bytes("zero2"), std::pair(2 * elements, 12 * elements / kRanks));
  EXPECT_EQ(bytes("zero3"), std::pair(2 * elements / kRanks, 12 * elements / kRanks));
}

INSTANTIATE_TEST_SUITE_P(Layers, DividedStates, testing::Values(2));
INSTANTIATE_TEST_SUITE_P(Layers, Templates, testing::Values(1, 2, 8, 24));

}  // namespace
}  // namespace metadist
