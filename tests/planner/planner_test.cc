// SPDX-License-Identifier: Apache-2.0
// From a model of the repository to a plan, its file, and a run on thread ranks.
#include "planner/planner.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "executor/host/random_data.h"
#include "executor/run/run.h"
#include "importers/importer.h"
#include "metair/ir/text.h"
#include "metair/ops/composer.h"
#include "metair/passes/passes.h"
#include "planner/plan/plan_io.h"
#include "tests/planner/same_as_one_device.h"
#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

const OpTable& Ops() { return OpTable::BuiltIn(); }

// The models and their rules are shared by all tests.
struct Model {
  explicit Model(const std::string& file) : rules(Ops()) {
    ImportOptions options;
    const std::string path = std::string(METADIST_SOURCE_DIR) + "/models/" + file;
    auto imported = ImportModel(path, options);
    if (!imported.ok()) {
      options.binds["batch"] = 4;
      imported = ImportModel(path, options);
    }
    graph = RunPasses(imported.value().graph, {}, Ops()).value().graph;
  }
  Graph graph;
  RuleBook rules;
};

Model& Gpt2() {
  static Model model("gpt2.onnx");
  return model;
}

PlanRequest RequestFor(const Graph& graph, RuleBook& rules, int devices) {
  PlanRequest request;
  request.graph = &graph;
  request.ops = &Ops();
  request.rules = &rules;
  request.cluster = TestCluster(devices);
  request.mesh = Mesh{{{"a", devices}}};
  request.alternatives = false;
  return request;
}

PlanRequest RequestFor(Model& model, int devices) {
  return RequestFor(model.graph, model.rules, devices);
}

TEST(MakePlan, RandomPlansOfGpt2RunLikeOneDevice) {
  for (const char* mesh : {"2x2", "a=3"}) {
    for (uint64_t seed : {1, 2}) {
      const Mesh parsed = ParseMesh(mesh).value();
      PlanRequest request = RequestFor(Gpt2(), static_cast<int>(parsed.ranks()));
      request.mesh = parsed;
      request.solver = "random";
      request.seed = seed;
      const auto planned = MakePlan(request);
      ASSERT_TRUE(planned.ok()) << planned.error().text();
      EXPECT_GT(planned.value().plan.redistributions.size(), 10u);
      ExpectSameAsOneDevice(Gpt2().graph, Lower(planned.value().plan).value());
    }
  }
}

TEST(MakePlan, IsProvenAndItsCostIsThePrediction) {
  PlanRequest request = RequestFor(Gpt2(), 4);
  request.alternatives = true;
  const auto planned = MakePlan(request);
  ASSERT_TRUE(planned.ok()) << planned.error().text();
  const Plan& plan = planned.value().plan;
  EXPECT_EQ(plan.solver.status, "optimal");
  EXPECT_EQ(plan.solver.bound, plan.solver.cost);
  EXPECT_NEAR(plan.prediction.step.seconds * 1e12, static_cast<double>(plan.solver.cost), 1e4);
  ASSERT_GE(plan.alternatives.size(), 3u);
  EXPECT_EQ(plan.alternatives[0].name, "one device");
  for (const Alternative& a : plan.alternatives)
    EXPECT_GE(a.step_seconds * 1.000001, plan.alternatives.back().step_seconds) << a.name;
}

TEST(MakePlan, SameBytesWhateverTheThreads) {
  std::set<std::string> files;
  for (int threads : {1, 2, 3}) {
    Model model("gpt2.onnx");
    PlanRequest request = RequestFor(model, 4);
    request.mesh = ParseMesh("2x2").value();
    request.threads = threads;
    files.insert(WritePlan(MakePlan(request).value().plan).value());
  }
  EXPECT_EQ(files.size(), 1u);
}

TEST(MakePlan, KeepsTheMemoryLimit) {
  PlanRequest request = RequestFor(Gpt2(), 4);
  const Plan free = MakePlan(request).value().plan;
  request.memory_limit_bytes = free.peak_bytes() * 6 / 10;
  const auto planned = MakePlan(request);
  ASSERT_TRUE(planned.ok()) << planned.error().text();
  const Plan& plan = planned.value().plan;
  EXPECT_LE(plan.peak_bytes(), *request.memory_limit_bytes);
  EXPECT_GT(plan.prediction.step.seconds, free.prediction.step.seconds);
  EXPECT_LE(plan.solver.bound, plan.solver.cost);
  ExpectSameAsOneDevice(Gpt2().graph, Lower(plan).value());
}

// One collective reduces both sums if memory allows it: then both results are live together with
// both sums, the first of which is freed earlier otherwise.
TEST(MakePlan, KeepsTheMemoryLimitByCollectivesApart) {
  const Graph graph = ParseGraph(R"(graph g opset 26 {
  input %x: f32[64,32]
  parameter %v: f32[32,64] = ...
  parameter %w: f32[32,64] = ...
  %p: f32[64,64] = MatMul(%x, %v) @p
  %q: f32[64,64] = MatMul(%x, %w) @q
  %y: f32[64,64] = Mul(%p, %q) @y
  output %y
}
)")
                          .value();
  RuleBook rules(Ops());
  PlanRequest request = RequestFor(graph, rules, 4);
  request.constraints = {{"x", "[][a]"}, {"v", "[a][]"}, {"w", "[a][]"}};
  const Plan together = MakePlan(request).value().plan;
  EXPECT_THAT(ProgramText(Lower(together).value()), testing::HasSubstr("bundle = 0"));
  request.memory_limit_bytes = together.peak_bytes() - 1;
  const auto planned = MakePlan(request);
  ASSERT_TRUE(planned.ok()) << planned.error().text();
  const Plan& apart = planned.value().plan;
  EXPECT_LE(apart.peak_bytes(), *request.memory_limit_bytes);
  EXPECT_EQ(apart.solver.cost, together.solver.cost);
}

// Status, bound and the bound's scope are consistent.
void ExpectHonest(const SolverReport& solver) {
  EXPECT_LE(solver.bound, solver.cost);
  EXPECT_LE(solver.free_bound, solver.bound);
  EXPECT_GT(solver.free_bound, 0);
  EXPECT_EQ(solver.status, solver.bound == solver.cost ? "optimal" : "gap");
  EXPECT_DOUBLE_EQ(
      solver.gap,
      static_cast<double>(solver.cost - solver.bound) / static_cast<double>(solver.cost));
  EXPECT_EQ(solver.stopped_by.empty(), solver.status == "optimal");
}

TEST(MakePlan, SmallerBudgetsNeverGiveCheaperPlansThanBoundsAllow) {
  for (const char* file : {"mlp.onnx", "gpt2.onnx"}) {
    Model model(file);
    PlanRequest request = RequestFor(model, 4);
    const Plan free = MakePlan(request).value().plan;
    ExpectHonest(free.solver);
    int64_t least_cost = free.solver.cost;
    for (const int percent : {100, 80, 50}) {
      request.memory_limit_bytes = free.peak_bytes() * percent / 100;
      const auto planned = MakePlan(request);
      if (!planned.ok()) {
        EXPECT_EQ(planned.error().code, ErrorCode::kInfeasible);
        continue;
      }
      const Plan& plan = planned.value().plan;
      ExpectHonest(plan.solver);
      EXPECT_LE(plan.peak_bytes(), *request.memory_limit_bytes) << file;
      if (plan.solver.status == "optimal" && plan.solver.problem == kLayersFree) {
        EXPECT_GE(plan.solver.cost, least_cost) << file << " at " << percent;
      }
      EXPECT_GE(plan.solver.cost, free.solver.bound);
      least_cost = std::max(least_cost, plan.solver.bound);
    }
  }
}

TEST(MakePlan, TheSmallestBudgetIsNearItsBound) {
  for (const char* file : {"mlp.onnx", "gpt2.onnx"}) {
    Model model(file);
    PlanRequest request = RequestFor(model, 4);
    LeastMemory least;
    request.least = &least;
    request.memory_limit_bytes = 1000;
    ASSERT_EQ(MakePlan(request).error().code, ErrorCode::kInfeasible);
    EXPECT_LE(least.bound_bytes, least.bytes) << file;
    EXPECT_LE(least.bytes, least.bound_bytes * 102 / 100) << file;
    request.memory_limit_bytes = least.bytes;
    const auto planned = MakePlan(request);
    ASSERT_TRUE(planned.ok()) << planned.error().text();
    EXPECT_LE(planned.value().plan.peak_bytes(), least.bytes);
    ExpectHonest(planned.value().plan.solver);
    request.memory_limit_bytes = least.bound_bytes - 1;
    least = {};
    ASSERT_EQ(MakePlan(request).error().code, ErrorCode::kInfeasible) << file;
    EXPECT_GE(least.bytes, *request.memory_limit_bytes);
  }
}

TEST(MakePlan, ProgressTellsBestAndBound) {
  PlanRequest request = RequestFor(Gpt2(), 4);
  std::vector<PlanProgress> reports;
  request.progress = [&](const PlanProgress& report) { reports.push_back(report); };
  const Plan plan = MakePlan(request).value().plan;
  std::set<std::string_view> phases;
  for (const PlanProgress& report : reports) phases.insert(report.phase);
  EXPECT_EQ(phases, (std::set<std::string_view>{"discover", "formulate", "lower", "solve"}));
  const auto last = std::find_if(reports.rbegin(), reports.rend(), [](const PlanProgress& report) {
    return report.has_plan && report.has_bound;
  });
  ASSERT_NE(last, reports.rend());
  EXPECT_NEAR(last->cost_seconds * 1e12, static_cast<double>(plan.solver.cost), 1);
  EXPECT_NEAR(last->bound_seconds * 1e12, static_cast<double>(plan.solver.bound), 1);
}

TEST(MakePlan, AnInterruptKeepsTheBestPlan) {
  std::atomic<bool> interrupted = false;
  PlanRequest request = RequestFor(Gpt2(), 4);
  request.interrupted = &interrupted;
  request.progress = [&](const PlanProgress& report) {
    if (report.has_plan) interrupted = true;
  };
  const auto planned = MakePlan(request);
  ASSERT_TRUE(planned.ok()) << planned.error().text();
  EXPECT_TRUE(planned.value().interrupted);
  EXPECT_LE(planned.value().plan.solver.bound, planned.value().plan.solver.cost);
  ExpectSameAsOneDevice(Gpt2().graph, Lower(planned.value().plan).value());
}

TEST(MakePlan, AGapEndsTheSearch) {
  PlanRequest request = RequestFor(Gpt2(), 4);
  const Plan free = MakePlan(request).value().plan;
  request.memory_limit_bytes = free.peak_bytes() / 2;
  request.gap = 0.2;
  const Plan plan = MakePlan(request).value().plan;
  ExpectHonest(plan.solver);
  EXPECT_LE(plan.solver.gap, 0.2);
  EXPECT_LE(plan.peak_bytes(), *request.memory_limit_bytes);
}

TEST(MakePlan, AutoTakesTheBestMesh) {
  Model model("mlp.onnx");
  PlanRequest request = RequestFor(model, 12);
  const int64_t whole = MakePlan(request).value().plan.peak_bytes();
  for (const int64_t limit : {2 * whole, whole * 7 / 10}) {
    request.memory_limit_bytes = limit;
    request.mesh.reset();
    const auto any = MakePlan(request);
    ASSERT_TRUE(any.ok()) << any.error().text();
    std::optional<Plan> best;
    for (const Mesh& mesh : MeshesFor(request.cluster)) {
      request.mesh = mesh;
      const auto one = MakePlan(request);
      if (!one.ok()) continue;
      const Plan& plan = one.value().plan;
      ASSERT_EQ(plan.solver.problem, "all layers free");
      EXPECT_GE(plan.solver.cost, any.value().plan.solver.bound);
      if (!best || plan.solver.cost < best->solver.cost) best = plan;
    }
    ASSERT_TRUE(best.has_value());
    EXPECT_EQ(any.value().plan.solver.cost, best->solver.cost);
    EXPECT_EQ(any.value().plan.solver.status, "optimal");
    EXPECT_EQ(MeshText(any.value().plan.mesh), MeshText(best->mesh));
  }
}

TEST(MakePlan, AnImpossibleBudgetNamesOneThatWorks) {
  PlanRequest request = RequestFor(Gpt2(), 4);
  request.memory_limit_bytes = 1000;
  const auto refused = MakePlan(request);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInfeasible);
  const std::string& message = refused.error().message;
  int64_t works = 0, proven = 0;
  ASSERT_EQ(
      std::sscanf(message.c_str(),
                  "no plan fits in 1000 bytes per device: the smallest budget found to work is "
                  "%ld bytes, and less than %ld bytes is proven too little",
                  &works,
                  &proven),
      2)
      << message;
  EXPECT_GT(proven, 1000);
  EXPECT_LE(proven, works);
  request.memory_limit_bytes = works;
  const auto planned = MakePlan(request);
  ASSERT_TRUE(planned.ok()) << planned.error().text();
  EXPECT_LE(planned.value().plan.peak_bytes(), works);
  EXPECT_EQ(refused.error().hint, fmt::format("give `--memory {}` or more devices", works));
}

// Near the smallest budget, some optimum of the problem exceeds the limit once lowered.
TEST(MakePlan, SaysWhyAGapStays) {
  PlanRequest request = RequestFor(Gpt2(), 4);
  LeastMemory least;
  request.least = &least;
  request.memory_limit_bytes = 1000;
  ASSERT_FALSE(MakePlan(request).ok());
  int gaps = 0;
  for (int step = 0; step <= 16; ++step) {
    request.memory_limit_bytes = least.bytes + step * (least.bytes / 300);
    const auto planned = MakePlan(request);
    ASSERT_TRUE(planned.ok()) << planned.error().text();
    const SolverReport& solver = planned.value().plan.solver;
    ExpectHonest(solver);
    if (solver.status == "optimal") continue;
    EXPECT_EQ(solver.stopped_by, kLowering);
    ++gaps;
  }
  EXPECT_GT(gaps, 0);
}

TEST(MakePlan, DataParallelCutsTheBatch) {
  Model model("mlp.onnx");
  PlanRequest request = RequestFor(model, 4);
  request.plan_template = ParseTemplate("dp").value();
  const Plan plan = MakePlan(request).value().plan;
  for (size_t v = 0; v < plan.graph.values.size(); ++v) {
    const bool input = plan.graph.values[v].kind == ValueKind::kInput;
    if (plan.graph.values[v].kind == ValueKind::kParameter || input) {
      EXPECT_EQ(plan.assignment.values[v].replicated(), !input) << plan.graph.values[v].name;
    }
  }
  EXPECT_TRUE(plan.redistributions.empty());
}

TEST(MakePlan, MeshAndClusterMustAgree) {
  PlanRequest request = RequestFor(Gpt2(), 4);
  request.mesh = ParseMesh("2x3").value();
  request.solver = "nothing";
  const auto refused = MakePlan(request);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_EQ(refused.error().message, "mesh a=2,b=3 has 6 ranks, cluster test has 4 devices");
  ASSERT_EQ(refused.error().also.size(), 1u);
  EXPECT_EQ(refused.error().also[0].message.substr(0, 24), "unknown solver 'nothing'");
}

TEST(MakePlan, MeshesToTry) {
  std::string all;
  for (const Mesh& mesh : MeshesFor(TestCluster(8))) all += MeshText(mesh) + " ";
  EXPECT_EQ(all, "a=8 a=2,b=4 a=2,b=2,c=2 ");
  all.clear();
  for (const Mesh& mesh : MeshesFor(MakeCluster("two", TestCluster(4).profile, 2, 4)))
    all += MeshText(mesh) + " ";
  EXPECT_EQ(all, "a=8 a=2,b=4 a=2,b=2,c=2 ");
}

TEST(PlanFile, LiteralsMayNameAnAxisTwice) {
  Model model("gpt2.legacy.onnx");
  PlanRequest request = RequestFor(model, 4);
  request.solver = "random";
  int literals = 0;
  for (request.seed = 0; request.seed < 4; ++request.seed) {
    const Plan plan = MakePlan(request).value().plan;
    for (const Strategy& strategy : plan.assignment.nodes)
      literals += static_cast<int>(strategy.literals.size());
    const auto back = ReadPlan(WritePlan(plan).value(), "p.json");
    ASSERT_TRUE(back.ok()) << back.error().text();
    EXPECT_EQ(back.value().assignment.nodes, plan.assignment.nodes);
  }
  EXPECT_GT(literals, 10);
}

// The mean of rows as a sum of elements, each with a weight of its own.
Result<Graph> MeanByWeights(const OpCall& call) {
  Composer compose(call);
  const int64_t count = call.shape(0)[1];
  const std::vector<double> weights(static_cast<size_t>(count), 1.0 / static_cast<double>(count));
  const ValueId weight = compose.Constant(Tensor::Of(Shape{count}, weights));
  const ValueId terms =
      compose.Add("Mul", {compose.Given(0), compose.As(call.type(0).element, weight)});
  return compose.Done({compose.Fold("ReduceSum", terms, {1})});
}

// Constants created by a decomposition are in the plan file, whatever their length.
TEST(PlanFile, KeepsConstantsOfDecompositions) {
  OpTable table = Ops();
  OpDef mean = *table.Find("", "ReduceMean");
  mean.decompose = MeanByWeights;
  table.Add(mean);
  const Graph graph = ParseGraph(R"(graph g opset 26 {
  input %x: f32[6,24]
  constant %a: i64[1] = [1]
  %y: f32[6,1] = ReduceMean(%x, %a) @n
  output %y
}
)")
                          .value();
  RuleBook rules(table);
  PlanRequest request = RequestFor(graph, rules, 2);
  request.ops = &table;
  request.solver = "random";
  int made = 0;
  for (request.seed = 0; request.seed < 12; ++request.seed) {
    const Plan plan = MakePlan(request).value().plan;
    const auto back = ReadPlan(WritePlan(plan).value(), "p.json");
    ASSERT_TRUE(back.ok()) << back.error().text();
    for (const std::string& name : plan.own_constants) {
      const Graph& read = back.value().graph;
      const Tensor& data = plan.graph.value(plan.graph.FindValue(name)).data;
      const Tensor& kept = read.value(read.FindValue(name)).data;
      ASSERT_TRUE(kept.has_data()) << name;
      EXPECT_EQ(kept.ToDoubles(), data.ToDoubles()) << name;
      made += data.size() > 16 ? 1 : 0;
    }
  }
  EXPECT_GT(made, 0);
}

// Strategies are shared by nodes of one signature, which may differ in large constants: none of
// these is part of what a node is expanded to.
TEST(MakePlan, ExpandedNodesKeepTheirOwnData) {
  const auto list = [](int times, int modulo) {
    std::string text;
    for (int i = 0; i < 100; ++i)
      text += (i > 0 ? ", " : "") + std::to_string((i * times + i / 7) % modulo);
    return text;
  };
  std::string lines = "graph g opset 26 {\n  input %x: i64[6,5,4]\n";
  for (int n = 1; n <= 2; ++n)
    lines +=
        fmt::format("  constant %i{0}: i64[5,5,4] = [{1}]\n  constant %u{0}: i64[5,5,4] = [{2}]\n",
                    n,
                    list(3 + n, 6),
                    list(5 + n, 50));
  const Graph graph = ParseGraph(lines +
                                 "  %v: i64[6,5,4] = ScatterElements(%x, %i1, %u1) {axis = 0} @n\n"
                                 "  %y: i64[6,5,4] = ScatterElements(%v, %i2, %u2) {axis = 0} @m\n"
                                 "  output %y\n}\n")
                          .value();
  RuleBook rules(Ops());
  PlanRequest request = RequestFor(graph, rules, 2);
  request.solver = "random";
  int expanded = 0;
  for (request.seed = 0; request.seed < 24; ++request.seed) {
    const auto planned = MakePlan(request);
    ASSERT_TRUE(planned.ok()) << planned.error().text();
    expanded += planned.value().plan.graph.nodes.size() > 2 ? 1 : 0;
    const auto program = Lower(planned.value().plan);
    ASSERT_TRUE(program.ok()) << program.error().text();
    ExpectSameAsOneDevice(graph, program.value());
  }
  EXPECT_GT(expanded, 0);
}

// Every rank has the whole constant that determines a shape, although it is ordinary data
// elsewhere.
void ExpectStaysWhole(const std::string& lines) {
  const Graph graph = ParseGraph("graph g opset 26 {\n" + lines + "}\n").value();
  RuleBook rules(Ops());
  PlanRequest request = RequestFor(graph, rules, 2);
  request.solver = "random";
  const Sharding whole = Sharding::Replicated(1);
  for (request.seed = 0; request.seed < 12; ++request.seed) {
    const auto planned = MakePlan(request);
    ASSERT_TRUE(planned.ok()) << planned.error().text();
    const Plan& plan = planned.value().plan;
    const ValueId shape = plan.graph.FindValue("s");
    EXPECT_EQ(plan.assignment.values[static_cast<size_t>(shape)], whole) << request.seed;
    const auto program = Lower(plan);
    ASSERT_TRUE(program.ok()) << program.error().text();
    ExpectSameAsOneDevice(graph, program.value());
  }
}

TEST(MakePlan, ShapesThatAreDataTooStayWhole) {
  ExpectStaysWhole(R"(  input %x: f32[24]
  input %k: i64[2]
  constant %s: i64[2] = [4, 6]
  %y: f32[4,6] = Reshape(%x, %s) @n
  %z: i64[2] = Add(%k, %s) @m
  output %y
  output %z
)");
  ExpectStaysWhole(R"(  input %x: f32[4,6]
  input %k: f32[4]
  constant %s: bool[4] = [true, false, true, true]
  %y: f32[3,6] = Compress(%x, %s) {axis = 0} @n
  %z: f32[4] = Where(%s, %k, %k) @m
  output %y
  output %z
)");
}

TEST(PlanFile, NamesAreUtf8) {
  PlanRequest request = RequestFor(Gpt2(), 2);
  request.origin.model_path = "caf\xe9.onnx";
  const auto text = WritePlan(MakePlan(request).value().plan);
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.error().message.find("is not UTF-8"), std::string::npos);
}

TEST(PlanFile, RoundTripAndStrictness) {
  PlanRequest request = RequestFor(Gpt2(), 4);
  request.mesh = ParseMesh("2x2").value();
  request.solver = "random";
  request.seed = 5;
  request.origin.binds["batch"] = 1;
  const std::string text = WritePlan(MakePlan(request).value().plan).value();
  const auto back = ReadPlan(text, "p.json");
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(WritePlan(back.value()).value(), text);
  EXPECT_TRUE(Lower(back.value()).ok());

  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string bad = text;
    const size_t at = bad.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    bad.replace(at, from.size(), to);
    const auto read = ReadPlan(bad, "p.json");
    EXPECT_FALSE(read.ok()) << to;
    EXPECT_TRUE(read.ok() || read.error().code == ErrorCode::kBadInput);
    return read.ok() ? "" : read.error().where + ": " + read.error().message;
  };
  EXPECT_EQ(broken("\"schema_version\": 2", "\"schema_version\": 1"),
            "p.json: schema_version: must be 2, got 1");
  EXPECT_EQ(broken("\"seed\": 5", "\"seed\": \"5\""),
            "p.json: seed: must be an integer >= 0, got \"5\"");
  EXPECT_EQ(broken("\"mesh\":", "\"mush\":"), "p.json: field 'mesh' is missing");
  EXPECT_EQ(broken("\"peak_bytes\": ", "\"peak_bytes\": 1").substr(0, 45),
            "p.json: peak_bytes: must be the sum of memory");
  EXPECT_EQ(ReadPlan("PK", "p.json").error().message,
            "expected a plan in JSON, got something else at line 1");
}

// Problems of one field do not hide those of another.
TEST(PlanFile, ReportsAllProblemsAtOnce) {
  std::string text = WritePlan(MakePlan(RequestFor(Gpt2(), 2)).value().plan).value();
  const auto replace = [&](const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  replace("\"gap\": ", "\"gap\": [], \"gaps\": ");
  replace("\"band\": ", "\"band\": null, \"bands\": ");
  replace("\"axes\": {", "\"axes\": {\"b\": \"i\"}, \"more\": {");
  const auto read = ReadPlan(text, "p.json");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(
      "p.json: solver.gap: must be a number, got []\n"
      "p.json: solver: field 'gaps' is unknown\n"
      "p.json: step.band: must be a number, got null\n"
      "p.json: step: field 'bands' is unknown\n"
      "p.json: nodes[0].axes: field 'a' is missing\n"
      "p.json: nodes[0].axes: field 'b' is unknown\n"
      "p.json: nodes[0]: field 'more' is unknown",
      read.error().text());
}

// With any value at any place, the file is refused, or is a plan that can be lowered or explains
// why not.
TEST(PlanFile, AnyValueAtAnyPlace) {
  const Graph graph =
      ParseGraph(
          "graph g opset 26 {\n  input %x: f32[8,4]\n  constant %s: i64[2] = [4, 8]\n"
          "  %r: f32[4,8] = Reshape(%x, %s) @r\n  %y: f32[4,4] = MatMul(%r, %x) @m\n"
          "  output %y\n}\n")
          .value();
  RuleBook rules(Ops());
  PlanRequest request = RequestFor(graph, rules, 2);
  request.solver = "random";
  request.seed = 3;
  const auto whole = nlohmann::json::parse(WritePlan(MakePlan(request).value().plan).value());
  const nlohmann::json values[] = {
      nullptr, true, -1, 1, UINT64_MAX, 1e308, "x", "\xff", {}, nlohmann::json::object(), {{1}}};
  const nlohmann::json flat = whole.flatten();
  int refused = 0;
  for (const auto& place : flat.items())
    for (nlohmann::json::json_pointer at(place.key()); !at.empty(); at.pop_back())
      for (const nlohmann::json& value : values) {
        nlohmann::json document = whole;
        document[at] = value;
        const auto read = ReadPlan(
            document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), "p.json");
        if (read.ok()) {
          (void)Lower(read.value());
        } else {
          EXPECT_EQ(read.error().code, ErrorCode::kBadInput);
          ++refused;
        }
      }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace metadist
