// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/program.h"

#include <gtest/gtest.h>

namespace metadist {
namespace {

ValueId Add(Graph& graph, const std::string& name, Shape shape, ValueKind kind) {
  return graph.AddValue({name, {ElementType::kF32, std::move(shape)}, kind, {}, kNone});
}

// x [8,64] -> Dense with a column-sharded weight -> Regroup to [8,4,16], heads sharded, sizes as
// literals.
Program Sample() {
  Stage stage;
  stage.mesh = ParseMesh("data=2,model=2").value();
  Graph& graph = stage.graph;
  graph.name = "sample";
  graph.opset = 26;
  const ValueId x = Add(graph, "x", {8, 64}, ValueKind::kInput);
  const ValueId w = Add(graph, "w", {64, 64}, ValueKind::kParameter);
  const ValueId sizes = graph.AddValue({"sizes",
                                        {ElementType::kI64, {3}},
                                        ValueKind::kConstant,
                                        Tensor::Of<int64_t>({3}, {8, 4, 16}),
                                        kNone});
  const ValueId h = Add(graph, "h", {8, 64}, ValueKind::kResult);
  const ValueId y = Add(graph, "odd name", {8, 4, 16}, ValueKind::kResult);
  graph.inputs = {x};
  graph.outputs = {y};
  graph.AddNode({"dense", "", "Dense", {}, {x, w}, {h}, {}});
  graph.AddNode({"regroup 1", "", "Regroup", {}, {h, sizes}, {y}, {}});
  const auto parse = [&](const char* text, ValueId id) {
    return ParseSharding(text, graph.value(id).type.shape, stage.mesh).value();
  };
  stage.shardings = {parse("[data][]", x),
                     parse("[][model]", w),
                     Sharding::Replicated(1),
                     parse("[data][model]", h),
                     parse("[data][model][]", y)};
  stage.literals[1] = {{1, "", {{DimSharding::Cut(8, {0})}, {DimSharding::Cut(4, {1})}, {}}}};
  return OneStage(std::move(stage));
}

TEST(Program, TextRoundTrips) {
  const std::string text = ProgramText(Sample());
  auto parsed = ParseProgram(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().text() << "\n" << text;
  EXPECT_EQ(ProgramText(parsed.value()), text);
  EXPECT_NE(text.find("sharding %\"odd name\" [data][model][]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("literal @\"regroup 1\" input 1 [data][model][]\n"), std::string::npos);
}

TEST(Program, ChecksFusedNodes) {
  Program program = Sample();
  program.stages[0].fused = {{0, 1}};
  const std::string text = ProgramText(program);
  EXPECT_NE(text.find("fused @dense @\"regroup 1\"\n"), std::string::npos) << text;
  auto parsed = ParseProgram(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().text();
  EXPECT_EQ(parsed.value().stages[0].fused, program.stages[0].fused);

  const auto problem_of = [&](std::vector<FusedNodes> fused) {
    program.stages[0].fused = std::move(fused);
    const auto checked = CheckProgram(program);
    return checked.ok() ? "none" : checked.error().message;
  };
  EXPECT_EQ(problem_of({{0}}), "a group must have two nodes or more");
  EXPECT_EQ(problem_of({{}}), "a group must have two nodes or more");
  EXPECT_EQ(problem_of({{1, 0}}), "nodes must ascend, each named once, 'dense' does not");
  EXPECT_EQ(problem_of({{0, 0}}), "nodes must ascend, each named once, 'dense' does not");
  EXPECT_EQ(problem_of({{0, 2}}), "no node 2");
  program.stages[0].graph.nodes[1].domain = std::string(kCollectiveDomain);
  program.stages[0].graph.nodes[1].op = "AllReduce";
  EXPECT_EQ(problem_of({{0, 1}}),
            "'regroup 1' moves data between ranks and cannot stand in a group");
}

TEST(Program, WrongTextNamesTheLine) {
  std::string text = ProgramText(Sample());
  text.replace(text.find("[][model]\n"), 9, "[][modle]");
  const auto parsed = ParseProgram(text);
  ASSERT_FALSE(parsed.ok());
  EXPECT_NE(parsed.error().message.find("no axis 'modle'"), std::string::npos);
  EXPECT_EQ(ParseProgram("plan").error().message, "expected 'program'");
}

// Values are listed as their graph's text lists them, whatever their ids.
TEST(Program, TextOfAProgramThatWasTextIsTheSame) {
  Program program = Sample();
  Stage& stage = program.stages[0];
  std::swap(stage.graph.values[0], stage.graph.values[1]);
  std::swap(stage.shardings[0], stage.shardings[1]);
  stage.graph.inputs = {1};
  std::swap(stage.graph.nodes[0].inputs[0], stage.graph.nodes[0].inputs[1]);
  EXPECT_EQ(ProgramText(program), ProgramText(Sample()));
}

TEST(Program, TextThatSaysWhatCannotBeIsRefused) {
  const auto message = [](const std::string& from, const std::string& to) {
    std::string text = ProgramText(Sample());
    text.replace(text.find(from), from.size(), to);
    const auto parsed = ParseProgram(text);
    return parsed.ok() ? std::string("accepted") : parsed.error().message;
  };
  EXPECT_EQ(message("ranks 0-3", "ranks 0-3 2"), "ranks must ascend and be below 1048576");
  EXPECT_EQ(message("ranks 0-3", "ranks 0-1048575 0-1048575"),
            "ranks must ascend and be below 1048576");
  EXPECT_EQ(message("schedule 0:0", "schedule+0:0"), "expected stage:micro-batch");
  EXPECT_EQ(message("schedule 0:0", "schedule 0:2147483647"),
            "every stage must take every micro-batch");
  const std::string literal = "\"regroup 1\" input 1";
  const std::string unknown = "node 'regroup 1' has no such integers";
  EXPECT_EQ(message(literal, "\"regroup 1\" input 0"), unknown);
  EXPECT_EQ(message(literal, "\"regroup 1\" attribute k"), unknown);
  EXPECT_EQ(message("(%h, %sizes)", "(%h, _)"), unknown);
}

TEST(Program, EveryRankGetsItsShapesAndLiterals) {
  const Program program = Sample();
  for (int64_t rank = 0; rank < 4; ++rank) {
    const Graph local = Instantiate(program.stages[0], rank);
    EXPECT_EQ(local.values[0].type.shape, (Shape{4, 64}));
    EXPECT_EQ(local.values[1].type.shape, (Shape{64, 32}));
    EXPECT_EQ(local.values[4].type.shape, (Shape{4, 2, 16}));
    const ValueId literal = local.nodes[1].inputs[1];
    EXPECT_EQ(local.value(literal).data.ToInts(), (std::vector<int64_t>{4, 2, 16}));
    EXPECT_EQ(local.values[2].data.ToInts(), (std::vector<int64_t>{8, 4, 16}));  // others keep it
  }
}

TEST(Program, UnevenPiecesDifferByRank) {
  Stage stage;
  stage.mesh = ParseMesh("m=3").value();
  stage.graph.AddValue({"x", {ElementType::kF32, {7}}, ValueKind::kInput, {}, kNone});
  stage.shardings = {ParseSharding("[m]", {7}, stage.mesh).value()};
  std::vector<int64_t> sizes;
  for (int64_t rank = 0; rank < 3; ++rank)
    sizes.push_back(Instantiate(stage, rank).values[0].type.shape[0]);
  EXPECT_EQ(sizes, (std::vector<int64_t>{3, 2, 2}));
}

// Integers that shift with the piece, or apply only at one end of the dim.
TEST(Program, LiteralsFollowThePieces) {
  Stage stage;
  stage.mesh = ParseMesh("x=3,y=2").value();
  Graph& graph = stage.graph;
  graph.name = "follow";
  graph.opset = 26;
  const ValueId x = Add(graph, "x", {10, 8}, ValueKind::kInput);
  const ValueId y = Add(graph, "y", {10, 8}, ValueKind::kResult);
  graph.inputs = {x};
  graph.outputs = {y};
  Attributes attributes;
  attributes.set("k", int64_t{-2});
  attributes.set("pads", std::vector<int64_t>{1, 2, 3, 4});
  graph.AddNode({"band", "", "Band", attributes, {x}, {y}, {}});
  stage.shardings = {ParseSharding("[x][y]", {10, 8}, stage.mesh).value(),
                     ParseSharding("[x][y]", {10, 8}, stage.mesh).value()};
  const DimSharding rows = DimSharding::Cut(10, {0});
  const DimSharding columns = DimSharding::Cut(8, {1});
  using Kind = LocalEntry::Kind;
  stage.literals[0] = {
      {kNone, "k", {{rows, Kind::kShifted, 1, 0}}},
      {kNone, "k", {{columns, Kind::kShifted, -1, 5}}},
      {kNone, "pads", {{rows, Kind::kFirstOnly}, {}, {rows, Kind::kLastOnly}, {columns}}}};
  stage.literals[0][2].entries[3] = {DimSharding::Cut(4, {1})};
  const Program program = OneStage(std::move(stage));
  const auto k = [&](int64_t rank) {
    return Instantiate(program.stages[0], rank).nodes[0].attributes.Int("k", 99);
  };
  // Rows start at 0, 4, 7; columns at 0, 4 and end 4 before and at the end.
  EXPECT_EQ((std::vector{k(0), k(1), k(2), k(3), k(4), k(5)}),
            (std::vector<int64_t>{-22, -6, -18, -2, -15, 1}));
  const auto pads = [&](int64_t rank) {
    return Instantiate(program.stages[0], rank).nodes[0].attributes.Ints("pads", {});
  };
  EXPECT_EQ(pads(0), (std::vector<int64_t>{1, 2, 0, 2}));
  EXPECT_EQ(pads(2), (std::vector<int64_t>{0, 2, 0, 2}));
  EXPECT_EQ(pads(5), (std::vector<int64_t>{0, 2, 3, 2}));

  const std::string text = ProgramText(program);
  EXPECT_NE(text.find("literal @band attribute k {start*1,end*0 of 10[x]}\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("pads {first of 10[x]}[]{last of 10[x]}[y]\n"), std::string::npos) << text;
  const auto parsed = ParseProgram(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().text();
  EXPECT_EQ(ProgramText(parsed.value()), text);
  EXPECT_EQ(parsed.value().stages[0].literals, program.stages[0].literals);
}

TEST(LocalEntry, AnIndexIsCountedWithinThePiece) {
  const Mesh mesh = ParseMesh("x=3").value();
  std::string_view text = "{index of 7[x]}";
  const LocalEntry entry = TakeLocalEntry(text, -3, mesh).value();
  EXPECT_EQ(LocalEntryText(entry, mesh), "{index of 7[x]}");
  const auto local = [&](int64_t value) {  // pieces 0-2, 3-4, 5-6
    std::vector<int64_t> values;
    for (int64_t rank = 0; rank < 3; ++rank)
      values.push_back(LocalValue(entry, value, mesh, mesh.CoordinateOf(rank)));
    return values;
  };
  EXPECT_EQ(local(0), (std::vector<int64_t>{0, 2, 2}));
  EXPECT_EQ(local(4), (std::vector<int64_t>{3, 1, 2}));
  EXPECT_EQ(local(-1), (std::vector<int64_t>{3, 2, 1}));
  EXPECT_EQ(local(-7), (std::vector<int64_t>{0, 2, 2}));
}

TEST(LocalEntry, WhatDoesNotParseIsNamed) {
  const Mesh mesh = ParseMesh("x=2").value();
  const auto message = [&](std::string_view text) {
    const auto entry = TakeLocalEntry(text, 7, mesh);
    return entry.ok() ? "" : entry.error().message;
  };
  EXPECT_EQ(message("[x]"), "");
  EXPECT_EQ(
      message("middle"),
      "local integer 'middle': expected '[', '{start*', '{first', '{last', '{index' or '{bound'");
  EXPECT_EQ(message("{start*1 of 4[x]}"), "local integer '{start*1 of 4[x]}': expected ',end*'");
  EXPECT_EQ(message("{first of 4[]}"), "local integer '{first of 4[]}': the dim is cut by no axis");
  EXPECT_EQ(message("{last of x[x]}"), "local integer '{last of x[x]}': expected a number");
  EXPECT_EQ(message("{last of 6[(3 2:x)]}"),
            "an integer can follow only the pieces of a dim that is cut contiguously");
}

TEST(Collective, ReceivedBytesAreTheClassicCounts) {
  const Mesh mesh = ParseMesh("m=4").value();
  const TensorType type{ElementType::kF32, {8, 16}};
  const auto parse = [&](const char* text) {
    return ParseSharding(text, type.shape, mesh).value();
  };
  const auto bytes = [&](CollectiveKind kind, const char* from, const char* to) {
    return ReceivedBytes({kind, {0}, parse(from), parse(to)}, type, mesh);
  };
  EXPECT_EQ(bytes(CollectiveKind::kSlice, "[][]", "[m][]"), 0);
  EXPECT_EQ(bytes(CollectiveKind::kAllGather, "[m][]", "[][]"), 512 * 3 / 4);
  EXPECT_EQ(bytes(CollectiveKind::kAllToAll, "[m][]", "[][m]"), 128 * 3 / 4);
  EXPECT_EQ(bytes(CollectiveKind::kReduceScatter, "[][] partial{sum: m}", "[m][]"), 512 * 3 / 4);
  EXPECT_EQ(bytes(CollectiveKind::kAllReduce, "[][] partial{sum: m}", "[][]"), 2 * 512 * 3 / 4);
}

}  // namespace
}  // namespace metadist
