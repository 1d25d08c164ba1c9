// SPDX-License-Identifier: Apache-2.0
// Programs written by hand, run on thread ranks, compared with the reference interpreter.
#include "executor/run/run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "executor/host/random_data.h"
#include "metair/ops/interpret.h"
#include "metair/spmd/buffer_plan.h"

namespace metadist {
namespace {

ValueId AddValue(Graph& graph, std::string name, Shape shape, ValueKind kind) {
  Value value;
  value.name = std::move(name);
  value.type = {ElementType::kF32, std::move(shape)};
  value.kind = kind;
  const ValueId id = graph.AddValue(std::move(value));
  if (kind == ValueKind::kInput) graph.inputs.push_back(id);
  return id;
}

void AddNode(
    Graph& graph, std::string name, std::string op, std::vector<ValueId> inputs, ValueId output) {
  Node node;
  node.name = std::move(name);
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  node.outputs = {output};
  graph.AddNode(std::move(node));
}

// Builds a graph together with the sharding of every value.
struct Builder {
  Program program;

  explicit Builder(const std::string& mesh) {
    Stage stage;
    stage.mesh = ParseMesh(mesh).value();
    program = OneStage(std::move(stage));
  }
  Stage& stage() { return OnlyStage(program); }
  Graph& graph() { return stage().graph; }

  ValueId Value(const std::string& name, Shape shape, ValueKind kind, const std::string& sharding) {
    stage().shardings.push_back(ParseSharding(sharding, shape, stage().mesh).value());
    return AddValue(graph(), name, std::move(shape), kind);
  }
  ValueId Call(const std::string& op,
               std::vector<ValueId> inputs,
               Shape shape,
               const std::string& sharding) {
    const std::string name = op + std::to_string(graph().nodes.size());
    const ValueId out = Value(name, std::move(shape), ValueKind::kResult, sharding);
    AddNode(graph(), "n" + name, op, std::move(inputs), out);
    return out;
  }
  ValueId Move(CollectiveKind kind,
               std::vector<std::string> axes,
               ValueId from,
               const std::string& sharding) {
    const ValueId out =
        Call(std::string(Name(kind)), {from}, graph().value(from).type.shape, sharding);
    graph().nodes.back().domain = kCollectiveDomain;
    graph().nodes.back().attributes.set("axes", std::move(axes));
    return out;
  }
};

// y = relu(x a) b, hidden columns sharded over x ("Megatron"), the sum reduced by `reduction`.
Program Perceptron(const std::string& mesh,
                   CollectiveKind reduction,
                   const std::string& output,
                   int64_t hidden = 24,
                   int64_t rows = 8) {
  Builder b(mesh);
  const ValueId x = b.Value("x", {rows, 16}, ValueKind::kInput, "[][]");
  const ValueId first = b.Value("a", {16, hidden}, ValueKind::kParameter, "[][x]");
  const ValueId second = b.Value("b", {hidden, 12}, ValueKind::kParameter, "[x][]");
  const ValueId h = b.Call("MatMul", {x, first}, {rows, hidden}, "[][x]");
  const ValueId r = b.Call("Relu", {h}, {rows, hidden}, "[][x]");
  const ValueId partial = b.Call("MatMul", {r, second}, {rows, 12}, "[][] partial{sum: x}");
  b.graph().outputs = {b.Move(reduction, {"x"}, partial, output)};
  return b.program;
}

// The graph without collectives, for one device.
Graph Unsharded(const Program& program) {
  Graph graph = OnlyStage(program).graph;
  for (Node& node : graph.nodes)
    if (CollectiveOf(node)) {
      node.domain = "";
      node.op = "Identity";
      node.attributes = {};
    }
  return graph;
}

RunOptions Random() {
  RunOptions options;
  options.random_weights = true;
  options.random_inputs = true;
  options.seed = 5;
  options.timeout_seconds = 30;
  return options;
}

std::vector<Tensor> Expected(const Program& program) {
  Graph graph = Unsharded(program);
  const OpTable& ops = OpTable::BuiltIn();
  for (auto& [name, tensor] : RandomWeights(graph, 5, ops))
    graph.value(graph.FindValue(name)).data = tensor;
  const NamedTensors drawn = RandomInputs(graph, 5, ops);
  std::vector<Tensor> inputs;
  for (ValueId id : graph.inputs) inputs.push_back(drawn.at(graph.value(id).name));
  return Interpret(graph, ops, inputs).value();
}

void ExpectClose(const Tensor& got, const Tensor& expected) {
  ASSERT_EQ(got.type(), expected.type());
  const std::vector<double> a = got.ToDoubles();
  const std::vector<double> b = expected.ToDoubles();
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5 + 1e-5 * std::abs(b[i]));
}

void ExpectRight(const Program& program) {
  const auto result = RunProgram(program, {}, {}, Random());
  ASSERT_TRUE(result.ok()) << result.error().text();
  const std::vector<Tensor> expected = Expected(program);
  ASSERT_EQ(result.value().outputs.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    ExpectClose(result.value().outputs[i].second, expected[i]);
}

TEST(Run, OneDevice) {
  ExpectRight(SingleDevice(Unsharded(Perceptron("x=1", CollectiveKind::kAllReduce, "[][]"))));
}

TEST(Run, ColumnThenRowParallel) {
  for (const char* mesh : {"x=2", "x=3", "x=4", "x=2,y=2", "y=2,x=3"})
    ExpectRight(Perceptron(mesh, CollectiveKind::kAllReduce, "[][]"));
}

TEST(Run, LargeAllReduce) {
  ExpectRight(Perceptron("x=3", CollectiveKind::kAllReduce, "[][]", 24, 400));
}

TEST(Run, ReduceScatter) {
  for (const char* mesh : {"x=2", "x=3", "x=2,y=2"}) {
    ExpectRight(Perceptron(mesh, CollectiveKind::kReduceScatter, "[x][]"));
    ExpectRight(Perceptron(mesh, CollectiveKind::kReduceScatter, "[][x]"));
  }
}

// With groups smaller than the mesh, rank 0 may decide on the next step while ranks of another
// group have not yet read its decision on this one; they must not confuse the two.
TEST(Run, RanksOfEveryGroupStopTogether) {
  const Program program = Perceptron("x=2,y=2", CollectiveKind::kReduceScatter, "[x][]");
  for (int i = 0; i < 100; ++i) {
    const auto result = RunProgram(program, {}, {}, Random());
    ASSERT_TRUE(result.ok()) << result.error().text();
  }
}

TEST(Run, UnevenPieces) {
  ExpectRight(Perceptron("x=3", CollectiveKind::kAllReduce, "[][]", 7));
  ExpectRight(Perceptron("x=4", CollectiveKind::kReduceScatter, "[x][]", 7, 5));
}

TEST(Run, LocalLiteralsAndGathers) {
  Builder b("x=2,y=2");
  const ValueId x = b.Value("x", {8, 24}, ValueKind::kInput, "[y][x]");
  const ValueId to = b.Value("to", {3}, ValueKind::kConstant, "[]");
  b.graph().value(to).type.element = ElementType::kI64;
  b.graph().value(to).data = Tensor::Of<int64_t>({3}, {8, 4, 6});
  const ValueId three = b.Call("Reshape", {x, to}, {8, 4, 6}, "[y][x][]");
  LocalLiteral literal;
  literal.input = 1;
  literal.entries = SizesOf(b.stage().shardings[static_cast<size_t>(three)].dims);
  b.stage().literals[0] = {literal};
  const ValueId all = b.Move(CollectiveKind::kAllGather, {"x"}, three, "[y][][]");
  const ValueId soft = b.Call("Softmax", {all}, {8, 4, 6}, "[y][][]");
  const ValueId swapped = b.Move(CollectiveKind::kAllToAll, {"y"}, soft, "[][y][]");
  b.graph().outputs = {three, b.Move(CollectiveKind::kExchange, {"x", "y"}, swapped, "[][][x,y]")};
  ExpectRight(b.program);
}

TEST(Run, SameBitsEveryTime) {
  const Program program = Perceptron("x=4", CollectiveKind::kAllReduce, "[][]", 24, 200);
  const auto first = RunProgram(program, {}, {}, Random());
  for (int i = 0; i < 3; ++i) {
    const auto again = RunProgram(program, {}, {}, Random());
    EXPECT_TRUE(Identical(first.value().outputs[0].second, again.value().outputs[0].second));
  }
}

// Applies to given and drawn data, whole and sharded.
TEST(Run, ShakenDataMoveResultsByRoundings) {
  for (const char* mesh : {"x=1", "x=2"}) {
    const Program program = Perceptron(mesh, CollectiveKind::kAllReduce, "[][]");
    RunOptions options = Random();
    const Tensor still = RunProgram(program, {}, {}, options).value().outputs[0].second;
    options.perturbation = 1;
    const Tensor moved = RunProgram(program, {}, {}, options).value().outputs[0].second;
    ExpectClose(moved, still);
    EXPECT_FALSE(Identical(moved, still)) << mesh;
    options.perturbation = 2;
    const Tensor other = RunProgram(program, {}, {}, options).value().outputs[0].second;
    EXPECT_FALSE(Identical(moved, other)) << mesh;
  }
}

TEST(Run, MemoryIsWhatTheBufferPlanSays) {
  const Program program = Perceptron("x=4", CollectiveKind::kAllReduce, "[][]", 64, 64);
  const auto result = RunProgram(program, {}, {}, Random());
  ASSERT_TRUE(result.ok());
  for (int64_t rank = 0; rank < 4; ++rank) {
    const BufferPlan plan = PlanBuffers(Instantiate(OnlyStage(program), rank), OpTable::BuiltIn());
    const RankMemory& memory = result.value().memory[static_cast<size_t>(rank)];
    EXPECT_EQ(memory.peak() - memory.scratch_bytes, plan.peak_bytes());
    EXPECT_LE(memory.scratch_bytes, plan.peak_bytes() / 20);
  }
}

// Weights of 4 and 2 bits: a node that could read them in place (a transpose), one that reads them
// twice, pieces with an odd number of elements, and parameters that are first redistributed.
TEST(Run, SmallWeightsArePacked) {
  for (ElementType element : {ElementType::kI4, ElementType::kU2, ElementType::kF4E2M1}) {
    Builder b("x=2");
    const ValueId w = b.Value("w", {6, 35}, ValueKind::kParameter, "[x][]");
    const ValueId v = b.Value("v", {6, 35}, ValueKind::kParameter, "[x][]");
    const ValueId scale = b.Value("scale", {}, ValueKind::kParameter, "scalar");
    const ValueId turned = b.Call("Transpose", {w}, {35, 6}, "[][x]");
    const ValueId gathered = b.Move(CollectiveKind::kAllGather, {"x"}, v, "[][]");
    for (ValueId small : {w, v, turned, gathered}) b.graph().value(small).type.element = element;
    b.graph().outputs = {b.Call("DequantizeLinear", {w, scale}, {6, 35}, "[x][]"),
                         b.Call("DequantizeLinear", {turned, scale}, {35, 6}, "[][x]"),
                         b.Call("DequantizeLinear", {gathered, scale}, {6, 35}, "[][]")};
    ExpectRight(b.program);
    const auto result = RunProgram(b.program, {}, {}, Random());
    ASSERT_TRUE(result.ok()) << result.error().text();
    const BufferPlan plan = PlanBuffers(Instantiate(b.stage(), 0), OpTable::BuiltIn());
    const int64_t packed = (3 * 35 * BitSize(element) + 7) / 8;
    EXPECT_EQ(plan.parameter_bytes, packed + 3 * 35 + 4);
    EXPECT_EQ(result.value().memory[0].parameter_bytes, plan.parameter_bytes);
  }
}

// For one row times a transposed matrix, oneDNN copies the whole matrix to scratch memory.
TEST(Run, MemoryOfOneRowTimesATransposedMatrix) {
  for (int64_t columns : {16, 256}) {
    Builder b("x=1");
    const ValueId x = b.Value("x", {1, 256}, ValueKind::kInput, "[][]");
    const ValueId w = b.Value("w", {columns, 256}, ValueKind::kParameter, "[][]");
    b.graph().outputs = {b.Call("Gemm", {x, w}, {1, columns}, "[][]")};
    b.graph().nodes.back().attributes.set("transB", int64_t{1});
    ExpectRight(b.program);
    const auto result = RunProgram(b.program, {}, {}, Random());
    ASSERT_TRUE(result.ok()) << result.error().text();
    const BufferPlan plan = PlanBuffers(b.graph(), OpTable::BuiltIn());
    EXPECT_LE(result.value().peak_bytes, plan.peak_bytes() + plan.peak_bytes() / 20);
    EXPECT_EQ(result.value().nodes[0].kernel, "Gemm/plain");
  }
}

TEST(Run, CountsCollectivesAndTimes) {
  RunOptions options = Random();
  options.warm_up = 2;
  options.iterations = 5;
  options.trace = true;
  const Program program = Perceptron("x=2", CollectiveKind::kAllReduce, "[][]");
  const auto result = RunProgram(program, {}, {}, options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().step_seconds.size(), 5u);
  EXPECT_GT(result.value().median_seconds, 0);
  EXPECT_EQ(result.value().collectives.at("AllReduce").count, 1);
  EXPECT_EQ(result.value().collectives.at("AllReduce").bytes, 8 * 12 * 4);
  ASSERT_EQ(result.value().nodes.size(), 4u);
  EXPECT_TRUE(result.value().nodes[0].kernel.starts_with("MatMul/"));
  EXPECT_EQ(result.value().reference_ops, std::vector<std::string>{});
  const auto trace = nlohmann::json::parse(TraceJson(program, result.value().timeline));
  int complete = 0;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "X") {
      ++complete;
      EXPECT_GE(event["ts"].get<double>(), 0);
      EXPECT_EQ(event["tid"].get<int>(), event["cat"] == "AllReduce" ? 1 : 0);
    }
  EXPECT_EQ(complete, 2 * 4);
}

// Pieces of 3 and 2 rows of 1000: chains of two blocks and of one.
TEST(Run, RunsFusedNodesAsOne) {
  Builder b("x=2");
  const ValueId x = b.Value("x", {5, 1000}, ValueKind::kInput, "[x][]");
  ValueId y = b.Call("Exp", {b.Call("Neg", {x}, {5, 1000}, "[x][]")}, {5, 1000}, "[x][]");
  y = b.Move(CollectiveKind::kAllGather, {"x"}, y, "[][]");
  const ValueId z = b.Call("Relu", {b.Call("Add", {y, y}, {5, 1000}, "[][]")}, {5, 1000}, "[][]");
  b.graph().outputs = {z};
  b.stage().fused = {{0, 1}, {3, 4}};
  ExpectRight(b.program);

  RunOptions options = Random();
  options.trace = true;
  const auto result = RunProgram(b.program, {}, {}, options);
  ASSERT_TRUE(result.ok());
  const std::vector<NodeTime>& nodes = result.value().nodes;
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].kernel, "Neg/loop+Exp/loop");
  EXPECT_EQ(nodes[1].kernel, "AllGather");
  EXPECT_EQ(nodes[2].others, std::vector<NodeId>{4});
  const std::string trace = TraceJson(b.program, result.value().timeline);
  EXPECT_NE(trace.find("\"nNeg0 + nExp1\""), std::string::npos);
  EXPECT_NE(trace.find("\"Add+Relu\""), std::string::npos);

  b.stage().fused = {{3, 4}};
  const auto other = RunProgram(b.program, {}, {}, options);
  ASSERT_TRUE(other.ok());
  ASSERT_EQ(other.value().nodes.size(), 4u);
  EXPECT_EQ(other.value().nodes[0].kernel, "Neg/loop");
  EXPECT_EQ(other.value().nodes[3].kernel, "Add/loop+Relu/loop");
}

TEST(Run, NamesEverythingThatIsMissing) {
  const auto result = RunProgram(
      Perceptron("x=2", CollectiveKind::kAllReduce, "[][]"), {{"c", Tensor::Scalar<float>(0)}}, {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(result.error().text(),
            "parameter 'c': the model has none of that name\n"
            "input 'x': elements must be given, got none for f32[8,16]\n"
            "  hint: give it with --input, or let `run` draw it\n"
            "parameter 'a': elements must be given, got none for f32[16,24], nor for 1 more\n"
            "  hint: run with --random-weights");
}

TEST(Run, RefusesATensorOfAnotherType) {
  const auto result = RunProgram(Perceptron("x=2", CollectiveKind::kAllReduce, "[][]"),
                                 {},
                                 {{"x", Tensor::Zeros({ElementType::kF32, {8, 15}})}},
                                 Random());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().text(), "input 'x': must be f32[8,16], got f32[8,15]");
}

// NumPy has no bf16: its arrays are given as bits, and floats of another size are not rounded
// implicitly.
TEST(Run, TypesThatNumPyLacksComeAsBits) {
  Builder b("x=2");
  const ValueId x = b.Value("x", {8, 16}, ValueKind::kInput, "[x][]");
  b.graph().value(x).type.element = ElementType::kBF16;
  const ValueId y = b.Call("Relu", {x}, {8, 16}, "[x][]");
  b.graph().value(y).type.element = ElementType::kBF16;
  b.graph().outputs = {y};
  const auto run = [&](ElementType given) {
    return RunProgram(b.program, {}, {{"x", Tensor::Zeros({given, {8, 16}})}}, Random());
  };
  for (const ElementType given : {ElementType::kBF16, ElementType::kU16})
    EXPECT_TRUE(run(given).ok());
  const auto refused = run(ElementType::kF32);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().text(),
            "input 'x': must be bf16[8,16], got f32[8,16]\n"
            "  hint: give an array of ml_dtypes, or its bits: array.view(numpy.uint16)");
}

// Only rank 1 sees that the index is out of range; rank 0 waits for it in the gather, on its only
// or its second stream.
class FailingRank : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Streams, FailingRank, testing::Values(1, 2));

TEST_P(FailingRank, EndsTheRun) {
  Builder b("x=2");
  const ValueId table = b.Value("table", {4, 2}, ValueKind::kParameter, "[][]");
  const ValueId index = b.Value("index", {4}, ValueKind::kInput, "[x]");
  b.graph().value(index).type.element = ElementType::kI64;
  const ValueId rows = b.Call("Gather", {table, index}, {4, 2}, "[x][]");
  b.graph().outputs = {b.Move(CollectiveKind::kAllGather, {"x"}, rows, "[][]")};
  b.graph().nodes.back().attributes.set(kOverlapsAttribute, int64_t{1});
  RunOptions options = Random();
  options.timeout_seconds = 600;
  options.streams = GetParam();
  const auto result =
      RunProgram(b.program, {}, {{"index", Tensor::Of<int64_t>({4}, {0, 1, 2, 9})}}, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(result.error().text(),
            "rank 1: node 'nGather0' (Gather): index must be in [-4, 3], got 9");
}

TEST(Run, RandomIndicesAreInRange) {
  Graph graph;
  const ValueId table = AddValue(graph, "table", {5, 2}, ValueKind::kParameter);
  const ValueId index = AddValue(graph, "index", {100}, ValueKind::kInput);
  graph.value(index).type.element = ElementType::kI64;
  const ValueId out = AddValue(graph, "out", {100, 2}, ValueKind::kResult);
  AddNode(graph, "g", "Gather", {table, index}, out);
  graph.outputs = {out};
  for (int64_t i : RandomInputs(graph, 1, OpTable::BuiltIn()).at("index").ToInts()) {
    EXPECT_GE(i, 0);
    EXPECT_LT(i, 5);
  }
}

TEST(Run, RandomInputsDoNotDependOnHowTheGraphIsCut) {
  Graph graph;
  const ValueId table = AddValue(graph, "table", {5, 2}, ValueKind::kParameter);
  const ValueId index = AddValue(graph, "index", {100}, ValueKind::kInput);
  const ValueId moved = AddValue(graph, "moved", {100}, ValueKind::kResult);
  graph.value(index).type.element = graph.value(moved).type.element = ElementType::kI64;
  const ValueId out = AddValue(graph, "out", {100, 2}, ValueKind::kResult);
  AddNode(graph, "m", "Slice", {index}, moved);
  graph.nodes.back().domain = std::string(kCollectiveDomain);
  AddNode(graph, "g", "Gather", {table, moved}, out);
  graph.outputs = {out};
  const Tensor cut = RandomInputs(graph, 1, OpTable::BuiltIn()).at("index");
  graph.nodes.erase(graph.nodes.begin());
  graph.nodes[0].inputs[1] = index;
  EXPECT_TRUE(Identical(cut, RandomInputs(graph, 1, OpTable::BuiltIn()).at("index")));
}

TEST(Run, StopsWhenInterrupted) {
  const std::atomic<bool> interrupted = true;
  RunOptions options = Random();
  options.interrupted = &interrupted;
  const auto result =
      RunProgram(Perceptron("x=2", CollectiveKind::kAllReduce, "[][]"), {}, {}, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kInterrupted);
}

TEST(Run, RefusesAnOperatorWithoutKernel) {
  Program program = Perceptron("x=2", CollectiveKind::kAllReduce, "[][]");
  OnlyStage(program).graph.nodes[1].op = "Unknown";
  const auto result = RunProgram(program, {}, {}, Random());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().text(),
            "node 'nRelu1' (Unknown): the operator must have a kernel to run, got one that is "
            "unknown\n  hint: such models can be planned, but not run");
}

}  // namespace
}  // namespace metadist
