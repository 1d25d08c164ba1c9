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

#include "metair/ir/text.h"
#include "metair/passes/passes.h"
#include "metair/training/training.h"
#include "planner/planner.h"
#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

const OpTable& Ops() { return OpTable::BuiltIn(); }

constexpr int kTensorsOfLayer = 16;
constexpr int kTables = 2;

// A decoder without a head, of 16 sequences: `layers` layers of 24 heads of 96, 1024 wide.
class GptText {
 public:
  std::string Write(int layers) {
    text_ = "graph gpt opset 20 {\n";
    Line("input %ids: i64[16,256]");
    Line("parameter %tokens: f32[4096,1024] = ...");
    Line("parameter %positions: f32[256,1024] = ...");
    for (int l = 0; l < layers; ++l) Parameters(l);
    Line("constant %scale: f32[] = [0.1]");
    Line("constant %heads: i64[4] = [0, 0, 24, 96]");
    Line("constant %merged: i64[3] = [0, 0, 2304]");
    Line("%embedded: f32[16,256,1024] = Gather(%tokens, %ids) {{axis = 0}} @embedded");
    Line("%x0: f32[16,256,1024] = Add(%embedded, %positions) {{}} @x0");
    for (int l = 0; l < layers; ++l) Layer(l);
    Line("output %x{}", layers);
    return text_ + "}\n";
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  void Parameters(int l) {
    for (const char* norm : {"n1", "n2"}) {
      Line("parameter %{}.g{}: f32[1024] = ...", norm, l);
      Line("parameter %{}.b{}: f32[1024] = ...", norm, l);
    }
    for (const char* name : {"q", "k", "v"}) Linear(l, name, 1024, 2304);
    Linear(l, "o", 2304, 1024);
    Linear(l, "up", 1024, 4096);
    Linear(l, "down", 4096, 1024);
  }

  void Linear(int l, const char* name, int from, int to) {
    Line("parameter %{}.w{}: f32[{},{}] = ...", name, l, from, to);
    Line("parameter %{}.c{}: f32[{}] = ...", name, l, to);
  }

  void Norm(int l, const char* name, const std::string& from) {
    Line(
        "%{0}_{1}: f32[16,256,1024] = LayerNormalization(%{2}, %{0}.g{1}, %{0}.b{1}) {{axis = -1, "
        "epsilon = 1e-05, stash_type = 1}} @{0}_{1}",
        name,
        l,
        from);
  }

  void Apply(int l, const char* name, const std::string& from, int width) {
    Line("%{0}m{1}: f32[16,256,{3}] = MatMul(%{2}, %{0}.w{1}) {{}} @{0}m{1}", name, l, from, width);
    Line("%{0}_{1}: f32[16,256,{2}] = Add(%{0}m{1}, %{0}.c{1}) {{}} @{0}_{1}", name, l, width);
  }

  void Heads(int l, const char* name, const char* perm, const char* shape) {
    Line("%{0}r{1}: f32[16,256,24,96] = Reshape(%{0}_{1}, %heads) {{allowzero = 0}} @{0}r{1}",
         name,
         l);
    Line("%{0}h{1}: f32[16,24,{2}] = Transpose(%{0}r{1}) {{perm = [{3}]}} @{0}h{1}",
         name,
         l,
         shape,
         perm);
  }

  void Layer(int l) {
    Norm(l, "n1", fmt::format("x{}", l));
    for (const char* name : {"q", "k", "v"}) Apply(l, name, fmt::format("n1_{}", l), 2304);
    Heads(l, "q", "0, 2, 1, 3", "256,96");
    Heads(l, "k", "0, 2, 3, 1", "96,256");
    Heads(l, "v", "0, 2, 1, 3", "256,96");
    Line("%s{0}: f32[16,24,256,256] = MatMul(%qh{0}, %kh{0}) {{}} @s{0}", l);
    Line("%t{0}: f32[16,24,256,256] = Mul(%s{0}, %scale) {{}} @t{0}", l);
    Line("%p{0}: f32[16,24,256,256] = Softmax(%t{0}) {{axis = -1}} @p{0}", l);
    Line("%a{0}: f32[16,24,256,96] = MatMul(%p{0}, %vh{0}) {{}} @a{0}", l);
    Line("%at{0}: f32[16,256,24,96] = Transpose(%a{0}) {{perm = [0, 2, 1, 3]}} @at{0}", l);
    Line("%am{0}: f32[16,256,2304] = Reshape(%at{0}, %merged) {{allowzero = 0}} @am{0}", l);
    Apply(l, "o", fmt::format("am{}", l), 1024);
    Line("%y{0}: f32[16,256,1024] = Add(%x{0}, %o_{0}) {{}} @y{0}", l);
    Norm(l, "n2", fmt::format("y{}", l));
    Apply(l, "up", fmt::format("n2_{}", l), 4096);
    Line("%g{0}: f32[16,256,4096] = Gelu(%up_{0}) {{approximate = \"none\"}} @g{0}", l);
    Apply(l, "down", fmt::format("g{}", l), 1024);
    Line("%x{1}: f32[16,256,1024] = Add(%y{0}, %down_{0}) {{}} @x{1}", l, l + 1);
  }

  std::string text_;
};

Graph GptModel(int layers) {
  return RunPasses(ParseGraph(GptText().Write(layers)).value(), PassOptions{}, Ops()).value().graph;
}

Graph GptStep(int layers) {
  const Graph model = GptModel(layers);
  const auto step = MakeTrainingStep(
      model, {.optimizer = "adamw", .loss = fmt::format("mse:x{}", layers)}, Ops());
  EXPECT_TRUE(step.ok()) << step.error().text();
  EXPECT_EQ(static_cast<int>(step.value().trained.size()), kTensorsOfLayer * layers + kTables);
  return RunPasses(step.value().graph, PassOptions{}, Ops()).value().graph;
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
    PlanRequest request;
    request.graph = &graph;
    request.ops = &Ops();
    request.rules = &rules_;
    request.mesh = ParseMesh(mesh).value();
    request.cluster = TestCluster(static_cast<int>(request.mesh->ranks()));
    request.alternatives = false;
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
  const Graph forward = GptModel(layers_);
  EXPECT_EQ(Count(PlanOf(forward, "megatron", "model=4")), (Counts{0, 2 * layers_, 0, 0}));
  EXPECT_EQ(Count(PlanOf(forward, "dp", "batch=8")), Counts{});
  EXPECT_EQ(Count(PlanOf(forward, "zero3", "batch=8")), (Counts{tensors_, 0, 0, 0}));
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

INSTANTIATE_TEST_SUITE_P(Layers, DividedStates, testing::Values(2));
INSTANTIATE_TEST_SUITE_P(Layers, Templates, testing::Values(1, 2, 8, 24));

}  // namespace
}  // namespace metadist
